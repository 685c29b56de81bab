"""Tables with distances to mate, to zeroing, or both."""

import shutil

import pytest

from tablebase.board.material import Material
from tablebase.board.metrics import DTM, DTZ

MATERIALS = [Material.from_name(name) for name in ("KRKN", "KPK")]


def _build(directory, metric):
    from tablebase.building.generator import generate

    generate(MATERIALS, directory, metrics=(metric,))
    return directory


@pytest.fixture(scope="session")
def mate_dir(tmp_path_factory):
    """Return a folder of tables with distances to mate alone."""
    return _build(tmp_path_factory.mktemp("mate"), DTM)


@pytest.fixture(scope="session")
def zeroing_only_dir(tmp_path_factory):
    """Return a folder of tables with distances to zeroing alone."""
    return _build(tmp_path_factory.mktemp("zeroing"), DTZ)


@pytest.fixture(scope="session")
def both_dir(mate_dir, tmp_path_factory):
    """Return a folder of tables with both."""
    directory = tmp_path_factory.mktemp("both")
    shutil.copytree(mate_dir, directory, dirs_exist_ok=True)
    return _build(directory, DTZ)
