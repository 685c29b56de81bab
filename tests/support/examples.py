"""The programs in examples/, which are no part of a package, as modules."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

ROOT = Path(__file__).parents[2]


def example(name):
    """Return a new module of a program, so that many calls do not take many processes."""
    spec = spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
