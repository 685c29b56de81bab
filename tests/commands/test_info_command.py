"""Tables side by side: ``tablebase info --sort`` and ``--csv``."""

import csv
import io
import json
import re
import shutil
from pathlib import Path

import pytest
from support.commands import refusal, run

from tablebase.cli.commands.info import COLUMNS


def output(capsys, *arguments):
    code, printed, _ = run(capsys, "info", *arguments)
    assert code == 0
    return printed


def test_tables_sorted_by_a_number(capsys):
    rows = json.loads(output(capsys, "--json", "--sort", "positions"))
    counts = [row["positions"] for row in rows]
    assert counts == sorted(counts, reverse=True)
    by_name = {row["material"]: row for row in rows}
    assert len(by_name) == 8
    assert by_name["KRK"]["positions"] == 50_015
    assert by_name["KRK"]["longest_white_plies"] == 31
    assert by_name["KRK"]["zugzwangs"] is None
    size = Path("data/KRK.h5").stat().st_size
    printed = output(capsys, "--sort", "material")
    assert re.search(rf"KRK +50,015 .+ 16 +never +{size:,}", printed)
    assert re.findall(r"^ (K\w+) ", printed, re.MULTILINE) == [
        "KK", "KBK", "KNK", "KPK", "KQK", "KRK", "KNNK", "KRNK"
    ]  # fmt: skip


def test_named_tables_are_compared(capsys):
    rows = json.loads(output(capsys, "KRK", "data/KPK.h5", "--sort", "positions", "--json"))
    assert [row["material"] for row in rows] == ["KPK", "KRK"]
    (row,) = json.loads(output(capsys, "KRK", "--sort", "men", "--json"))
    assert row["men"] == 3


def test_the_numbers_of_each_metric(capsys, folders_by_metric):
    found = {}
    for metric, folder in folders_by_metric.items():
        rows = json.loads(output(capsys, "--sort", "material", "--json", "--dir", str(folder)))
        found[metric] = {row["material"]: row for row in rows}["KPK"]
        del found[metric]["bytes"]
    both = found["both"]
    assert both["longest_white_plies"] == 55
    assert both["longest_white_dtz"] == 19
    assert both["white_cursed"] == both["black_cursed"] == 0
    nothing = dict.fromkeys(("white_cursed", "black_cursed"))
    dtz = dict.fromkeys(("longest_white_dtz", "longest_black_dtz"))
    dtm = dict.fromkeys(("longest_white_plies", "longest_black_plies"))
    assert found["dtm"] == both | nothing | dtz
    assert found["dtz"] == both | dtm
    text = output(capsys, "--sort", "longest_white_dtz", "--dir", str(folders_by_metric["both"]))
    assert "White DTZ" in text
    assert "cursed" not in text
    assert text.index("KRK ") < text.index("KPK ") < text.index("KK ")
    text = output(capsys, "--sort", "white_cursed", "--dir", str(folders_by_metric["dtm"]))
    assert "?" in text


def test_what_a_file_lacks_is_one_line(capsys, folders_by_metric):
    message = refusal(capsys, "info", "--sort", "zugzwangs", "--dir", str(folders_by_metric["dtz"]))
    assert "tablebase build --metric dtm " in message


def test_csv(capsys):
    rows = list(csv.DictReader(io.StringIO(output(capsys, "--csv", "--sort", "zugzwangs"))))
    assert list(rows[0]) == list(COLUMNS)
    assert (rows[0]["material"], rows[0]["zugzwangs"]) == ("KPK", "80")
    rows = list(csv.DictReader(io.StringIO(output(capsys, "--csv"))))
    assert {row["zugzwangs"] for row in rows} == {""}
    assert rows[0]["material"] == "KK"


def test_sums_are_not_sorted(capsys):
    assert "leave --sort out" in refusal(capsys, "info", "--sums", "--sort", "men")


def test_a_damaged_table_hides_no_other(capsys, tmp_path):
    for name in ("KK", "KRK"):
        shutil.copy(f"data/{name}.h5", tmp_path)
    (tmp_path / "KRK.h5").write_bytes(b"no table")
    code, printed, errors = run(capsys, "info", "--sort", "men", "--dir", str(tmp_path))
    assert code == 2
    assert "KK " in printed
    assert errors.count("\n") == 1
    assert "KRK.h5" in errors
    (tmp_path / "KK.h5").unlink()
    code, printed, errors = run(capsys, "info", "--sort", "men", "--dir", str(tmp_path))
    assert (code, printed, errors.count("\n")) == (2, "", 1)


@pytest.mark.parametrize("name", ["stats", "play"])
def test_there_is_no_such_command(capsys, name):
    with pytest.raises(SystemExit) as stopped:
        run(capsys, name)
    assert stopped.value.code == 2
    assert capsys.readouterr().err.startswith(f"tablebase: no command '{name}': ")
