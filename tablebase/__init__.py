"""Chess endgame tablebases: generate, store and probe exact distances to mate."""

__version__ = "0.1.0"
