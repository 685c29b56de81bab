"""The explorer in a browser, and the HTTP API of lichess's tablebase server.

The pages in `static/` ask nothing but this API.

- `description`: the table of endpoints, and their description in OpenAPI
- `games`: games of strangers, judged by the tables
- `lichess`: positions in the JSON of lichess's tablebase server, as plain dictionaries
- `limits`: bounds on what strangers may take: lengths, connections, time
- `materials`: what there is to say of one material
- `on_demand`: positions solved on demand, one at a time
- `origins`: the names by which the server is called, and the pages that are its own
- `overview`: which tables there are, and positions to look at: the hardest ones, and random ones
- `solve_one`: the process that solves one
- `parameters`: what a request asks for
- `schemas`: the records that the server answers with, and their JSON Schema
- `server`: the ASGI application, and the socket that it is served on

May import `board`, `index`, `storage`, `probing`, `solving`, `study`. Another request is
a row of `description.ENDPOINTS` and a method of `server.Endpoints`.
"""

from tablebase._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
