"""What a worker checks before it builds, without a cluster; `test_cluster` has the rest."""

import shutil
from pathlib import Path

import pytest

from tablebase import __version__
from tablebase.cluster import worker
from tablebase.cluster.worker import Receipt, fair_share, find_problem, program_version
from tablebase.core.building.generator import generate
from tablebase.core.ground.errors import TablebaseError
from tablebase.core.outcomes.metrics import METRICS
from tablebase.core.rules.material import Material
from tablebase.core.storage.reading import open_table

pytest.importorskip("distributed")

KRK = Material.from_name("KRK")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / ".token").touch()
    return tmp_path


def test_the_version_is_that_of_the_sources(tmp_path, monkeypatch):
    assert program_version().startswith(f"{__version__}+")
    copy = shutil.copytree(Path(worker.__file__).parents[1], tmp_path / "tablebase")
    monkeypatch.setattr(worker, "__file__", str(copy / "cluster" / "worker.py"))
    assert program_version.__wrapped__() == program_version()
    (copy / "core" / "moves" / "successors.py").write_text("")
    assert program_version.__wrapped__() != program_version()


def test_a_fit_worker_leaves_nothing_in_the_folder(folder):
    assert find_problem(str(folder), ".token", program_version()) is None
    assert [path.name for path in folder.iterdir()] == [".token"]


def test_what_makes_a_worker_unfit(folder):
    version = program_version()
    assert "not 0.0: install" in find_problem(str(folder), ".token", "0.0")
    assert "does not see" in find_problem(str(folder / "none"), ".token", version)
    # Another folder of the same name, as on a machine where it is not mounted.
    assert "does not see" in find_problem(str(folder), ".another", version)


def test_a_folder_that_cannot_be_written(folder, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(worker, "partial_file", refuse)
    problem = find_problem(str(folder), ".token", program_version())
    assert problem == f"it cannot write to {folder}: Permission denied"


@pytest.mark.parametrize(
    ("processors", "builders", "threads"), [(16, 2, 8), (16, 1, 16), (2, 5, 1), (7, 2, 3)]
)
def test_fair_shares(processors, builders, threads):
    assert fair_share(processors, builders) == threads


def test_sub_tables_are_those_that_were_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(worker, "VISIBLE_SECONDS", 0.1)
    generate([KRK], tmp_path)
    with open_table(tmp_path / "KRK.h5") as file:
        digests = {metric: file.sha256_of(metric) for metric in file.metrics}
    named = {metric.name: digest for metric, digest in digests.items()}
    receipts = [Receipt(KRK, named, None, "")]
    found = worker._check_subtables(str(tmp_path), receipts, METRICS)
    assert found == {(KRK, metric): digest for metric, digest in digests.items()}
    wrong = Receipt(KRK, named | {"dtz": "0" * 64}, None, "")
    with pytest.raises(TablebaseError, match=r"KRK\.h5 has other values"):
        worker._check_subtables(str(tmp_path), [wrong], METRICS)
    (tmp_path / "KRK.h5").unlink()
    with pytest.raises(TablebaseError, match=r"KRK\.h5 does not appear"):
        worker._check_subtables(str(tmp_path), receipts, METRICS)
