"""The ledger compares what it says, finds planted differences, and its numbers have a source."""

import csv
import json
import sys
from pathlib import Path

import comparisons
import figures
import measurement
import pytest
from support.few import few

ROOT = Path(__file__).parents[2]
DATA, THEIRS = ROOT / "data", ROOT / "tests" / "data"
HERE = [name for name, one in comparisons.COMPARISONS.items() if (ROOT / one.source).exists()]


@pytest.fixture(autouse=True)
def in_the_root(monkeypatch):
    monkeypatch.chdir(ROOT)


def test_every_line_of_the_page_has_its_numbers():
    kept = json.loads((measurement.RESULTS / "ledger.json").read_text())["results"]
    assert kept.keys() <= comparisons.COMPARISONS.keys()
    assert {*HERE, "syzygy", "results", "krkopt"} <= kept.keys()
    page = figures.ledger()
    for name, numbers in kept.items():
        one = comparisons.COMPARISONS[name]
        assert numbers["compared"] > numbers["different"] >= 0
        parts = one.parts if numbers["parts"] > 1 else one.parts.removesuffix("s")
        shown = f"| {numbers['compared']:,} {one.unit} of {numbers['parts']:,} {parts} |"
        assert shown in page
        assert f"| {one.whom} (`{name}`) |" in page
    assert "cannot explain" not in page or any(one["different"] for one in kept.values())


@pytest.mark.parametrize("name", few(HERE, *({*HERE} - {"nulp"})))
def test_comparisons_with_what_is_here(name):
    """Those of the page have more tables than lie in data/."""
    kept = json.loads((measurement.RESULTS / "ledger.json").read_text())["results"][name]
    found = figures.compare(name, comparisons.COMPARISONS[name].source, DATA)
    assert 0 < found["compared"] <= kept["compared"]
    assert found["different"] == kept["different"] == 0


def test_files_of_others():
    found = figures.compare("syzygy", str(THEIRS / "syzygy"), DATA)
    assert (found["parts"], found["different"]) == (10, 0)
    assert found["compared"] > 100_000
    found = figures.compare("krkopt", "no such file", DATA)
    assert (found["compared"], found["different"]) == (28_056, 0)


def test_a_comparison_of_nothing_is_no_agreement(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["figures.py", "--compare", "syzygy", str(tmp_path)])
    with pytest.raises(SystemExit) as stopped:
        figures.main()
    assert stopped.value.code == 2
    captured = capsys.readouterr()
    assert f"nothing to compare with in {tmp_path}: name another source" in captured.err
    assert "0 differences" not in captured.out


def test_rows_of_a_file_are_compared(tmp_path):
    from scripts.krkopt import krkopt

    rows = krkopt(DATA)
    path = tmp_path / "krkopt.data"
    path.write_text("\n".join(["a,1,b,3,c,1,draw", *rows[1:-1]]) + "\n")
    found = figures.compare("krkopt", str(path), DATA)
    assert (found["compared"], found["different"]) == (28_056, 2)
    path.write_text("\n".join([*rows, "a,1,b,3,c,1,draw"]) + "\n")
    assert figures.compare("krkopt", str(path), DATA)["different"] == 1


def test_a_difference_is_counted_and_printed(tmp_path, capsys):
    statistics = json.loads((THEIRS / "dtz_hist.json").read_text())
    statistics["materials"] = {"KRK": statistics["materials"]["KRK"]}
    ours = statistics["materials"]["KRK"]["white_to_move"]
    ours["win"]["31"] += 1
    path = tmp_path / "statistics.json"
    path.write_text(json.dumps(statistics))
    found = figures.compare("by-ply", str(path), DATA)
    assert found["different"] == 1
    assert "KRK: white_to_move 31: we count " in found["first"]
    printed = capsys.readouterr().out.replace(f"1 of {found['compared']} differ: ", "")
    assert found["first"] in printed
    five = {"win": 1, "cursed_win": 0, "draw": 0, "cursed_loss": 0, "loss": 0}
    sides = dict.fromkeys(comparisons.SIDES.values(), five)
    path.write_text(json.dumps({"materials": {"KNK": sides}}))
    assert figures.compare("results", str(path), DATA)["different"] == 4


def test_results_without_the_rule(tmp_path):
    """Those of a file of distances to zeroing are the sums of its histograms."""
    histograms = json.loads((THEIRS / "dtz_hist.json").read_text())["materials"]
    chosen = {name: sides for name, sides in histograms.items() if (DATA / f"{name}.h5").exists()}
    statistics = {
        name: {
            side: {
                "win": sum(sides[side]["win"].values()),
                "cursed_win": 0,
                "draw": sides[side]["draws"],
                "loss": sum(sides[side]["loss"].values()),
            }
            for side in comparisons.SIDES.values()
        }
        for name, sides in chosen.items()
    }
    path = tmp_path / "statistics.json"
    path.write_text(json.dumps({"materials": statistics}))
    found = figures.compare("results-6men", str(path), DATA)
    assert (found["compared"], found["different"]) == (6 * len(chosen), 0)
    first = next(iter(statistics.values()))["white_to_move"]
    first["win"] += 1
    first["cursed_win"] -= 2
    path.write_text(json.dumps({"materials": statistics}))
    assert figures.compare("results-6men", str(path), DATA)["different"] == 1


@pytest.mark.parametrize(
    ("name", "source", "column"),
    [
        ("chesstb-positions", "probe_dtm.csv", "dtm_plies"),
        ("syzygy-suite", "syzygy_suite.csv", "dtz"),
        ("syzygy-suite", "syzygy_suite.csv", "wdl"),
    ],
)
def test_a_wrong_number_of_a_position_is_found(name, source, column, tmp_path):
    with (THEIRS / source).open(newline="") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    row = next(
        one for one in rows if len([s for s in one["fen"].split()[0] if s.isalpha()]) == 3
        and one[column] not in {"", "0", "1", "-1"}
    )  # fmt: skip
    row[column] = str(-int(row[column]))
    path = tmp_path / "rows.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, row)
        writer.writeheader()
        writer.writerow(row)
    assert figures.compare(name, str(path), DATA)["different"] == 1


def test_longest_mates_of_prophet(tmp_path):
    path = tmp_path / "mates.csv"
    path.write_text(
        "id,numpos,bytes,fen,dtm,line\nKK,462,44,,,\nKNK,26282,45,,,\n"
        "KRK,27036,5228,7K/8/8/8/8/8/2k5/1R6 w - - ,31,b1a1 c2d3\n"
        "KQK,1,1,7K/8/8/8/8/8/2k5/1R6 w - - ,31,\n"
    )
    found = figures.compare("prophet-mates", str(path), DATA)
    assert (found["parts"], found["compared"], found["different"]) == (2, 4, 1)
    assert "KQK: longest: we count 19, they 31" in found["first"]


def test_a_program_of_others_is_asked(tmp_path, monkeypatch):
    (tmp_path / "liar.py").write_text(
        "import tablebase\n"
        "def liar(folder):\n"
        "    tables = tablebase.open_tablebase(folder)\n"
        "    class Liar:\n"
        "        def probe_dtm(self, board):\n"
        "            return tables.probe_dtm(board) + (board.turn and 'R' in board.fen())\n"
        "    return Liar()\n"
    )
    monkeypatch.setattr(comparisons, "EXAMPLES", tmp_path)
    found = list(comparisons.asked("liar.py:liar", 12)(str(DATA), DATA))
    assert [one.name for one in found if one.different] == ["KRK", "KRNK"]
    assert len(found) == 7
    assert all(one.compared == 12 + ("R" in one.name) for one in found)  # one may castle


def test_the_command_keeps_what_it_compared(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(measurement, "RESULTS", tmp_path)
    for name, source in (
        ("krkopt", "none"),
        ("gaviota-suite", f"{THEIRS}/python_chess_gaviota.csv"),
    ):
        monkeypatch.setattr(sys, "argv", ["figures.py", "--compare", name, source, "--save"])
        assert figures.main() == 0
    kept = measurement.load("ledger")["results"]
    assert kept.keys() == {"krkopt", "gaviota-suite"}
    monkeypatch.setattr(sys, "argv", ["figures.py", "--compare", "syzygy", str(tmp_path), "--save"])
    with pytest.raises(SystemExit):
        figures.main()
    assert "nothing to compare with in" in capsys.readouterr().err
    assert measurement.load("ledger")["results"] == kept
