"""The explorer in a browser, and the HTTP API of lichess's tablebase server.

The pages in `static/` read table files by themselves, see `static/source.js`. `static/reader` is a
package in JavaScript that reads them without a server of ours, in pages and in node.

- `answering`: the threads that answer, and the time they may take
- `description`: the table of endpoints, and their description in OpenAPI
- `game_data`: a game as data for the reader: its rules, and how its positions are numbered
- `game_endpoints`: the answers about tables of other games than chess
- `game_schemas`: the records of these answers
- `game_tables`: these tables and their positions, as plain dictionaries
- `games`: annotated games, as plain dictionaries
- `lichess`: positions in the JSON of lichess's tablebase server, as plain dictionaries
- `limits`: limits on requests: length, connections, time
- `listing`: the lists of a published folder, and where its tables are
- `materials`: the figures of a material
- `origins`: the server's own names and pages
- `overview`: the available tables, and hard or random positions
- `own_files`: the files of a published folder that are its own
- `parameters`: the parameters and the body of a request
- `publication`: tables as files of any web host, with indexes for the reader in JavaScript
- `publish_command`: `tablebase publish`
- `table_records`: the JSON records of published tables
- `schemas`: the records of answers, and their JSON Schema
- `serve_command`: `tablebase serve`
- `server`: the ASGI application and its socket
- `site`: the explorer as files of any web host
- `table_index`: the index of a published table

May import the core, `cli`, `practice`, `study`. Another request is a row of
`description.ENDPOINTS` and a method of `server.Endpoints`; or of `description.GAME_ENDPOINTS` and
of `game_endpoints.GameEndpoints`.
"""

from tablebase.core._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
