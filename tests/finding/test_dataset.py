"""Whole tables as data: the right positions, each with the value that probing gives."""

import os
import re
import sys
from dataclasses import replace
from pathlib import Path

import chess
import chess.svg
import numpy as np
import pytest
from support.slow_search import images_of, keys_of

from tablebase import __version__, find
from tablebase.core.answers.opening import open_tablebase
from tablebase.core.ground.errors import InvalidMaterialError, MissingTableError
from tablebase.core.outcomes.codes import Wdl
from tablebase.core.outcomes.metrics import Wdl50
from tablebase.core.positions.chess_board import board_of
from tablebase.core.rules.material import Material
from tablebase.core.rules.rule_files import built_in_rules
from tablebase.core.storage.reading import open_table
from tablebase.core.tables.table import Table
from tablebase.finding.conditions import Conditions
from tablebase.finding.dataset import TableData, load_table
from tablebase.finding.find import iter_found
from tablebase.finding.parquet import write_parquet
from tablebase.finding.positions import SQUARE_CHOICES, man_names
from tablebase.finding.scan import Search

ROOT = Path(__file__).parents[2]

# Black to move by depth in moves, draws as None: the UCI Machine Learning Repository's "krkopt".
KRKOPT = {None: 2796, 0: 27, 1: 78, 2: 246, 3: 81, 4: 198, 5: 471, 6: 592, 7: 683, 8: 1433}
KRKOPT |= {9: 1712, 10: 1985, 11: 2854, 12: 3597, 13: 4194, 14: 4553, 15: 2166, 16: 390}


def test_krkopt(tables_dir):
    positions = load_table("krk", tables_dir).positions(turn=chess.BLACK)
    assert len(positions) == 28056
    found = {None: int((positions.wdl == Wdl.DRAW).sum())}
    lost = -positions.dtm[positions.wdl == Wdl.LOSS] // 2
    found |= dict(enumerate(np.bincount(lost).tolist()))
    assert found == KRKOPT


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["KPK", "KRK", "KNNK", "KQKQ"])
def test_values_are_those_of_probing(tables_dir, name):
    data = load_table(name, tables_dir)
    positions = data.positions()
    with open_tablebase(tables_dir) as tablebase:
        arguments = positions.squares, data.material, positions.white_to_move
        plies, valid = tablebase.probe_dtm_many(*arguments)
        assert valid.all()
        assert (plies == positions.dtm).all()
        assert (tablebase.probe_wdl_many(*arguments)[0] == positions.wdl).all()


@pytest.mark.parametrize("metric", ["dtm", "both"])
def test_columns_of_the_fifty_move_rule(folders_by_metric, metric):
    folder = folders_by_metric[metric]
    data = load_table("KPK", folder)
    positions = data.positions()
    if metric == "dtm":
        assert positions.dtz is None
        assert positions[0].wdl50 is None
        assert "dtz" not in positions.to_numpy()
        return
    arguments = positions.squares, data.material, positions.white_to_move
    with open_tablebase(folder) as tablebase:
        assert (tablebase.probe_dtz_many(*arguments)[0] == positions.dtz).all()
        assert (tablebase.probe_wdl50_many(*arguments)[0] == positions.wdl50).all()
        one = positions[positions.dtz == 19][0]
        assert (one.dtz, one.wdl50) == (19, Wdl50.WIN)
        assert tablebase.probe_dtz(one.board()) == 19
    assert list(positions.to_numpy())[-4:] == ["dtm", "wdl", "dtz", "wdl50"]


def test_distances_to_mate_are_needed(folders_by_metric):
    with pytest.raises(MissingTableError, match="tablebase build --metric dtm KPK"):
        load_table("KPK", folders_by_metric["dtz"])


def test_positions_are_legal_and_can_be_chosen(tables_dir):
    data = load_table("KPK", tables_dir)
    longest = data.positions(lambda some: some.dtm == some.dtm.max(), turn=chess.WHITE)
    assert set(longest.dtm.tolist()) == {55}
    for position in longest:
        assert position.board().is_valid()
        assert (position.dtm, position.wdl) == (55, Wdl.WIN)


@pytest.mark.parametrize("turn", chess.COLORS)
def test_boards_of_positions_have_their_values(tables_dir, turn):
    positions = load_table("KRKN", tables_dir).positions(turn=turn)
    some = positions.where(np.arange(len(positions)) % 20_000 == 0)
    assert len(some) > 20
    with open_tablebase(tables_dir) as tablebase:
        for position in some:
            board = position.board()
            assert board == board_of(position.material, position.squares, turn)
            assert (tablebase.probe_dtm(board), board.turn) == (position.dtm, turn)


def test_positions_one_by_one_are_the_same(tables_dir):
    data = load_table("KBK", tables_dir)
    assert list(data.iter_positions()) == list(data.positions())
    black = list(data.iter_positions(turn=chess.BLACK))
    assert black
    assert not any(position.white_to_move for position in black)


def test_columns(tables_dir):
    columns = load_table("KNNK", tables_dir).positions(turn=chess.WHITE).to_numpy()
    assert list(columns) == ["white_to_move", *man_names(Material.from_name("KNNK")), "dtm", "wdl"]
    assert len({len(column) for column in columns.values()}) == 1


def test_data_frames(tables_dir):
    pandas = pytest.importorskip("pandas")
    positions = load_table("KRK", tables_dir).positions(turn=chess.BLACK)
    frame = positions.to_dataframe()
    assert list(frame.columns) == ["material", *positions.to_numpy()]
    assert set(frame["material"]) == {"KRK"}
    assert len(frame) == 28056
    triangle = {"a1", "b1", "c1", "d1", "b2", "c2", "d2", "c3", "d3", "d4"}
    assert set(frame["white_king"]) == triangle
    first = frame.iloc[0]
    for column, man in zip(["white_king", "black_king", "white_rook"], (0, 1, 2), strict=True):
        assert first[column] == chess.square_name(positions.squares[0, man])
    assert (frame["dtm"].to_numpy() == positions.dtm).all()
    assert frame.dtypes[["white_to_move", "dtm", "wdl"]].tolist() == [bool, np.int16, np.int8]
    mates = frame[(frame["wdl"] == Wdl.LOSS) & (frame["dtm"] == 0)]
    assert len(mates) == KRKOPT[0]
    assert isinstance(frame["white_rook"].dtype, pandas.CategoricalDtype)
    assert frame["white_rook"].cat.codes.tolist() == positions.squares[:, 2].tolist()
    numbers = positions.to_dataframe(squares="number")
    assert (numbers["white_rook"].to_numpy() == positions.squares[:, 2]).all()
    with pytest.raises(ValueError, match="squares is one of name, number, not 'both'"):
        positions.to_dataframe(squares="both")


def test_data_frames_say_what_they_need(tables_dir, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    positions = load_table("KBK", tables_dir).positions()
    with pytest.raises(ImportError, match=r"pip install pandas$"):
        positions.to_dataframe()


def test_positions_are_chosen_side_by_side(tables_dir):
    data = load_table("KQK", tables_dir)
    everything = data.positions()
    chosen = data.positions(lambda some: some.dtm > 10)
    by_hand = everything.where(everything.dtm > 10)
    for ours, theirs in zip(chosen.to_numpy().values(), by_hand.to_numpy().values(), strict=True):
        assert (ours == theirs).all()
    assert len(chosen)
    assert chosen.white_to_move.all()
    assert not len(data.positions(lambda some: some.dtm > 100))


def test_tables_that_are_not_there(tmp_path):
    with pytest.raises(MissingTableError, match=r"tablebase build KRNK --dir"):
        load_table("KKNR", tmp_path)
    with pytest.raises(InvalidMaterialError):
        load_table("KXK", tmp_path)


def test_positions_are_a_sequence():
    positions = load_table("KRK", ROOT / "data").positions()
    assert positions[0] == next(iter(positions))
    assert positions[-1] == list(positions)[-1]
    assert positions[np.int64(3)].board().is_valid()
    assert len(positions[:5]) == 5
    assert list(positions[10:14:2]) == [positions[10], positions[12]]
    longest = positions[positions.dtm == 31]
    assert {one.dtm for one in longest} == {31}
    assert list(positions[np.array([7, 3])]) == [positions[7], positions[3]]
    with pytest.raises(IndexError):
        positions[len(positions)]
    with pytest.raises(TypeError):
        positions["KRK"]


def test_tables_are_found_where_tablebases_are(monkeypatch, tmp_path):
    monkeypatch.setenv("TABLEBASE_PATH", os.pathsep.join((str(tmp_path), str(ROOT / "data"))))
    assert load_table("KRK").material.name == "KRK"
    with pytest.raises(MissingTableError, match="build KQKR`") as raised:
        load_table("krkq")
    assert raised.value.materials == ("KQKR",)


@pytest.mark.parametrize("name", ["KRK", "KPK", "KNNK"])
def test_fens_are_those_of_the_boards(name):
    positions = load_table(name, "data").positions()[::997]
    assert positions.fens() == [position.board().fen() for position in positions]
    assert positions[:0].fens() == []


def numbers_of(positions):
    """Return a number for each position, the same only for the same position."""
    squares = positions.squares.astype(np.int64)
    start = 2
    for _, _, count in positions.material.groups:
        squares[:, start : start + count] = np.sort(squares[:, start : start + count], axis=1)
        start += count
    return positions.white_to_move + 2 * squares @ 64 ** np.arange(start)


@pytest.mark.parametrize("name", ["KRK", "KPK", "KK", pytest.param("KNNK", marks=pytest.mark.slow)])
def test_all_images_are_as_many_as_the_file_counts(name):
    data = load_table(name, ROOT / "data")
    with open_table(ROOT / "data" / f"{name}.h5") as file:
        counts = file.counts
    every = data.positions(images="all")
    for color, side in ((True, "white_to_move"), (False, "black_to_move")):
        results = every.wdl[every.white_to_move == color]
        stored = counts[side] or counts["white_to_move"]
        assert [(results == one).sum() for one in (1, 0, -1)] == [
            stored[one] for one in ("win", "draw", "loss")
        ]
    assert len(np.unique(numbers_of(every))) == len(every)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["KRK", "KPK"])
def test_all_images_are_those_of_the_canonical_positions(name):
    data = load_table(name, ROOT / "data")
    canonical, every = (data.positions(images=images) for images in ("canonical", "all"))
    images = [
        np.column_stack((image[canonical.squares], canonical.white_to_move, canonical.dtm))
        for image in images_of(data.material)
    ]
    rows = np.column_stack((every.squares, every.white_to_move, every.dtm))
    assert np.array_equal(np.unique(rows, axis=0), np.unique(np.concatenate(images), axis=0))
    # Side by side, so that some rows of all images are positions with all of theirs.
    keys = keys_of(data.material, every.squares)
    assert (keys[1:] != keys[:-1]).sum() + 1 == len(canonical)


def test_blocks_are_the_positions_in_parts(monkeypatch):
    monkeypatch.setattr("tablebase.finding.scan.SLOTS_PER_STEP", 1000)
    data = load_table("KPK", ROOT / "data")
    seen = []
    blocks = list(data.iter_blocks(images="all", progress=lambda done, of: seen.append((done, of))))
    assert len(blocks) > 10
    assert max(map(len, blocks)) <= 2 * 3612
    assert seen == sorted(seen)  # of both sides to move together
    assert seen[0][1] == seen[-1][1] == seen[-1][0]
    whole = data.positions(images="all")
    assert (np.concatenate([block.squares for block in blocks]) == whole.squares).all()
    with pytest.raises(ValueError, match="images is one of canonical, all, not 'both'"):
        data.positions(images="both")


def test_distances_of_two_bytes():
    material = Material.from_name("KNK")
    size = Table(material, *(np.full(462 * 64, 255, np.uint8) for _ in range(2))).index.size
    codes = np.random.default_rng(2).integers(0, 700, size).astype(np.uint16)
    search = Search(Table(material, codes, codes), None, Conditions(turn=True))
    for found in search.matches():
        positions = search.positions_of(found)
        plies = np.where(found.plies < 0, 0, found.plies)
        assert (np.abs(positions.dtm) == plies).all()
        assert positions.dtm.max() > 500
        assert (np.sign(positions.dtm) == positions.wdl)[positions.dtm != 0].all()


@pytest.mark.parametrize("squares", ["name", "number"])
def test_parquet(folders_by_metric, tmp_path, monkeypatch, squares):
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr("tablebase.finding.parquet.ROWS_PER_GROUP", 50_000)
    monkeypatch.setattr("tablebase.finding.scan.SLOTS_PER_STEP", 10_000)
    data = load_table("KPK", folders_by_metric["both"])
    path = tmp_path / "KPK.parquet"
    positions, fens = data.positions(images="all"), squares == "name"
    rows = write_parquet(path, data.iter_blocks(images="all"), squares=squares, fens=fens)
    assert rows == len(positions)
    assert [one.name for one in tmp_path.iterdir()] == ["KPK.parquet"]
    file = parquet.ParquetFile(path)
    assert file.num_row_groups == 331_352 // 50_000
    read = file.read()
    assert read.column_names == ["material", *positions.to_numpy(), *["fen"] * fens]
    assert read["material"].unique().to_pylist() == ["KPK"]
    if fens:
        assert read["fen"].to_pylist() == positions.fens()
    men = man_names(data.material)
    for name, column in positions.to_numpy().items():
        if fens and name in men:  # the names' order is that of the numbers
            codes = np.concatenate([part.indices.to_numpy() for part in read[name].chunks])
            assert (codes == column).all()
            assert read[name].chunk(0).dictionary.to_pylist() == chess.SQUARE_NAMES
        else:
            assert (read[name].to_numpy() == column).all()
            assert str(read.schema.field(name).type) == str(column.dtype)
    arrow = positions.to_arrow(squares=squares, fens=fens)
    assert arrow.schema.metadata == read.schema.metadata
    assert arrow.column_names == read.column_names
    assert arrow.slice(0, 500).to_pylist() == read.slice(0, 500).to_pylist()


def digests_of(*names):
    """Return the SHA-256 of values that the list of the repository states, by table."""
    lines = (ROOT / "data" / "SHA256SUMS").read_text().splitlines()
    listed = {name: digest for digest, name in map(str.split, lines)}
    return [listed[name] for name in names]


def test_files_and_frames_state_where_their_values_come_from(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    data = load_table("KPK", ROOT / "data")
    mate, zeroing = digests_of("KPK", "KPK.dtz")
    stated = {
        "generator_version": __version__,
        "rules_name": "chess",
        "material": "KPK",
        "metrics": "dtm dtz",
        "sha256": mate,
        "dtz_sha256": zeroing,
    }
    whole, found = tmp_path / "KPK.parquet", tmp_path / "found.parquet"
    write_parquet(whole, data.iter_blocks())
    blocks = iter_found(data.material, [ROOT / "data"], Conditions(zugzwang="any"))
    assert write_parquet(found, blocks) > 0
    for path in (whole, found):
        read = {k.decode(): v.decode() for k, v in parquet.read_schema(path).metadata.items()}
        assert read == stated
        polars = pytest.importorskip("polars")
        by_polars = polars.read_parquet_metadata(path)
        assert {name: by_polars[name] for name in stated} == stated
    positions = data.positions()
    for some in (positions, positions[:5], positions.where(positions.wdl > 0)):
        assert some.metadata() == stated
    pytest.importorskip("pandas")
    assert positions.to_dataframe().attrs == stated


def test_values_without_a_file_state_no_digest():
    data = load_table("KRK", ROOT / "data")
    table = replace(data.table, sha256="")
    stated = TableData(table).positions().metadata()
    assert stated["metrics"] == "dtm"
    assert not any("sha256" in name for name in stated)


def test_data_frames_and_parquet_files_are_alike(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    positions = load_table("KRK", ROOT / "data").positions()
    path = tmp_path / "KRK.parquet"
    for squares in SQUARE_CHOICES:
        write_parquet(path, [positions], squares=squares)
        frame = positions.to_dataframe(squares=squares)
        read = pandas.read_parquet(path)
        assert read.dtypes.equals(frame.dtypes)
        assert read.equals(frame)


def test_data_are_shown_in_few_words(folders_by_metric):
    data = load_table("KPK", folders_by_metric["both"])
    assert repr(data) == "<TableData: KPK with dtm and dtz>"
    assert repr(load_table("KPK", folders_by_metric["dtm"])) == "<TableData: KPK with dtm>"
    assert repr(data.positions()) == "<Positions: 165,676 of KPK>"


def test_a_parquet_file_is_complete_or_absent(tmp_path):
    pytest.importorskip("pyarrow")
    blocks = load_table("KRK", ROOT / "data").iter_blocks()

    def stopped():
        yield next(blocks)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_parquet(tmp_path / "KRK.parquet", stopped())
    assert not list(tmp_path.iterdir())


def test_arrow_says_what_it_needs(monkeypatch, tmp_path):
    positions = load_table("KK", ROOT / "data").positions()
    for name in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r"pip install pyarrow$"):
        positions.to_arrow()
    with pytest.raises(ImportError, match=r"pip install pyarrow$"):
        write_parquet(tmp_path / "KK.parquet", [positions])


@pytest.mark.parametrize("name", ["PvP", "KvP"])
def test_distances_of_games_without_kings_are_those_of_probes(antichess_dir, name):
    """Files count the turn of who has won as a ply; data and conditions do not."""
    rules = built_in_rules()["antichess"]
    material = Material.from_name(name, rules)
    found = load_table(material, antichess_dir).positions()
    with open_tablebase(antichess_dir, rules=rules) as tables:
        fens = found.fens()
        assert found.dtm.tolist() == tables.probe_dtm_many(fens)[0].tolist()
        assert found.dtz.tolist() == tables.probe_dtz_many(fens)[0].tolist()
        assert found.wdl50.tolist() == tables.probe_wdl50_many(fens)[0].tolist()
    assert {one.dtm for one in find(material, antichess_dir, plies=4)} == {4}
    longest = {abs(one.dtm) for one in find(material, antichess_dir, longest=True)}
    assert longest == {int(abs(found.dtm).max())}


def test_found_positions_are_boards_with_words():
    found = find("KPK", ROOT / "data", turn=True, result="win", only_move=True, longest=True)
    html = found[0]._repr_html_()
    assert chess.svg.board(found[0].board(), size=240) in html
    assert "White to move. White wins: mate in 28 moves (55 plies)" in html
    assert found._repr_html_().startswith("3 positions of KPK")
    some = find("KPK", ROOT / "data", turn=True, result="win", limit=9)
    assert some._repr_html_().count("<svg") == 4


def test_a_whole_table_is_its_counts():
    html = load_table("KPK", ROOT / "data")._repr_html_()
    assert re.findall(r"<th[^>]*>([^<]*)", html) == [
        "KPK",
        "win",
        "draw",
        "loss",
        "longest win in plies",
    ]
    white, black = ["124,960", "38,368", "0", "55"], ["0", "70,420", "97,604", ""]
    assert re.findall(r"<td[^>]*>([^<]*)", html) == [
        "White to move",
        *white,
        "Black to move",
        *black,
    ]
