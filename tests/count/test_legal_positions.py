"""Legal positions of chess by formula: against enumeration, python-chess, tables and NULP."""

import json
from functools import cache
from itertools import product
from pathlib import Path

import chess
import pytest
from support.few import few, slow, thorough

from tablebase.core.board.geometry import Color
from tablebase.core.ground.errors import InvalidMaterialError
from tablebase.core.rules.material import Material, all_materials
from tablebase.count.counting import count_all, count_positions
from tablebase.count.enumeration import enumerate_positions
from tablebase.count.legal_positions import _sums, positions_with_rights

DATA = Path(__file__).parents[1] / "data"
NULP = json.loads((DATA / "nulp.json").read_text())
LEGAL_COUNTS = json.loads((DATA / "legal_counts.json").read_text())["counts"]
WITH_PAWNS = json.loads((DATA / "legal_with_pawns.json").read_text())["counts"]
FEW = {"KRKN", "KPKP"}
MEN = few(range(2, 9), 2, 3, 4)
# By the laws of chess: found by this program, up to five men equal to python-chess, see below.
EN_PASSANT_BY_LAW = {2: 0, 3: 0, 4: 21_183, 5: 9_706_088}
BOTH_BY_LAW = {2: 0, 3: 0, 4: 0, 5: 2_466}


@pytest.mark.thorough
@pytest.mark.parametrize(
    "material",
    [*all_materials(2), *all_materials(3), *few(all_materials(4), *map(Material.from_name, FEW))],
    ids=str,
)
def test_formula_equals_enumeration(material):
    by_formula, by_enumeration = count_positions(material), enumerate_positions(material)
    for key, value in by_enumeration.as_dict().items():
        if key != "agrees":
            assert by_formula.as_dict()[key] == value


@pytest.mark.parametrize(
    "name", [thorough(name) if name == "KPKP" else name for name in LEGAL_COUNTS]
)
def test_legal_positions_are_those_of_another_generator(name):
    counts = count_positions(Material.from_name(name))
    for key, number in LEGAL_COUNTS[name].items():
        found = counts.all_placements if key == "placements" else getattr(counts, key)
        assert found.placements == number


@pytest.mark.parametrize("men", MEN)
def test_all_materials_together_are_those_of_nulp(men):
    totals = count_all(men, as_nulp=True)
    assert sum(totals.values()) == NULP["totals"][str(men)]
    rights = NULP["with_castling_rights"].get(str(men))
    if rights is not None:
        assert totals["castling"] + totals["both"] == rights
    by_law = count_all(men)
    assert by_law["no_right"] == totals["no_right"]
    assert by_law["castling"] == totals["castling"]
    if men in EN_PASSANT_BY_LAW:
        found = by_law["en_passant"], by_law["both"]
        assert found == (EN_PASSANT_BY_LAW[men], BOTH_BY_LAW[men])
    else:
        assert 0 < by_law["en_passant"] < totals["en_passant"]
        assert 0 < by_law["both"] < totals["both"]


@pytest.mark.slow
def test_sums_are_far_from_overflow():
    """With the most men that are counted; numbers of a material are integers of Python."""
    for kinds in product((False, True), repeat=3):
        castling, passing, as_nulp = kinds
        sums = _sums(6, castling=castling, en_passant=passing, as_nulp=as_nulp)
        assert max(int(abs(one._signs).max()) for one in sums.values()) < 2**40


# By python-chess, a position at a time


def boards_of(white, black, fixed=()):
    """Yield boards with the kings and some men anywhere, each of them of another kind."""
    men = [chess.Piece.from_symbol(one) for one in f"K{white}k{black.lower()}"]
    assert len(set(men)) == len(men)
    fixed = dict(fixed)
    moving = [man for man in men if man not in fixed.values()]

    def place(board, left):
        if not left:
            yield board
            return
        pawn = left[0].piece_type == chess.PAWN
        for square in range(8, 56) if pawn else range(64):
            if board.piece_type_at(square) is None:
                board.set_piece_at(square, left[0])
                yield from place(board, left[1:])
                board.remove_piece_at(square)

    board = chess.Board(None)
    for square, man in fixed.items():
        board.set_piece_at(square, man)
    yield from place(board, moving)


def is_legal(board):
    """Return whether the kings are apart, and the side not to move is not in check."""
    kings = board.king(chess.WHITE), board.king(chess.BLACK)
    return chess.square_distance(*kings) > 1 and not board.was_into_check()


def has_castling(board, rights):
    """Return whether kings and rooks stand where rights are."""
    board.castling_rights = rights
    return board.clean_castling_rights() == rights


ALL_RIGHTS = [
    chess.BB_A1 * a1 | chess.BB_H1 * h1 | chess.BB_A8 * a8 | chess.BB_H8 * h8
    for a1, h1, a8, h8 in product((0, 1), repeat=4)
][1:]


@pytest.mark.thorough
@pytest.mark.parametrize(("white", "black"), [slow("R", ""), ("", "R")])
def test_castling_rights_one_by_one(white, black):
    found = {chess.WHITE: 0, chess.BLACK: 0}
    for board in boards_of(white, black):
        for rights in ALL_RIGHTS:
            if has_castling(board, rights):
                for board.turn in chess.COLORS:
                    found[board.turn] += is_legal(board)
    counts = count_positions(Material.from_name(f"K{white}K{black}"))
    for turn, side in ((chess.WHITE, Color.WHITE), (chess.BLACK, Color.BLACK)):
        assert counts.rights["castling", side].placements == found[turn] > 0


def may_capture(board):
    """Return whether the laws allow an en passant capture with White to move, and the position.

    The squares behind the pawn are empty, and before the double step White was not in check.
    """
    pawn = board.ep_square - 8
    behind = board.piece_type_at(board.ep_square), board.piece_type_at(board.ep_square + 8)
    if any(behind) or not is_legal(board) or not board.has_legal_en_passant():
        return False
    before = board.copy(stack=False)
    before.set_piece_at(pawn + 16, before.remove_piece_at(pawn))
    before.ep_square = None
    return not before.is_check()


def captures_one_by_one(white, black, files):
    """Return how many positions have an en passant capture by White, Black's pawn on some files."""
    found = 0
    for file in files:
        passing = chess.square(file, 4)
        for beside in (passing - 1, passing + 1):
            if chess.square_rank(beside) != 4:
                continue
            pawns = {passing: chess.Piece.from_symbol("p"), beside: chess.Piece.from_symbol("P")}
            for board in boards_of(white, black, pawns):
                board.turn, board.ep_square = chess.WHITE, passing + 8
                found += may_capture(board)
    return found


def test_en_passant_one_by_one():
    found = captures_one_by_one("P", "P", range(4))
    counts = count_positions(Material.from_name("KPKP"))
    assert counts.totals["en_passant"] == found == EN_PASSANT_BY_LAW[4]
    assert counts.rights["en_passant", Color.WHITE].placements == 2 * found


def captures_with_another_man(man):
    """Return how many positions of five men have an en passant capture by White, by python-chess.

    Where the other man is a pawn that may capture as well, a position is met twice.
    """
    single, double = 0, set()
    for file, step in product(range(4), (-1, 1)):
        passing, beside = chess.square(file, 4), chess.square(file, 4) + step
        if chess.square_rank(beside) != 4:
            continue
        pawns = {passing: chess.Piece.from_symbol("p"), beside: chess.Piece.from_symbol("P")}
        for board in boards_of("P", "P", pawns):
            board.turn, board.ep_square = chess.WHITE, passing + 8
            for square in range(8, 56) if man.piece_type == chess.PAWN else range(64):
                if board.piece_type_at(square) is None:
                    board.set_piece_at(square, man)
                    if may_capture(board):
                        if man == pawns[beside] and square == passing - step:
                            double.add((board.board_fen(), passing))
                        else:
                            single += 1
                    board.remove_piece_at(square)
    return single + len(double)


@pytest.mark.slow
@pytest.mark.parametrize("man", "QRBNPqrbnp")
def test_en_passant_of_five_men_one_by_one(man):
    name = f"KP{man}KP" if man.isupper() else f"KPKP{man}"
    material = Material.from_name(name)
    by_formula = positions_with_rights(material, Color.WHITE, castling=False, en_passant=True)
    assert by_formula == captures_with_another_man(chess.Piece.from_symbol(man)) > 0


@pytest.mark.parametrize("name", few(WITH_PAWNS, *(one for one in WITH_PAWNS if len(one) < 5)))
def test_legal_positions_with_pawns_are_those_of_syzygy(name):
    counts = count_positions(Material.from_name(name))
    white, black = WITH_PAWNS[name]
    assert counts.legal_white_to_move.placements == white
    assert black is None or counts.legal_black_to_move.placements == black


def test_more_than_eight_men_are_refused():
    with pytest.raises(InvalidMaterialError, match=r"KQRBNPKQPP has 10 pieces: .* up to 8"):
        count_positions(Material.from_name("KQRBNPKQPP"))


@pytest.mark.slow
def test_a_material_of_eight_men_has_exact_numbers():
    counts = count_positions(Material.from_name("KQRBKNPP"))
    every = counts.all_placements
    assert every.placements % 2 == 0
    assert every.inequivalent == every.placements // 2
    swapped = count_positions(Material.from_name("KNPPKQRB"))
    assert swapped.legal_white_to_move == counts.legal_black_to_move
    assert swapped.totals == counts.totals
    assert counts.totals["castling"] > 0
    assert counts.totals["en_passant"] == counts.totals["both"] == 0


@cache
def json_of(name):
    return count_positions(Material.from_name(name)).as_dict()


def test_figures_are_json():
    counts = json_of("KRKP")
    assert json.loads(json.dumps(counts)) == counts
    assert counts["agrees"] is None
    assert counts["castling"]["white_to_move"] == {"positions": 4620, "inequivalent": 4620}
    assert list(counts["totals"]) == ["no_right", "castling", "en_passant", "both"]
