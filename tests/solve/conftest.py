"""Five-man tables for the slow tests."""

import pytest


@pytest.fixture(scope="session")
def five_men(tmp_path_factory):
    from tablebase.core.building.generator import generate
    from tablebase.core.outcomes.metrics import DTM
    from tablebase.core.rules.material import Material

    folder = tmp_path_factory.mktemp("five")
    materials = [Material.from_name(name) for name in ("KRPKP", "KPPKP", "KRPKR", "KBPKN")]
    generate(materials, folder, metrics=(DTM,))
    return folder
