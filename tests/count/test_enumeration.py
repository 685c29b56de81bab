"""Enumeration: against an independent one, and the formula of placements against it."""

import json
from functools import cache
from itertools import combinations
from pathlib import Path

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.few import few, slow, thorough

from tablebase.core.board.geometry import PieceType
from tablebase.core.board.symmetry import (
    ALL_SYMMETRIES,
    ANTIDIAGONAL,
    D4,
    DIAGONAL,
    FLIP,
    HALF_TURN,
    IDENTITY,
)
from tablebase.core.ground.errors import InvalidMaterialError
from tablebase.core.rules.material import Material, all_materials
from tablebase.core.rules.rule_files import built_in_rules, parse_rules
from tablebase.core.rules.rules import CHESS
from tablebase.count.burnside import fixed_placements, king_pairs
from tablebase.count.enumeration import enumerate_positions

DATA = Path(__file__).parents[1] / "data"
MAKRUK = built_in_rules()["makruk"]
SYMMETRY_COUNTS = json.loads((DATA / "symmetry_counts.json").read_text())
THREE_MEN = [one.name for men in (2, 3) for one in all_materials(men)]
SETS = ("all_placements", "legal_white_to_move", "legal_black_to_move")

counted = cache(enumerate_positions)


def count(name):
    return counted(Material.from_name(name))


@pytest.mark.thorough
@pytest.mark.parametrize("name", SYMMETRY_COUNTS["counts"])
def test_counts_equal_an_independent_enumeration(name):
    counts = count(name).as_dict()
    for key in SETS:
        known = SYMMETRY_COUNTS["counts"][name][key]
        assert counts[key] | {"fixed": list(counts[key]["fixed"].values())} == known


@pytest.mark.thorough
@pytest.mark.parametrize("name", few([*THREE_MEN, "KPKP", "KRKR", "KNPK"], *THREE_MEN, "KPKP"))
def test_formula_and_enumeration_agree(name):
    counts = count(name)
    assert counts.agrees
    for key in SETS:
        found = getattr(counts, key)
        assert found.burnside == found.inequivalent


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KRRNK", "KBBKB", "KPPKP"])
def test_formula_and_enumeration_agree_with_five_men(name):
    counts = count(name)
    assert counts.agrees
    assert counts.legal_white_to_move.burnside == counts.legal_white_to_move.inequivalent
    assert counts.legal_black_to_move.burnside == counts.legal_black_to_move.inequivalent


@pytest.mark.thorough
def test_sharing_king_pairs_changes_nothing(monkeypatch):
    exhaustive = {name: count(name) for name in ("KK", "KRK", "KNNK", "KPK")}
    monkeypatch.setattr("tablebase.count.enumeration.MAX_EXHAUSTIVE_MEN", 0)
    for name, expected in exhaustive.items():
        assert enumerate_positions(Material.from_name(name)) == expected


@pytest.mark.parametrize(
    ("claim", "name"), [(claim, claim["db"]) for claim in SYMMETRY_COUNTS["paper_claims"]]
)
def test_the_papers_figures(claim, name):
    paper = 462 if name == "KK" else claim["claim"]
    assert (paper == count(name).burnside) == (claim["verdict"] == "right")


def test_where_the_paper_went_wrong():
    kings, diagonal = 3612, 42
    # KNNK: without double checks under the diagonals, with them under the identity.
    assert (6830292 + 2 * (diagonal * (15 + 28) - 112)) / 8 == 854210
    # KRNK: rook and knight anywhere, although the diagonal moves what is not on it.
    assert (kings * 62 * 61 + 2 * diagonal * 62 * 61) / 8 == 1747284
    # KPK: the pawn on any of 48 squares, even on a king.
    assert kings * 48 / 2 == 86688
    on_a_king = sum((8 <= king < 56) for pair in king_pairs(CHESS) for king in pair)
    assert (kings * 48 - on_a_king) / 2 == count("KPK").burnside == 84012


def test_double_checks_of_two_knights():
    """The placements that the paper left out of one term of KNNK only."""
    double, fixed = 0, 0
    for white, black in king_pairs(CHESS):
        attackers = set(chess.SquareSet(chess.BB_KNIGHT_ATTACKS[black])) - {white}
        pairs = list(combinations(attackers, 2))
        double += len(pairs)
        if transpose(white) == white and transpose(black) == black:
            fixed += sum({transpose(a), transpose(b)} == {a, b} for a, b in pairs)
    assert (double, fixed) == (44688, 112)


def test_double_checks_of_two_rooks_would_give_another_number():
    """The paper's heading has KRRK count like KNNK; by its own rule it does not."""
    fixed = 0
    for kings in king_pairs(CHESS):
        if any(transpose(king) != king for king in kings):
            continue
        for rooks in combinations(set(range(64)) - set(kings), 2):
            if {transpose(rook) for rook in rooks} == set(rooks):
                board = chess.BaseBoard(None)
                for square in rooks:
                    board.set_piece_at(square, chess.Piece(chess.ROOK, chess.WHITE))
                for square in kings:
                    board.set_piece_at(square, chess.Piece(chess.KING, chess.WHITE))
                fixed += (
                    len(board.attackers(chess.WHITE, kings[1]) & chess.SquareSet(board.rooks)) == 2
                )
    assert fixed == 294
    assert sum(fixed_placements(Material.from_name("KRRK"))) / 8 == 854238
    assert (6830292 + 2 * (1806 - fixed)) / 8 == 854164.5


def transpose(square):
    return chess.square(chess.square_rank(square), chess.square_file(square))


def test_only_identity_and_diagonals_fix_two_kings():
    for material in all_materials(4):
        fixed = fixed_placements(material)
        allowed = {IDENTITY, DIAGONAL, ANTIDIAGONAL} if not material.has_pawns else {IDENTITY}
        found = {symmetry for symmetry, number in enumerate(fixed[:8]) if number}
        assert material.is_symmetric or found <= allowed


def test_kings_with_colours_exchanged():
    """Of king pairs the exchange keeps those that a reflection or half turn takes to each other."""
    counts = count("KK")
    distances = [chess.square_distance(s, chess.square_mirror(s)) for s in range(64)]
    assert sum(distance > 1 for distance in distances) == 48
    assert counts.colours_exchanged.fixed == counts.formula_fixed
    assert counts.formula_fixed[8:] == (0, 48, 48, 60, 42, 0, 0, 42)
    assert counts.colours_exchanged.inequivalent == (3612 + 2 * 42 + 240) / 16 == 246


def test_king_pairs_with_colours_exchanged_one_by_one():
    """By python-chess: transform the board in 16 ways, keep one of equal ones."""
    triangle = {"a1", "b1", "c1", "d1", "b2", "c2", "d2", "c3", "d3", "d4"}
    classes = set()
    for kings in king_pairs(CHESS):
        if chess.square_name(kings[0]) not in triangle:  # one of the 16 images has it there
            continue
        board = chess.Board(None)
        for square, color in zip(kings, chess.COLORS, strict=True):
            board.set_piece_at(square, chess.Piece(chess.KING, color))
        images = set()
        for one in (board, board.mirror()):
            for flip in (None, chess.flip_diagonal, chess.flip_anti_diagonal, chess.flip_vertical):
                turned = one.transform(flip) if flip else one
                images |= {turned.board_fen(), turned.transform(chess.flip_horizontal).board_fen()}
        assert len(images) in {4, 8, 16}
        classes.add(min(images))
    assert len(classes) == 246


@pytest.mark.parametrize("name", ["KPKP", thorough("KRKR")])
def test_placements_kept_by_an_exchange_of_colours(name):
    """Each white man has its black like on the image of its square."""
    fixed = count(name).colours_exchanged.fixed
    squares = range(8, 56) if "P" in name else range(64)
    symmetries = (FLIP, HALF_TURN) if "P" in name else ALL_SYMMETRIES
    assert len(fixed) == 2 * len(symmetries)
    for symmetry, number in zip(symmetries, fixed[len(symmetries) :], strict=True):
        images, found = D4[symmetry].tolist(), 0
        for king in range(64):
            for man in squares:
                men = {king, man, images[king], images[man]}
                found += (
                    len(men) == 4
                    and images[images[king]] == king
                    and images[images[man]] == man
                    and chess.square_distance(king, images[king]) > 1
                )
        assert found == number


def test_colours_are_exchanged_only_between_equal_sides():
    assert count("KRK").colours_exchanged is None
    assert count("KRKN").colours_exchanged is None
    counts = count("KPKP")
    exchanged = counts.as_dict()["colours_exchanged"]
    assert list(exchanged["fixed"])[2:] == [
        "up-down, colours exchanged",
        "half turn, colours exchanged",
    ]
    # An exchange takes White's turn to Black's and so keeps no legal position.
    white, black = counts.legal_white_to_move, counts.legal_black_to_move
    assert white == black


@settings(max_examples=10)
@given(st.builds(Material, *2 * [st.lists(st.sampled_from(tuple(PieceType)[:-1]), max_size=3)]))
def test_burnside_gives_a_whole_number_for_any_material(material):
    fixed = fixed_placements(material)
    assert sum(fixed) % len(fixed) == 0
    assert fixed_placements(material.swapped()) == fixed


@pytest.mark.parametrize("name", few(["KPK", "KPKP", "KSPK"], "KPK"))
def test_pawns_that_promote_early(name):
    """By formula, one by one, and by their squares: ranks 2 to 5, and 7 to 4 of Black."""
    material = Material.from_name(name, MAKRUK)
    counts = enumerate_positions(material)
    assert counts.agrees
    allowed = {"K": range(64), "S": range(64), "P": range(8, 40), "p": range(24, 56)}
    white, black = name[1:].split("K")
    men = [*white, *black.lower()]
    found = 0
    for kings in king_pairs(CHESS):
        free = [set(allowed[man]) - set(kings) for man in men]
        both = len(free[0] & free[-1]) if len(men) == 2 else 0
        found += len(free[0]) * (len(free[-1]) if len(men) == 2 else 1) - both
    assert counts.all_placements.placements == found


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("game", "names"),
    [
        slow("makruk", ("KSPK",)),
        slow("makruk", ("KPKP",)),
        slow("gardner", ("KPKP", "KNNK", "KRKR")),
        slow("losalamos", ("KPKP", "KNKN")),
        ("kingofthehill", ("KPK", "KK")),
        ("walled", ("KNKN",)),
        ("lopsided", ("KXK",)),
        slow("lopsided", ("KXPK", "KXKX")),
    ],
)
def test_counts_are_those_of_tables_of_other_games(tmp_path, game, names):
    from tablebase.core.building.generator import generate
    from tablebase.core.storage.reading import open_table
    from tablebase.core.storage.table_names import table_path

    games = dict(built_in_rules()) | parse_rules(
        """
        [walled:chess]
        maxFile = f
        startFen = rnbqkr/pppppp/6/2**2/2**2/6/PPPPPP/RNBQKR w - - 0 1

        [lopsided:chess]
        customPiece1 = x:WfrBblB
        """
    )
    materials = [Material.from_name(name, games[game]) for name in names]
    generate(materials, tmp_path)
    for material in materials:
        counts = enumerate_positions(material)
        assert counts.agrees
        with open_table(table_path(tmp_path, material)) as file:
            for side in ("white_to_move", "black_to_move"):
                stored = file.counts[side]
                found = getattr(counts, f"legal_{side}")
                for counted, number in (
                    (stored["inequivalent"], found.inequivalent),
                    (stored, found.placements),
                ):
                    assert sum(counted[one] for one in ("win", "draw", "loss")) == number


def test_colours_swapped_swap_the_sides_to_move():
    counts, swapped = count("KRKN"), count("KNKR")
    assert counts.all_placements == swapped.all_placements
    assert counts.legal_white_to_move.placements == swapped.legal_black_to_move.placements
    assert counts.legal_black_to_move.placements == swapped.legal_white_to_move.placements


def test_figures_are_json():
    counts = count("KNNK").as_dict()
    assert json.loads(json.dumps(counts)) == counts
    assert counts["material"] == "KNNK"
    assert counts["agrees"] is True
    assert counts["formula_fixed"]["a1-h8 diagonal"] == 1806
    assert list(count("KPK").as_dict()["formula_fixed"]) == ["identity", "left-right"]


def test_more_than_five_men_are_refused():
    with pytest.raises(InvalidMaterialError, match="KRRRKN has 6 pieces"):
        count("KRRRKN")
