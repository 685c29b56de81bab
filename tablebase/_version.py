"""The version of the package, for modules that must not load the rest of it."""

__version__ = "0.1.0"
