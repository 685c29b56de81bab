"""The explorer in a browser, and the HTTP API of lichess's tablebase server.

The pages in `static/` read the files of a publication by `static/reader`, a package in JavaScript
that works in node as well. The server gives the same files as `tablebase publish` writes, made when
somebody asks for them, and also answers about positions, see `static/source.js`.

- `answering`: the threads that answer, the turns of clients, and their limit of time
- `castling_jobs`: positions with castling rights, solved beside the server
- `castling_solver`: the process that solves them
- `collection`: the tables of all games
- `description`: the table of endpoints, and their description in OpenAPI
- `downloads`: table files for clients that take them whole or in parts
- `game_data`: a game as data for the reader: its rules, and the numbering of its positions
- `hosting`: the files of a publication, made when they are asked for
- `jobs`: what takes long, carried out by processes beside the server
- `lichess`: positions in the JSON of lichess's tablebase server, as plain dictionaries
- `limits`: limits on requests: length, connections, time
- `listing`: the lists of a published folder, and the places of its tables
- `materials`: the figures of a material
- `origins`: the server's own names and pages, and its clients
- `overview`: the available tables
- `own_files`: the files of a published folder that are its own
- `parameters`: the parameters of a request
- `publication`: tables as files of any web host, with indexes for the reader in JavaScript
- `publish_command`: `tablebase publish`
- `table_records`: the JSON records of published tables
- `schemas`: the records of answers, and their JSON Schema
- `serve_command`: `tablebase serve`
- `server`: the ASGI application and its socket
- `site`: the explorer as files of any web host
- `solving`: positions solved on demand, line by line
- `table_index`: the index of a published table

May import the core, `cli`, `practice`, `study`. Another request is a row of
`description.ENDPOINTS` and a method of `server.Endpoints`.
"""

from tablebase.core._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
