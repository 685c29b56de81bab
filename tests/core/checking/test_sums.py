"""Lists of sums: what is read, what differs, what is no list."""

import json
from pathlib import Path

import pytest

from tablebase.cli.program import main
from tablebase.core.checking.sums import compare_sums, format_sums, read_sums
from tablebase.core.ground.errors import TablebaseError
from tablebase.core.outcomes.metrics import DTM, DTZ, HELPMATES, METRICS, make_outcomes
from tablebase.core.rules.material import Material
from tablebase.core.storage.reading import open_table, read_table
from tablebase.core.storage.table_names import table_path
from tablebase.core.storage.writing import write_table
from tablebase.core.tables.table import Table

THREE_MEN = ("KK", "KQK", "KRK", "KBK", "KNK", "KPK")
KK, KRK, KQK = (Material.from_name(name) for name in ("KK", "KRK", "KQK"))


def test_the_tables_of_a_clone_have_the_sums_of_the_list(capsys):
    assert main(["verify", "--dir", "data", "--sums", "data/SHA256SUMS", "--values"]) == 0
    count = len(read_sums("data/SHA256SUMS"))
    assert f"{count} of {count} sums of values agree with data/SHA256SUMS (8 tables)\n" == (
        capsys.readouterr().out
    )
    assert main(["info", "--dir", "data", "--sums"]) == 0
    assert capsys.readouterr().out == Path("data/SHA256SUMS").read_text()


def test_the_lists_agree(tables_dir):
    large = read_sums("data/SHA256SUMS-5men")
    assert len(large) == 2 * 145
    small = read_sums("data/SHA256SUMS")
    both = small.keys() & large.keys()
    helpmates = {(Material.from_name(name), one) for name in THREE_MEN for one in HELPMATES}
    assert small.keys() - both == {(KK, DTM), (KK, DTZ)} | helpmates
    assert all(small[one] == large[one] for one in both)
    reports = compare_sums(tables_dir.glob("*.h5"), large, read_values=True)
    assert len(reports) == 36
    assert not any(report.differs for report in reports)


def test_a_list_is_written_and_read(tmp_path):
    path = tmp_path / "sums"
    sums = {(KK, DTM): "0" * 64, (KRK, DTM): "9f" * 32, (KRK, DTZ): "a0" * 32}
    lines = format_sums((*table, digest) for table, digest in sums.items())
    path.write_text("# of two tables\n\n" + lines + "  # the end\n")
    assert read_sums(path) == sums
    assert [line.split()[1] for line in lines.splitlines()] == ["KK", "KRK", "KRK.dtz"]


def test_each_distance_is_compared(tmp_path, capsys):
    table = read_table("data/KK.h5")
    for metric in METRICS:
        outcomes = (make_outcomes([]),) * 2 if metric == DTZ else ()
        write_table(Table(KK, *table.codes, metric, outcomes), tmp_path / "KK.h5")
    with open_table(tmp_path / "KK.h5") as file:
        digest = file.sha256_of(DTM)
    path = tmp_path / "sums"
    path.write_text(format_sums([(KK, DTM, digest), (KK, DTZ, "0" * 64)]))
    command = ["verify", "--dir", str(tmp_path), "--sums", str(path)]
    assert main(command) == 1
    out = capsys.readouterr().out
    assert "KK.dtz: WRONG" in out
    assert f"1 of 2 sums agree with {path} (1 table): --values also hashes the values" in out
    assert main([*command, "--json"]) == 1
    found = [(one["metric"], one["passed"]) for one in json.loads(capsys.readouterr().out)]
    assert found == [("dtm", True), ("dtz", False)]


def test_other_values_are_told(tmp_path, capsys):
    path = tmp_path / "sums"
    path.write_text(format_sums([(KRK, DTM, "0" * 64)]))
    report = compare_sums([table_path("data", KRK), table_path("data", KQK)], read_sums(path))
    assert [one.differs for one in report] == [True, False, False, False]
    assert all(one.expected is None for one in report[1:])
    assert main(["verify", "--dir", "data", "--sums", str(path), "KRK", "KQK"]) == 1
    out = capsys.readouterr().out
    assert "KRK: WRONG" in out
    assert f"not compared, because {path} has no sum of them: KRK.dtz, KQK, KQK.dtz\n" in out
    assert main(["verify", "--dir", "data", "--sums", str(path), "KQK"]) == 2


@pytest.mark.parametrize("values", [[], ["--values"]])
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_list_without_the_tables_agrees_with_nothing(tmp_path, capsys, form, values):
    path = tmp_path / "sums"
    path.write_text(format_sums([(Material.from_name("KRRK"), DTM, "0" * 64)]))
    command = ["verify", "--dir", "data", "--sums", str(path), *form, *values]
    assert main(command) == main([*command, "KRK"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count(f"{path} has no sum of the ") == 2
    path.write_text("# nothing\n")
    assert main(command) == 2


def test_a_table_that_is_asked_for_must_be_in_the_list(tmp_path, capsys):
    right = read_sums("data/SHA256SUMS")[KRK, DTM]
    path = tmp_path / "sums"
    path.write_text(format_sums([(KRK, DTM, right)]))
    command = ["verify", "--dir", "data", "--sums", str(path)]
    assert main([*command, "KRK", "KQK"]) == 2
    assert "has no sum of them: KRK.dtz, KQK, KQK.dtz\n" in capsys.readouterr().out
    assert main(command) == 0  # of the tables in the folder one is in the list
    assert f"1 of 1 sums agree with {path} (1 table)" in capsys.readouterr().out


def test_a_file_that_cannot_be_read_stops_nothing(tmp_path, capsys):
    damaged = tmp_path / "KPK.h5"
    damaged.write_bytes(b"no table")
    command = ["verify", "--dir", "data", "--sums", "data/SHA256SUMS", str(damaged), "KRK"]
    assert main(command) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert str(damaged) in captured.err
    assert "4 of 4 sums agree with data/SHA256SUMS (1 table)" in captured.out
    assert main([*command, "--json"]) == 2
    assert [one["passed"] for one in json.loads(capsys.readouterr().out)] == [False, *[True] * 4]


@pytest.mark.parametrize("line", ["KRK", "0" * 63 + "  KRK", "0" * 64, "0" * 64 + "  KRK  KQK"])
def test_a_line_that_is_not_a_sum(tmp_path, line):
    path = tmp_path / "sums"
    path.write_text("\n" + line)
    with pytest.raises(TablebaseError, match="sums, line 2"):
        read_sums(path)
