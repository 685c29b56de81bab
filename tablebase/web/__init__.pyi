from tablebase.web.game_tables import describe_setup, read_passing
from tablebase.web.lichess import (
    category,
    describe_mainline,
    describe_position,
    describe_standard,
)
from tablebase.web.publication import Published, publish_table, write_list
from tablebase.web.server import create_app, listen, serve
from tablebase.web.site import copy_reader, write_pages

__all__ = [
    "Published",
    "category",
    "copy_reader",
    "create_app",
    "describe_mainline",
    "describe_position",
    "describe_setup",
    "describe_standard",
    "listen",
    "publish_table",
    "read_passing",
    "serve",
    "write_list",
    "write_pages",
]
