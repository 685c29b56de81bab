"""Settings and tables shared by all tests."""

import pytest
from hypothesis import settings

# The same examples in every run; kernels compile on their first call, so no deadline.
settings.register_profile("reproducible", deadline=None, derandomize=True)
settings.load_profile("reproducible")


@pytest.hookimpl(tryfirst=True)
def pytest_collectreport(report):
    """Fail for a test file that cannot be imported: looking for doctests there would skip it."""
    if report.skipped and report.nodeid.startswith("tests/"):
        report.outcome = "failed"


def solve_up_to_four_men(metric):
    """Return the tables of all materials up to four men, by material."""
    from tablebase.board.material import all_materials, generation_order
    from tablebase.engine.solver import solve

    tables = {}
    for material in generation_order(all_materials(4)):
        tables[material] = solve(material, tables, metric=metric)
    return tables


@pytest.fixture(scope="session")
def solved():
    """Return the distances to mate of all materials up to four men, by material."""
    from tablebase.board.metrics import DTM

    return solve_up_to_four_men(DTM)


@pytest.fixture(scope="session")
def zeroing():
    """Return the distances to zeroing of all materials up to four men, by material."""
    from tablebase.board.metrics import DTZ

    return solve_up_to_four_men(DTZ)


@pytest.fixture(scope="session")
def tables_dir(solved, tmp_path_factory):
    """Return a folder with the files of all tables of up to four men."""
    from tablebase.storage import table_path
    from tablebase.storage.writing import write_table

    directory = tmp_path_factory.mktemp("tables")
    for material, table in solved.items():
        write_table(table, table_path(directory, material))
    return directory


@pytest.fixture(scope="session")
def zeroing_dir(tables_dir, zeroing, tmp_path_factory):
    """Return a folder with the files of up to four men, each with both distances."""
    from shutil import copytree

    from tablebase.storage import table_path
    from tablebase.storage.writing import write_table

    directory = tmp_path_factory.mktemp("both") / "tables"
    copytree(tables_dir, directory)
    for material, table in zeroing.items():
        write_table(table, table_path(directory, material))
    return directory


@pytest.fixture(scope="session")
def folders_by_metric(tmp_path_factory):
    """Return folders of KPK, KRK and their sub-tables: ``dtm``, ``dtz``, and ``both`` metrics."""
    from tablebase.board.material import Material
    from tablebase.board.metrics import DTM, DTZ
    from tablebase.building.generator import generate

    materials = [Material.from_name(name) for name in ("KPK", "KRK")]
    folders = {}
    for name, metrics in (("dtm", (DTM,)), ("dtz", (DTZ,)), ("both", (DTM, DTZ))):
        folders[name] = tmp_path_factory.mktemp(name)
        generate(materials, folders[name], metrics=metrics)
    return folders
