"""The explorer in a browser, and the HTTP API of lichess's tablebase server.

The server gives the same files as `tablebase publish` writes, made when somebody asks for them,
and also answers about positions.

- `answering`: the threads that answer, the turns of clients, and their limit of time
- `beside`: a process beside the server, which carries out tasks with its tables
- `castling_jobs`: positions with castling rights, solved beside the server
- `castling_solver`: the process that solves them
- `chances`: who can still win if both sides help, in JSON
- `collection`: the tables of all games
- `command`: `tablebase serve`
- `downloads`: table files for clients that take them whole or in parts
- `hosting`: the files of a publication, made when they are asked for
- `jobs`: what takes long, carried out by processes beside the server
- `kept_records`: records that take seconds to make, kept in the cache folder
- `lichess`: positions in the JSON of lichess's tablebase server, as plain dictionaries
- `limits`: limits on requests: length, connections, time
- `mating_jobs`: who can still mate, searched beside the server
- `mating_search`: the process that searches
- `origins`: the server's own names and pages, and its clients
- `overview`: the available tables
- `parameters`: the parameters of a request
- `server`: the ASGI application and its socket
- `solving`: positions solved on demand, line by line

May import the core, `cli`, `practice`, `publish`. Another request is a path
of `openapi.json` and a method of `server.Endpoints`.
"""
