"""Material: names, strength, and what a material turns into."""

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablebase.core.board.geometry import Color, PieceType
from tablebase.core.board.symmetry import ALL_SYMMETRIES, IDENTITY, MIRROR, PAWN_SYMMETRIES
from tablebase.core.ground.errors import InvalidMaterialError
from tablebase.core.rules.material import (
    Material,
    MoveOut,
    all_materials,
    closure,
    generation_order,
)
from tablebase.core.rules.rule_files import built_in_rules, parse_rules, read_rules
from tablebase.core.rules.rules import CHESS

KINGLESS = tuple(PieceType)[:-1]
men = st.lists(st.sampled_from(KINGLESS), max_size=3).map(tuple)
materials = st.builds(Material, men, men)


def names(found):
    return [material.name for material in found]


@pytest.mark.parametrize("name", ["KRKN", "KRvKN", "krkn", "krVkn", "kRKn", " KRKN\n"])
def test_names_are_read_in_any_form(name):
    assert Material.from_name(name) == Material((PieceType.ROOK,), (PieceType.KNIGHT,))


def test_men_of_a_side_may_come_in_any_order():
    assert Material.from_name("KPNQvKBR").name == "KQNPKRB"
    assert Material((PieceType.PAWN, PieceType.QUEEN)).name == "KQPK"


@pytest.mark.parametrize(
    "name", ["", "K", "KR", "KXK", "KRNB", "RKK", "KKK", "K-K", "KRvvK", "KR K"]
)
def test_bad_names_are_refused_in_one_line_that_names_them(name):
    with pytest.raises(InvalidMaterialError) as caught:
        Material.from_name(name)
    assert repr(name) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_second_king_is_refused():
    with pytest.raises(InvalidMaterialError, match="black has more than one king"):
        Material((), (PieceType.KING,))


@given(materials)
def test_names_are_read_back(material):
    assert Material.from_name(material.name) == material
    assert Material.from_name(str(material).lower()) == material


@given(materials)
def test_men_list_all_men_kings_first(material):
    white, black = Color.WHITE, Color.BLACK
    assert material.men[:2] == ((white, PieceType.KING), (black, PieceType.KING))
    assert len(material.men) == material.piece_count
    assert [man for color, man in material.men[2:] if color is white] == list(material.white)
    assert [man for color, man in material.men[2:] if color is black] == list(material.black)
    assert material.has_pawns == (PieceType.PAWN in material.white + material.black)


@given(materials)
def test_groups_are_the_men_counted(material):
    expanded = [(color, man) for color, man, count in material.groups for _ in range(count)]
    assert tuple(expanded) == material.men[2:]
    assert len({group[:2] for group in material.groups}) == len(material.groups)


@given(materials)
def test_swapping_and_normalizing(material):
    assert material.swapped().swapped() == material
    assert material.is_symmetric == (material.swapped() == material)
    assert material.normalized().is_normalized
    assert material.normalized() == material.swapped().normalized()
    assert material.is_normalized or material.swapped().is_normalized


@pytest.mark.parametrize(
    ("name", "normalized"),
    [
        ("KKR", "KRK"),
        ("KNKR", "KRKN"),
        ("KQKPP", "KPPKQ"),  # more men first, then value
        ("KRPKQN", "KQNKRP"),
        ("KBBKBN", "KBBKBN"),
        ("KBNKBB", "KBBKBN"),
    ],
)
def test_the_stronger_side_is_white(name, normalized):
    assert Material.from_name(name).normalized().name == normalized


def test_exchanges_are_not_normalized():
    material = Material.from_name("KPKR")
    assert material.without(Color.WHITE, PieceType.PAWN).name == "KKR"
    assert material.promoted(Color.WHITE, PieceType.KNIGHT).name == "KNKR"
    with pytest.raises(InvalidMaterialError, match="black has no pawn in KPKR"):
        material.promoted(Color.BLACK, PieceType.QUEEN)
    with pytest.raises(InvalidMaterialError, match="white has no rook in KPKR"):
        material.without(Color.WHITE, PieceType.ROOK)


@pytest.mark.parametrize(
    ("name", "dependencies"),
    [
        ("KK", []),
        ("KRK", ["KK"]),
        ("KNNK", ["KNK"]),
        ("KRNK", ["KNK", "KRK"]),
        ("KPK", ["KK", "KBK", "KNK", "KQK", "KRK"]),
        # Captures, promotions, and promotions that capture the rook.
        ("KRKP", ["KBK", "KNK", "KQK", "KRK", "KPK", "KQKR", "KRKB", "KRKN", "KRKR"]),
        # A pawn cannot be captured by promoting.
        ("KPKP", ["KPK", "KBKP", "KNKP", "KQKP", "KRKP"]),
    ],
)
def test_dependencies(name, dependencies):
    assert names(Material.from_name(name).dependencies()) == dependencies


def test_one_legal_move_leads_to_a_dependency():
    """Play all moves from some positions; the material after each must be known."""
    for fen in ("1n2k3/P7/8/8/8/8/p7/1R2K3 w - - 0 1", "1n2k3/P7/8/8/8/8/p7/1R2K3 b - - 0 1"):
        board = chess.Board(fen)
        material = material_of(board)
        known = {material.normalized(), *material.dependencies()}
        reached = set()
        for move in board.legal_moves:
            board.push(move)
            reached.add(material_of(board).normalized())
            board.pop()
        assert reached <= known
        assert len(reached) > 5


def material_of(board):
    men = [[], []]
    for piece in board.piece_map().values():
        if piece.piece_type != chess.KING:
            men[not piece.color].append(PieceType(piece.piece_type))
    return Material(*map(tuple, men))


@given(materials)
def test_dependencies_are_normalized_distinct_and_smaller(material):
    dependencies = material.dependencies()
    assert len(set(dependencies)) == len(dependencies)
    for dependency in dependencies:
        assert dependency.is_normalized
        assert dependency != material.normalized()
        assert (dependency.piece_count, dependency.pawn_count) < (
            material.piece_count,
            material.pawn_count,
        )


@given(materials)
def test_both_colourings_have_the_same_dependencies(material):
    assert material.dependencies() == material.swapped().dependencies()


@settings(max_examples=20)
@given(st.lists(materials, max_size=3))
def test_generation_order_is_closed_and_puts_dependencies_first(wanted):
    order = generation_order(wanted)
    assert set(order) == closure(wanted) >= {material.normalized() for material in wanted}
    assert len(set(order)) == len(order)
    for position, material in enumerate(order):
        assert set(material.dependencies()) <= set(order[:position])


def test_the_five_need_their_subtables():
    five = [Material.from_name(name) for name in ("KK", "KRK", "KNNK", "KRNK", "KPK")]
    expected = ["KK", "KBK", "KNK", "KQK", "KRK", "KPK", "KNNK", "KRNK"]
    assert names(generation_order(five)) == expected


@pytest.mark.parametrize(("count", "number"), [(2, 1), (3, 5), (4, 30), (5, 110)])
def test_all_materials(count, number):
    found = all_materials(count)
    assert len(set(found)) == len(found) == number
    assert all(m.is_normalized and m.piece_count == count for m in found)


def test_materials_show_how_they_are_made():
    material = Material.from_name("KRvKN")
    assert repr(material) == "Material('KRKN')"


def test_moves_out_name_the_captured_and_the_promoting_man():
    material = Material.from_name("KQPKP")  # after the kings: queen 1, pawn 2, Black's pawn 3
    out = material.moves_out()
    white, black = Color
    queen, pawn, other = 0b001, 0b010, 0b100
    taken = {(black, queen, 0, 0), (black, pawn, 0, 0), (white, other, 0, 0)}
    assert {move for move in out if not move.promoting} == taken
    assert out[white, other, 0, 0].name == "KQPK"
    assert out[white, 0, 2, PieceType.ROOK].name == "KQRKP"
    assert out[black, queen, 3, PieceType.KNIGHT].name == "KPKN"
    assert (white, other, 2, PieceType.QUEEN) not in out  # no pawn stands on the last rank
    assert {after.normalized() for after in out.values()} == set(material.dependencies())


def test_symmetries_are_those_that_keep_all_moves():
    assert Material.from_name("KQRKBN").symmetries == ALL_SYMMETRIES
    assert Material.from_name("KPK").symmetries == PAWN_SYMMETRIES == (IDENTITY, MIRROR)
    makruk = built_in_rules()["makruk"]
    assert Material.from_name("KMRKN", makruk).symmetries == ALL_SYMMETRIES
    for name in ("KSK", "KKS", "KPKM"):
        assert Material.from_name(name, makruk).symmetries == PAWN_SYMMETRIES
    one_sided = parse_rules("[a:chess]\ncustomPiece1 = x:RflB\npromotionPieceTypes = x")["a"]
    for name in ("KXK", "KPK", "KKP", "KRPKN"):  # pawns become men that know left from right
        assert Material.from_name(name, one_sided).symmetries == (IDENTITY,)


def test_pawns_that_promote_early_can_take_a_pawn_then():
    makruk = built_in_rules()["makruk"]
    for rules, count in ((CHESS, 0), (makruk, 2)):
        moves = Material.from_name("KPKP", rules).moves_out()
        assert sum(bool(move.removed and move.promoting) for move in moves) == count


def test_what_an_explosion_takes_off():
    material = Material.from_name("KQPKRN", built_in_rules()["atomic"])
    out = material.moves_out()
    exploding = {move: after.name for move, after in out.items() if move.removed}
    queen, pawn, rook, knight = (1 << man for man in range(4))
    for color, removed, name in (
        (Color.WHITE, queen | rook, "KPKN"),
        (Color.BLACK, queen | rook, "KPKN"),
        (Color.WHITE, pawn | rook | queen | knight, "KK"),
        (Color.BLACK, pawn | knight, "KQKR"),
    ):
        assert exploding[MoveOut(color, removed)] == name
    assert not any(move.promoting for move in exploding)
    # The man that takes, the one that is taken, and no other pawn but these.
    assert {move.removed for move in exploding} == {
        removed for removed in range(16) if removed & 0b0011 and removed & 0b1100
    }
    assert Material.from_name("KQKR", material.rules).dependencies() == (
        Material.from_name("KK", material.rules),
    )
    two_pawns = Material.from_name("KPPKQ", material.rules).moves_out()
    assert {move.removed for move in two_pawns if move.removed} == {0b101, 0b110}


def test_without_royal_kings_sides_are_divided():
    game = read_rules("antichess")
    for name, normal in {"rvk": "KvR", "KvR": "KvR", "PvQQ": "QQvP", "nbvkpk": "KKPvBN"}.items():
        assert Material.from_name(name, game).normalized().name == normal
    for name in ("KRK", "RvKZ", "vK", "Kv", "RvKvN"):
        with pytest.raises(InvalidMaterialError, match="like RvK or QQvP"):
            Material.from_name(name, game)
    assert [len(all_materials(men, game)) for men in (2, 3, 4)] == [21, 126, 567]


def test_the_rarest_piece_leads():
    game = read_rules("antichess")
    leads = {"RRvK": "RK", "KRRvP": "K?", "QRNvKKB": "NB", "PPvP": "??"}
    for name, kinds in leads.items():
        material = Material.from_name(name, game)
        assert [man.letter for _, man in material.men[:2]] == [*kinds]
        assert material.men[0][0] is Color.WHITE
        assert material.men[1][0] is Color.BLACK
        assert material.movers == material.men[2:] + material.men[:2]
        assert material.piece_count == len(name) - 1


def test_the_last_man_is_captured_into_no_table():
    names = {
        "RvK": set(),
        "RRvK": {"KvR"},
        "PvP": {f"{kind}vP" for kind in "KQRBN"},
        "RPvB": {"RvB", "BvP", "RBvB", "RNvB", "RRvB", "QRvB", "KRvB"},
    }
    for name, needed in names.items():
        found = Material.from_name(name, read_rules("antichess")).dependencies()
        assert {one.name for one in found} == needed


def test_where_colours_cannot_be_exchanged_both_orders_are_materials():
    racing = read_rules("racingkings")
    assert [one.name for one in all_materials(3, racing)] == [
        "KBK", "KKB", "KKN", "KKQ", "KKR", "KNK", "KQK", "KRK",
    ]  # fmt: skip
    assert [len(all_materials(men, racing)) for men in (2, 3, 4)] == [1, 8, 36]
    one = Material.from_name("KKQ", racing)
    assert one.is_normalized
    assert one.normalized() is one
    assert not Material.from_name("KRKR", racing).is_symmetric
    assert one.symmetries == PAWN_SYMMETRIES
    after = [found.name for found in Material.from_name("KQKR", racing).dependencies()]
    assert after == ["KKR", "KQK"]
