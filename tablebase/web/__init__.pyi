from tablebase.web.lichess import category, describe_mainline, describe_position, describe_standard
from tablebase.web.publication import Published, publish_tables
from tablebase.web.server import create_app, listen, serve

__all__ = [
    "Published",
    "category",
    "create_app",
    "describe_mainline",
    "describe_position",
    "describe_standard",
    "listen",
    "publish_tables",
    "serve",
]
