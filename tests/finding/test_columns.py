"""Columns beside the values: orbits, splits, and moves that keep the result."""

import os
from pathlib import Path

import chess
import numpy as np
import pytest
from support.commands import run
from support.few import few

from tablebase.core.answers.opening import open_tablebase
from tablebase.core.building.generator import generate
from tablebase.core.ground.errors import InvalidRulesError, MissingTableError
from tablebase.core.rules.material import Material
from tablebase.core.rules.rule_files import built_in_rules
from tablebase.finding.dataset import TableData, load_table
from tablebase.finding.find import find
from tablebase.finding.move_columns import lists_of, move_texts, moves_kept
from tablebase.finding.orbit_keys import SPLITS, orbit, splits
from tablebase.finding.parquet import write_parquet
from tablebase.finding.positions import Positions

DATA = Path(__file__).parents[2] / "data"
ALL = ("orbit", "split", "best")


def texts(positions: Positions, name: str) -> list[list[str]]:
    return lists_of(*move_texts(positions.material.rules, getattr(positions, name)))


def best_by_probing(tablebase, board):
    """The moves that keep the result, and the best of them, by the moves of python-chess."""
    moves = []
    for move in board.legal_moves:
        board.push(move)
        # To be mated is 0 plies, as a draw is.
        result = -1 if board.is_checkmate() else int(tablebase.probe_wdl(board))
        moves.append((-result, abs(tablebase.probe_dtm(board)), move.uci()))
        board.pop()
    most = max((result for result, *_ in moves), default=0)
    kept = [(plies, text) for result, plies, text in moves if result == most]
    plies = [plies for plies, _ in kept]
    aim = 0 if not kept else min(plies) if most > 0 else max(plies)
    return {text for _, text in kept}, {text for plies, text in kept if plies == aim}


def check_moves(tablebase, positions):
    for one, keeping, fastest in zip(
        positions, *(texts(positions, name) for name in ("keeping", "fastest")), strict=True
    ):
        assert len({*keeping}) == len(keeping)
        assert ({*keeping}, {*fastest}) == best_by_probing(tablebase, one.board()), one


@pytest.mark.parametrize("name", few(["KK", "KRK", "KPK", "KRNK"], "KK"))
@pytest.mark.parametrize("images", few(["canonical", "all"], "canonical"))
def test_moves_are_those_of_python_chess(name, images):
    positions = load_table(name, DATA).positions(images=images, columns=["best"])
    step = 1 if len(positions) < 200_000 else len(positions) // 40_000
    with open_tablebase(DATA) as tablebase:
        check_moves(tablebase, positions[::step])


@pytest.mark.thorough
@pytest.mark.parametrize("name", few(["KRK", "KPK", "KPKP", "KQKR", "KNNK"], "KPKP", "KPK"))
@pytest.mark.parametrize("images", few(["canonical", "all"], "all"))
def test_moves_of_a_sample_are_those_of_python_chess(tables_dir, name, images):
    positions = find(name, tables_dir, sample=100, images=images, columns=["best"])
    with open_tablebase(tables_dir) as tablebase:
        check_moves(tablebase, positions)


def test_moves_that_only_move_finds_are_alone():
    data = load_table("KPK", DATA)
    turn, columns = chess.WHITE, ["best"]
    every = data.positions(turn=turn, columns=columns)
    only = find("KPK", DATA, turn=turn, only_move=True, columns=columns)
    alone = (every.keeping != 0xFFFF).sum(axis=1) == 1
    assert (every[alone].squares == only.squares).all()
    assert only.keeping.shape[1] >= 1
    assert (only.keeping[:, 0] == every[alone].keeping[:, 0]).all()


def test_moves_come_in_order_and_the_fastest_are_among_those_that_keep():
    positions = load_table("KRK", DATA).positions(images="all", columns=["best"])
    for codes in (positions.keeping, positions.fastest):
        assert (np.diff(codes.astype(np.int64), axis=1) >= 0).all()
    drawn = positions[positions.wdl == 0]
    assert texts(drawn, "keeping") == texts(drawn, "fastest")
    some = positions[:: len(positions) // 500]
    for keeping, fastest in zip(texts(some, "keeping"), texts(some, "fastest"), strict=True):
        assert {*fastest} <= {*keeping}
        squares = [(chess.parse_square(one[:2]), chess.parse_square(one[2:4])) for one in keeping]
        assert squares == sorted(squares)


def test_orbits_and_splits_are_those_of_each_position():
    positions = load_table("KPK", DATA).positions(images="all", columns=ALL, split_seed=7)
    assert (positions.split == splits(positions.orbit, 7)).all()
    for one in range(0, len(positions), len(positions) // 20):
        assert orbit(positions[one].board()) == int(positions.orbit[one])
    parts = [{*positions.orbit[positions.split == part].tolist()} for part in range(3)]
    assert sum(map(len, parts)) == len(set.union(*parts)) == 165_676
    assert all(parts)
    alone = load_table("KPK", DATA).positions(columns=["split"])
    assert alone.orbit is None
    assert alone.metadata() | {"split_seed": "7"} == positions.metadata()
    assert positions.metadata()["orbit_definition"] == "orbit-1"


def test_columns_are_only_there_if_they_are_asked_for():
    data = load_table("KRK", DATA)
    plain = data.positions()
    assert (plain.orbit, plain.split, plain.keeping, plain.fastest) == (None,) * 4
    assert not {"orbit_definition", "split_seed"} & {*plain.metadata()}
    names = ["orbit", "split", "keeping", "fastest"]
    assert list(data.positions(columns=ALL).to_numpy()) == [*plain.to_numpy(), *names]
    assert list(data.positions(columns="orbit").to_numpy()) == [*plain.to_numpy(), "orbit"]
    with pytest.raises(ValueError, match="columns is one of orbit, split, best, help, not 'moves'"):
        data.positions(columns=["moves"])
    with pytest.raises(ValueError, match="columns is one of orbit, split, best, help, not 'moves'"):
        find("KRK", DATA, columns=["moves"])


def test_parts_of_different_width_are_joined(monkeypatch):
    monkeypatch.setattr("tablebase.finding.dataset._BLOCK", 10_000)
    data = load_table("KRK", DATA)
    blocks = list(data.iter_blocks(columns=ALL))
    assert len({block.keeping.shape[1] for block in blocks}) > 1
    monkeypatch.undo()
    whole, joined = data.positions(columns=ALL), Positions.joined(blocks)
    for name, column in whole.to_numpy().items():
        assert (joined.to_numpy()[name] == column).all(), name
    chosen = data.positions(lambda some: some.wdl == 1, columns=ALL)
    assert texts(chosen, "fastest") == texts(whole[whole.wdl == 1], "fastest")
    assert not len(whole[:0].to_numpy()["keeping"])


def test_parquet_files_have_the_columns(tmp_path):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    positions = load_table("KPK", DATA).positions(columns=ALL)[::50]
    path = tmp_path / "KPK.parquet"
    write_parquet(path, [positions[:1000], positions[1000:]])
    frame = positions.to_dataframe()
    assert set(frame["split"]) == {"train", "valid", "test"}
    moves = {name: texts(positions, name) for name in ("keeping", "fastest")}
    by_polars, by_pandas = polars.read_parquet(path), pandas.read_parquet(path)
    for name, expected in moves.items():
        assert frame[name].tolist() == expected
        assert by_polars[name].to_list() == expected
        assert [list(one) for one in by_pandas[name]] == expected
        assert positions.to_arrow()[name].to_pylist() == expected
    for read in (by_polars, by_pandas):
        assert (read["orbit"].to_numpy() == positions.orbit).all()
        assert list(read["split"]) == frame["split"].tolist()
    assert polars.read_parquet_metadata(path)["split_seed"] == "0"


def test_nothing_found_has_the_columns_all_the_same(tmp_path):
    pytest.importorskip("pyarrow")
    none = find("KRK", DATA, zugzwang="any", columns=ALL)
    assert not len(none)
    assert none.to_arrow().column_names[-4:] == ["orbit", "split", "keeping", "fastest"]
    assert write_parquet(tmp_path / "none.parquet", [none]) == 0


def test_moves_need_the_sub_tables(tmp_path):
    (tmp_path / "KPK.h5").write_bytes((DATA / "KPK.h5").read_bytes())
    data = load_table("KPK", tmp_path)
    assert len(data.positions(columns=["orbit"]))
    for read in (data, TableData(data.table)):
        with pytest.raises(MissingTableError) as error:
            read.positions(columns=["best"])
        assert error.value.materials == ("KBK", "KNK", "KQK", "KRK")


def test_moves_of_another_game_have_its_letters(tmp_path):
    rules = built_in_rules()["shatranj"]
    generate([Material.from_name("KPK", rules)], tmp_path)
    positions = load_table(Material.from_name("KPK", rules), tmp_path).positions(columns=["best"])
    promoting = [any(len(move) == 5 for move in one) for one in texts(positions, "keeping")]
    some = positions[np.flatnonzero(promoting)[::100]]
    assert len(some) > 20
    letter = rules.letter_of(rules.promotions[0]).lower()
    for one, keeping in zip(some, texts(some, "keeping"), strict=True):
        moves = {move.uci() for move in one.setup().moves()}
        assert {*keeping} <= moves
        assert any(move[4:] == letter for move in keeping)


def test_too_many_promotions_are_refused():
    class Many:
        name, promotions = "many", range(16)

    material = type("Any", (), {"rules": Many})
    with pytest.raises(InvalidRulesError, match="leave the column best out"):
        moves_kept(material, None, *[np.zeros(0, np.int64)] * 3)


def test_export_of_the_columns(tmp_path, capsys):
    polars = pytest.importorskip("polars")
    path, folder = tmp_path / "KRK.parquet", os.fspath(DATA)
    options = ["--parquet", os.fspath(path), "--dir", folder, "--columns", "split", "best"]
    assert run(capsys, "export", "KRK", *options, "--split-seed", "3")[0] == 0
    read = polars.read_parquet(path)
    positions = load_table("KRK", DATA).positions(columns=ALL, split_seed=3)
    assert read.columns[-3:] == ["split", "keeping", "fastest"]
    assert read["fastest"].to_list() == texts(positions, "fastest")
    assert read["split"].to_list() == [SPLITS[part] for part in positions.split]
    found = ["find", "KRK", "--force", "--result", "win", "--longest"]
    assert run(capsys, *found, *options)[0] == 0
    longest = positions[positions.dtm == 31]
    assert polars.read_parquet(path)["keeping"].to_list() == texts(longest, "keeping")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--parquet", "x", "--columns", "orbit", "moves"], "choose from"),
        (["--columns", "best"], "--parquet: other formats have fixed contents"),
        (["--parquet", "x", "--columns", "split", "--split-seed", "-1"], "--split-seed"),
        (["--parquet", "x", "--columns", "best"], "tablebase build KBK KNK KQK KRK --dir"),
    ],
)
@pytest.mark.parametrize("command", ["export", "find"])
def test_what_columns_cannot_be_is_refused(
    tmp_path, monkeypatch, capsys, command, arguments, message
):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "tables"
    folder.mkdir()
    (folder / "KPK.h5").write_bytes((DATA / "KPK.h5").read_bytes())
    if command == "export" and "--parquet" not in arguments:
        arguments = ["--syzygy", "x", *arguments]
    try:
        code, _, err = run(capsys, command, "KPK", *arguments, "--dir", os.fspath(folder))
    except SystemExit as end:
        code, err = end.code, capsys.readouterr().err
    assert code == 2
    assert message in err
    assert [one.name for one in tmp_path.iterdir()] == ["tables"]
