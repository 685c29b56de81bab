"""Syzygy files of atomic chess: ours read by python-chess, and what a damaged one is called."""

import random
from contextlib import suppress
from itertools import product

import chess
import chess.syzygy
import chess.variant
import numpy as np
import pytest
from support.few import few, slow
from support.variants import ATOMIC, material_board

from tablebase import open_tablebase
from tablebase.audit.prober_positions import choose_positions
from tablebase.cli.program import main
from tablebase.core.building.generator import generate
from tablebase.core.ground.errors import CorruptTableError, InvalidRulesError
from tablebase.core.index.numbering import table_index
from tablebase.core.outcomes.metrics import DTM, DTZ
from tablebase.core.rules.material import Material, all_materials
from tablebase.core.rules.rule_files import built_in_rules
from tablebase.export.syzygy_audit import audit_syzygy
from tablebase.export.syzygy_games import syzygy_names
from tablebase.export.syzygy_reading import read_syzygy
from tablebase.export.syzygy_writing import write_syzygy

THREE = ("KBK", "KNK", "KQK", "KRK", "KPK")
FOUR = [one.name for one in all_materials(4, ATOMIC) if one.piece_count == 4]
BOARD = chess.variant.AtomicBoard
REFUSED = "only for chess, atomic, antichess and suicide, not for makruk"


def named(name):
    return Material.from_name(name, ATOMIC)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """Return a folder of our tables: of three men, and of two bishops."""
    folder = tmp_path_factory.mktemp("source")
    generate([named("KPK"), named("KBBK")], folder, metrics=(DTM, DTZ))
    return folder


@pytest.fixture(scope="module")
def exported(source, tmp_path_factory):
    """Return the folder of their Syzygy files."""
    folder = tmp_path_factory.mktemp("exported")
    for name in (*THREE, "KBBK"):
        written = write_syzygy(named(name), [source], folder)
        assert [one.path.name for one in written] == syzygy_names(named(name))
    return folder


def boards_of(name, count):
    """Return positions of a material, half of them with captures, checks and the like."""
    rng = np.random.default_rng([1, *name.encode()])
    return (one.board for one in choose_positions(Material.from_name(name), count, rng, BOARD))


def passing_boards():
    """Return positions with a capture en passant on d6, but where it would explode both kings.

    There python-chess's reader calls it a draw, though it is no legal move.
    """
    for white, black in product(chess.SQUARES, repeat=2):
        taken = {white, black, chess.E5, chess.D5, chess.D6, chess.D7}
        board = BOARD(None)
        if len(taken) < 6 or max(chess.square_distance(at, chess.D6) for at in (white, black)) < 2:
            continue
        for at, man in ((white, "K"), (black, "k"), (chess.E5, "P"), (chess.D5, "p")):
            board.set_piece_at(at, chess.Piece.from_symbol(man))
        board.ep_square = chess.D6
        if not board.was_into_check():
            yield board


def every_board(name):
    """Return all legal positions of a material, one of each set of symmetric ones."""
    index = table_index(named(name))
    squares, valid = index.decode_many(np.arange(index.size))
    for row in squares[valid].tolist():
        for turn in chess.COLORS:
            board = material_board(index.material, row, turn)
            if not board.was_into_check():
                yield board


def assert_same_values(files, tables, boards):
    """Compare python-chess's values with ours; return how many wins, draws and losses it had."""
    found = dict.fromkeys((2, 0, -2), 0)
    with (
        chess.syzygy.open_tablebase(files, VariantBoard=BOARD) as others,
        open_tablebase(tables, rules=ATOMIC) as ours,
    ):
        for board in boards:
            result = others.probe_wdl(board)
            assert result == ours.probe_wdl50(board), board.fen()
            assert others.probe_dtz(board) == ours.probe_dtz(board), board.fen()
            found[result] += 1
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("name", [*few(THREE, "KQK", "KPK"), "KBBK"])
def test_python_chess_reads_our_files(exported, source, name):
    found = assert_same_values(exported, source, boards_of(name, 60))
    assert sum(found.values()) > 40
    assert found[2] or name not in {"KQK", "KPK"}  # others seldom win or never


@pytest.mark.slow
@pytest.mark.parametrize("name", THREE)
def test_python_chess_reads_every_position_of_three_men(exported, source, name):
    found = assert_same_values(exported, source, every_board(name))
    assert sum(found.values()) > 50_000


@pytest.mark.slow
def test_python_chess_reads_all_files_of_four_men(tmp_path, capsys):
    tables, files = tmp_path / "tables", tmp_path / "files"
    wanted = [*map(named, THREE), *map(named, FOUR)]  # captures take two, so none needs three men
    generate(wanted, tables, metrics=(DTM, DTZ))
    assert main(["export", "--syzygy", str(files), "--rules", "atomic", "--dir", str(tables)]) == 0
    assert len(list(files.iterdir())) == 70
    assert main(["audit", "--syzygy", str(files), "--rules", "atomic", "--dir", str(tables)]) == 0
    for name in FOUR:
        found = assert_same_values(files, tables, boards_of(name, 200))
        assert sum(found.values()) > 150, name
    assert len(FOUR) == 30
    assert sum(assert_same_values(files, tables, passing_boards()).values()) > 3000
    capsys.readouterr()
    options = ["--rules", "atomic", "--dir", str(tables), "--sample", "40"]
    assert main(["find", "KRKP", "--result", "blessed_loss", *options]) == 0
    late = [BOARD(fen) for fen in capsys.readouterr().out.splitlines() if fen]
    with (
        chess.syzygy.open_tablebase(files, VariantBoard=BOARD) as others,
        open_tablebase(tables, rules=ATOMIC) as ours,
    ):
        for board in late:
            assert others.probe_wdl(board) == ours.probe_wdl50(board) == -1
            # Files round the distances of results that the 50-move rule changes.
            assert 0 <= others.probe_dtz(board) - ours.probe_dtz(board) <= 1
    assert len(late) == 40


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["KQK", "KPK", "KBBK"])
def test_our_audit_passes_our_files(exported, source, name):
    for file in syzygy_names(named(name)):
        assert audit_syzygy(exported / file, [source]).passed


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["KQvK.atbz", slow("KPvK.atbw")])
def test_a_damaged_file_is_named_in_a_line(exported, source, tmp_path, capsys, name):
    whole = (exported / name).read_bytes()
    path, draw = tmp_path / name, random.Random(name)
    for data in (b"", whole[:5], whole[:-1], whole + bytes(64), b"\0" + whole[1:]):
        path.write_bytes(data)
        with pytest.raises(CorruptTableError, match=f"{name} is damaged: .*make it again"):
            audit_syzygy(path, [source])
    for place in draw.choices(range(len(whole) - 16), k=60):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with suppress(CorruptTableError):
            assert list(read_syzygy(path))
    path.write_bytes(whole[:-1])
    options = ["--rules", "atomic", "--syzygy", str(tmp_path), "--dir", str(source)]
    assert main(["audit", *options]) == 2
    (line,) = [one for one in capsys.readouterr().err.splitlines() if "damaged" in one]
    assert str(path) in line


def test_a_file_of_chess_under_the_name_of_one_of_atomic(folders_by_metric, source, tmp_path):
    """Its suffix tells the game, and the first bytes have to fit."""
    chess_files = write_syzygy(Material.from_name("KQK"), [folders_by_metric["both"]], tmp_path)
    for one in chess_files:
        path = one.path.rename(one.path.with_suffix(one.path.suffix.replace("rtb", "atb")))
        with pytest.raises(CorruptTableError, match="it does not begin as such files do"):
            audit_syzygy(path, [source])


@pytest.mark.thorough
def test_wrong_values_are_named_with_a_position_of_atomic(exported, source, tmp_path):
    data = bytearray((exported / "KQvK.atbw").read_bytes())
    draw, first = random.Random(3), None
    path = tmp_path / "KQvK.atbw"
    while first is None:
        place = draw.randrange(64, len(data) - 16)
        path.write_bytes(bytes([*data[:place], data[place] ^ 255, *data[place + 1 :]]))
        with suppress(CorruptTableError):
            first = audit_syzygy(path, [source]).first
    assert BOARD(first.fen).is_valid()
    assert first.found != first.expected


def test_other_games_have_no_files(source, tmp_path, capsys):
    makruk = built_in_rules()["makruk"]
    with pytest.raises(InvalidRulesError, match=REFUSED):
        syzygy_names(Material.from_name("KRK", makruk))
    for arguments, message in (
        (["export", "--syzygy", "--rules", "makruk"], REFUSED),
        (["audit", "--syzygy", "--rules", "makruk"], REFUSED),
        (["export", "--gaviota", "--rules", "atomic"], "only for chess, not for atomic: write"),
        (["audit", "--gaviota", "--rules", "atomic"], "only for chess, not for atomic: leave"),
    ):
        command, form, *rules = arguments
        assert main([command, form, str(tmp_path), *rules, "--dir", str(source)]) == 2
        assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.thorough
def test_an_audit_that_finds_files_of_another_game_says_so(exported, source, capsys):
    assert main(["audit", "--syzygy", str(exported), "--dir", str(source)]) == 2
    message = "there are no .rtbw or .rtbz files in {}, but some of atomic: write --rules atomic"
    assert message.format(exported) in capsys.readouterr().err


@pytest.mark.thorough
def test_readers_of_a_file_need_what_explosions_leave(source, tmp_path, capsys):
    arguments = ["--syzygy", str(tmp_path), "--rules", "atomic", "--dir", str(source)]
    assert main(["export", "KPK", "--only", *arguments]) == 0
    line = capsys.readouterr().err.splitlines()[-1]
    rest = f"--syzygy {tmp_path} --rules atomic --dir {source}"
    assert line.endswith(f"add them with `tablebase export KBK KNK KQK KRK {rest}`")
