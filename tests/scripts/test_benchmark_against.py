"""Two versions are measured in alternating pairs; no time is asserted."""

import json

import pytest

from scripts import benchmark_against

if not (benchmark_against.ROOT / ".git").exists():
    pytest.skip("there is no other commit without git", allow_module_level=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "pairs"),
    [
        (["probe_dtm", "rank_moves"], [2, 2]),
        (["solving bishops", "building 36 tables", benchmark_against.COLD], [3, 3, 3]),
    ],
)
def test_a_commit_is_measured_against_the_working_tree(rows, pairs, capsys, tmp_path):
    few = ["--pairs", "2", "--scratch", str(tmp_path)]
    benchmark_against.main(["HEAD", *rows, *few, "--json"])
    found = json.loads(capsys.readouterr().out)
    assert [row["what"] for row in found] == rows
    assert [len(row["theirs"]) for row in found] == [len(row["ours"]) for row in found] == pairs
    assert all(min(row["theirs"] + row["ours"]) > 0 for row in found)
    assert not list(tmp_path.iterdir())


def test_an_unknown_row_is_one_line(tmp_path):
    with pytest.raises(SystemExit, match='no row "probe_dtz": choose "probe_dtm", "probe_wdl"'):
        benchmark_against.main(["HEAD", "probe_dtz", "--scratch", str(tmp_path)])


def test_medians_are_shown(capsys):
    benchmark_against.show([benchmark_against.Row("x", [1.0, 2.0, 4.0], [2.0, 2.0, 2.0])], "HEAD~1")
    cells = capsys.readouterr().out.splitlines()[-2].split("│")
    assert [one.strip() for one in cells[1:-1]] == ["x", "2", "2", "1.000", "0.750 to 1.500", "3"]


def test_a_wrong_commit_is_one_line():
    with pytest.raises(SystemExit, match=r"no-such.*: name a commit, like HEAD~1"):
        benchmark_against.main(["no-such-commit"])
