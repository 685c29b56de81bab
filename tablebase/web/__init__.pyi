from tablebase.web.lichess import (
    category,
    describe_mainline,
    describe_position,
    describe_standard,
    men_in_words,
    read_position,
)
from tablebase.web.server import create_app, listen, serve

__all__ = [
    "category",
    "create_app",
    "describe_mainline",
    "describe_position",
    "describe_standard",
    "listen",
    "men_in_words",
    "read_position",
    "serve",
]
