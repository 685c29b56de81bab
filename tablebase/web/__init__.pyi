from tablebase.web.lichess import (
    category,
    describe_mainline,
    describe_position,
    describe_standard,
)
from tablebase.web.server import create_app, listen, serve

__all__ = [
    "category",
    "create_app",
    "describe_mainline",
    "describe_position",
    "describe_standard",
    "listen",
    "serve",
]
