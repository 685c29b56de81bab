"""The commands that write and compare files of other programs."""

import json
import re
import sys
from pathlib import Path

import chess.syzygy
import pytest

from tablebase.cli.program import main
from tablebase.core.ground.words import counted
from tablebase.core.outcomes.metrics import DTM
from tablebase.core.storage.reading import open_table
from tablebase.export.syzygy_reading import EXACT_LOSSES, EXACT_WINS, read_syzygy
from tablebase.finding.data_card import card_path
from tablebase.finding.dataset import load_table


@pytest.fixture
def tables(folders_by_metric):
    return str(folders_by_metric["both"])


def run(capsys, *arguments):
    """Return the exit code, and what was printed to the output and as errors."""
    code = main([str(argument) for argument in arguments])
    return code, *capsys.readouterr()


def test_export_and_audit_of_both_formats(tables, tmp_path, capsys):
    for option, files in (("--syzygy", ["KRvK.rtbw", "KRvK.rtbz"]), ("--gaviota", ["krk.gtb.cp4"])):
        folder = tmp_path / option[2:] / "new"
        code, out, err = run(capsys, "export", "KRK", option, folder, "--dir", tables)
        assert code == 0, err
        assert sorted(path.name for path in folder.iterdir()) == files
        assert all(name in out for name in files)
        assert f"{counted(len(files), 'file')} " in out
        code, out, _ = run(capsys, "audit", option, folder, "--dir", tables)
        assert code == 0
        assert out.count(": OK, ") == out.count(", 0 differences") == len(files)


@pytest.mark.thorough
def test_export_of_all_tables_goes_on_where_it_stopped(tables, tmp_path, capsys):
    assert run(capsys, "export", "KRK", "--syzygy", tmp_path, "--dir", tables)[0] == 0
    before = (tmp_path / "KRvK.rtbz").stat().st_mtime_ns
    leftover = tmp_path / ".KPvK.rtbw.0123456789abcdef.partial"
    leftover.touch()
    (tmp_path / "KPvK.rtbw").write_bytes(b"one of two files alone")
    code, out, _ = run(capsys, "export", "--syzygy", tmp_path, "--dir", tables)
    assert code == 0
    assert out.count("exists") == 2
    assert (tmp_path / "KRvK.rtbz").stat().st_mtime_ns == before
    assert not leftover.exists()
    assert len(list(tmp_path.iterdir())) == 10
    with chess.syzygy.open_tablebase(tmp_path) as others:
        assert others.probe_dtz(chess.Board("8/8/8/1k6/8/8/K5P1/8 w - - 0 1")) == 19
    assert run(capsys, "export", "KRK", "--syzygy", tmp_path, "--dir", tables, "--force")[0] == 0
    assert (tmp_path / "KRvK.rtbz").stat().st_mtime_ns > before


@pytest.mark.thorough
def test_files_say_whether_distances_are_rounded(tables, tmp_path, capsys):
    for folder, options in (("exact", ()), ("rounded", ("--rounded",))):
        target = tmp_path / folder
        assert run(capsys, "export", "KPK", "--syzygy", target, "--dir", tables, *options)[0] == 0
        flags = {
            part.flags & (EXACT_WINS | EXACT_LOSSES) for part in read_syzygy(target / "KPvK.rtbz")
        }
        assert flags == ({0} if options else {EXACT_WINS | EXACT_LOSSES})
        assert run(capsys, "audit", "--syzygy", target, "--dir", tables)[0] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["export", "KRK"], "one of the arguments --syzygy --gaviota --parquet is required"),
        (
            ["export", "KK", "--syzygy", "x"],
            "bare kings have no file in these formats: leave KK out",
        ),
        (["export", "KRK", "--gaviota", "x", "--rounded"], "--rounded needs --syzygy"),
        (["export", "KQKR", "--syzygy", "x"], "no table of KQKR in {tables}: build it with"),
        (["export", "KRRRK", "--gaviota", "x"], "no table of KRRRK in"),
        (["export", "KRK", "--parquet", "x", "--only"], "--only needs --syzygy or --gaviota"),
        (
            ["export", "KRRRRK", "--syzygy", "x"],
            "KRRRRK has 6 pieces: these formats hold up to 5, leave it out",
        ),
        (["export", "KZK", "--syzygy", "x"], "unknown material"),
        (["audit", "--syzygy", "missing"], "there is no folder missing"),
        (["audit", "--gaviota", "."], "there are no .gtb.cp4 files in ."),
        (["audit", "KRK", "--syzygy", "."], "there is no file KRvK.rtbw"),
    ],
)
def test_what_cannot_be_done(tables, tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    try:
        code, _, err = run(capsys, *arguments, "--dir", tables)
    except SystemExit as error:
        code, err = error.code, capsys.readouterr().err
    assert code == 2
    assert message.format(tables=tables) in err
    assert not list(tmp_path.glob("*/*"))


def times_in(folder):
    return {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("form", "own", "others"),
    [
        (
            "--syzygy",
            ["KPvK.rtbw", "KPvK.rtbz"],
            [f"K{letter}vK.rtb{kind}" for letter in "BNQR" for kind in "wz"],
        ),
        ("--gaviota", ["kpk.gtb.cp4"], [f"k{letter}k.gtb.cp4" for letter in "bnqr"]),
    ],
)
def test_export_adds_the_subtables_that_readers_need(tables, tmp_path, capsys, form, own, others):
    target = tmp_path / "files"
    arguments = ["export", "KPK", form, target, "--dir", tables]
    code, _, err = run(capsys, *arguments, "--only")
    assert code == 0
    assert sorted(times_in(target)) == own
    line = f"readers of these files also need KBK KNK KQK KRK, which {target} lacks: add them with "
    remedy = f"tablebase export KBK KNK KQK KRK {form} {target} --dir {tables}"
    assert err.endswith(f"{line}`{remedy}`\n")
    code, _, err = run(capsys, "audit", form, target, "--dir", tables)
    assert code == 0
    assert f"{line}`{remedy}`\n" == err
    before = times_in(target)
    code, out, err = run(capsys, *arguments)
    assert code == 0
    assert "readers" not in err
    assert out.count("exists") == len(own)
    after = times_in(target)
    assert sorted(after) == sorted([*own, *others])
    assert {name: after[name] for name in own} == before
    code, out, _ = run(capsys, *arguments, "--force")  # overwrites what is named
    assert code == 0
    assert out.count("exists") == len(others)
    forced = times_in(target)
    assert {name for name in forced if forced[name] != after[name]} == set(own)
    code, out, err = run(capsys, "audit", form, target, "--dir", tables)
    assert (code, err) == (0, "")
    # Bishops and knights never win, so files of their distances have nothing to compare.
    assert out.count(": OK, ") + out.count(": NOT CHECKED") == len([*own, *others])


def test_a_subtable_without_a_table_of_ours(tables, tmp_path, capsys):
    some, target = tmp_path / "some", tmp_path / "files"
    some.mkdir()
    for name in ("KPK", "KBK", "KNK", "KQK"):
        (some / f"{name}.h5").symlink_to(f"{tables}/{name}.h5")
    line = f"no table of KRK, which KPK needs, in {some}: build it with "
    remedy = f"tablebase build KRK --dir {some}"
    written = {"--syzygy": ["kb", "kn", "kq"], "--gaviota": ["kb", "kn", "kp", "kq"]}
    for form, names in written.items():
        code, _, err = run(capsys, "export", "KPK", form, target / form, "--dir", some)
        assert code == 2
        complaints = [one for one in err.splitlines() if one.startswith("tablebase: ")]
        assert complaints == [f"tablebase: {line}`{remedy}`"]
        found = {name[:2].lower() for name in times_in(target / form)}
        assert sorted(found) == names
    assert "no table of KRK, which KPK needs" in refusal(
        capsys, "export", "KPK", "--syzygy", target / "only", "--only", "--dir", some
    )


def test_one_that_cannot_be_written_does_not_stop_the_others(tables, tmp_path, capsys):
    code, out, err = run(capsys, "export", "KQKR", "KRK", "--syzygy", tmp_path, "--dir", tables)
    assert code == 2
    assert "KRvK.rtbz" in out
    assert "no table of KQKR" in err


def test_an_audit_without_tables_is_one_line_with_a_remedy(tmp_path, capsys):
    for name in ("KRvK.rtbw", "KRvK.rtbz", "KQvK.rtbw", "KQvK.rtbz"):
        (tmp_path / name).touch()
    message = refusal(capsys, "audit", "--syzygy", tmp_path, "--dir", tmp_path)
    assert f"no tables of KQK KRK in {tmp_path}" in message
    assert f"build them with `tablebase build KQK KRK --dir {tmp_path}`" in message


def test_an_audit_of_no_value_is_no_success(tables, tmp_path, capsys):
    """Of a material that is always drawn, readers use no distance to zeroing."""
    assert run(capsys, "export", "KBK", "--syzygy", tmp_path, "--dir", tables)[0] == 0
    code, out, _ = run(capsys, "audit", "KBK", "--syzygy", tmp_path, "--dir", tables)
    assert code == 0
    assert "KBvK.rtbz: NOT CHECKED, it has no value to compare, 0 differences" in out
    assert "KBvK.rtbw: OK, " in out
    (tmp_path / "KBvK.rtbw").unlink()
    code, out, err = run(capsys, "audit", "--syzygy", tmp_path, "--dir", tables)
    assert (code, "OK" in out) == (2, False)
    assert "no value of KBvK.rtbz can be compared" in err
    code, out, _ = run(capsys, "audit", "--syzygy", tmp_path, "--dir", tables, "--json")
    (found,) = json.loads(out)
    assert (code, found["passed"], found["compared"]) == (2, None, 0)


def test_an_audit_tells_damaged_from_different(tables, tmp_path, capsys):
    assert run(capsys, "export", "KRK", "KQK", "--gaviota", tmp_path, "--dir", tables)[0] == 0
    rook, queen = tmp_path / "krk.gtb.cp4", tmp_path / "kqk.gtb.cp4"
    rook.write_bytes(queen.read_bytes())  # every value can be read, and many are wrong
    code, out, _ = run(capsys, "audit", "--gaviota", tmp_path, "--dir", tables)
    assert code == 1
    assert "krk.gtb.cp4: WRONG, " in out
    assert "the file says " in out
    queen.write_bytes(queen.read_bytes()[:-1])
    code, out, err = run(capsys, "audit", "--gaviota", tmp_path, "--dir", tables, "--json")
    assert code == 1
    found = {one["path"]: one for one in json.loads(out)}
    assert "damaged" in found[str(queen)]["problem"]
    assert "damaged" in err
    first = found[str(rook)]["first"]
    assert chess.Board(first["fen"]).is_valid()
    assert first["found"] != first["expected"]
    rook.unlink()
    assert run(capsys, "audit", "--gaviota", tmp_path, "--dir", tables)[0] == 2


def test_export_of_a_table_as_parquet(tables, tmp_path, capsys):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "new" / "KRK.parquet"
    arguments = ["export", "kkr", "--parquet", path, "--dir", tables]
    code, _, message = run(capsys, *arguments)
    assert code == 0
    assert f"{path}: 50,015 positions, " in message
    table = parquet.read_table(path)
    assert set(table["material"].to_pylist()) == {"KRK"}
    first = load_table("KRK", tables).positions()[0]
    names = [table[man][0].as_py() for man in ("white_king", "black_king", "white_rook")]
    assert names == [chess.square_name(square) for square in first.squares]
    assert "exists: overwrite it with --force" in refusal(capsys, *arguments)
    assert (
        run(capsys, *arguments, "--force", "--images", "all", "--fen", "--squares=number")[0] == 0
    )
    assert parquet.read_metadata(path).num_rows == 399_112
    assert "fen" in parquet.read_schema(path).names
    assert str(parquet.read_schema(path).field("white_king").type) == "uint8"


def test_a_data_card_says_what_the_columns_are(tables, tmp_path, capsys):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "KRK.parquet"
    export = ["export", "KRK", "--parquet", path, "--dir", tables, "--fen"]
    assert run(capsys, *export, "--columns", "orbit", "split", "best")[0] == 0
    card = card_path(path).read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \| (.+) \|$", card, re.MULTILINE)
    assert [name for name, *_ in rows] == parquet.read_schema(path).names
    told = {name: (kind, meaning) for name, kind, meaning in rows}
    assert told["white_rook"] == ("string", "square of the white rook")
    assert told["dtm"][0] == "int16"
    assert told["fastest"][0] == "list of string"
    unknown = [name for name, _, meaning in rows if meaning.startswith("square of ")]
    assert unknown == ["white_king", "black_king", "white_rook"]
    with open_table(Path(tables) / "KRK.h5") as file:
        assert f"| `sha256` | {file.sha256_of(DTM)} |" in card
    assert "50,015 positions" in card
    path.unlink()
    assert f"{card_path(path)} exists" in refusal(capsys, *export)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["KRK", "KPK", "--parquet", "x"], "run the command once for each material"),
        (["--parquet", "x"], "run the command once for each material"),
        (["KQKR", "--parquet", "x"], "tablebase build KQKR"),
        (["KRK", "--syzygy", "x", "--fen"], "need --parquet"),
        (["KRK", "--syzygy", "x", "--squares", "number"], "need --parquet"),
        (["KRK", "--parquet", "x", "--rounded"], "needs --syzygy"),
    ],
)
def test_what_parquet_cannot_be_is_refused(
    tables, tmp_path, capsys, monkeypatch, arguments, message
):
    monkeypatch.chdir(tmp_path)
    assert message in refusal(capsys, "export", *arguments, "--dir", tables)
    assert not list(tmp_path.iterdir())


def test_parquet_says_what_to_install(tables, tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    path = tmp_path / "KRK.parquet"
    assert "pip install pyarrow" in refusal(
        capsys, "export", "KRK", "--parquet", path, "--dir", tables
    )


def refusal(capsys, *arguments):
    code, _, message = run(capsys, *arguments)
    assert (code, message.count("\n")) == (2, 1)
    return message
