from tablebase.uci.engine import Engine

__all__ = ["Engine"]
