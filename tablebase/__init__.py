"""Chess endgame tablebases: generate, store and probe exact distances to mate."""

from tablebase._face import attach
from tablebase._version import __version__ as __version__

__getattr__, __dir__, __all__ = attach(__name__, __file__)
