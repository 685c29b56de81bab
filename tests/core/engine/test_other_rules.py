"""Tables by other rules than chess, against a slow solver and against counts by other programs."""

import hashlib

import numpy as np
import pytest
from support.combined_rules import ACCEPTED, digest_of_two_men, rules_of
from support.few import few, slow
from support.slow_rules import UNKNOWN, SlowEnding, assert_values_are

from tablebase.core.board.geometry import Color
from tablebase.core.board.movement import Step
from tablebase.core.board.symmetry import GROUPS, PAWN_SYMMETRIES
from tablebase.core.engine.driver import solve
from tablebase.core.engine.requirements import obstacle
from tablebase.core.ground.errors import TablebaseError
from tablebase.core.index.legality import is_legal, mark_slots
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.outcomes.metrics import DTZ
from tablebase.core.rules.material import Material, generation_order
from tablebase.core.rules.rule_files import built_in_rules, parse_rules
from tablebase.core.rules.rules import CHESS, Kind, Rules
from tablebase.core.storage.order import fill_gaps
from tablebase.core.tables.census import take_census
from tablebase.core.tables.table import Table

# The order of the letters is that of strength, by which an earlier program numbered slots.
PIECES = parse_rules(
    """
    [pieces:chess]
    fers = f
    wazir = w
    alfil = e
    customPiece1 = a:BN
    customPiece2 = c:RN
    customPiece3 = m:QN
    customPiece4 = s:K
    customPiece5 = g:WD
    customPiece6 = u:FN
    customPiece7 = y:R3
    customPiece8 = h:NN
    customPiece9 = o:RF
    customPiece10 = d:BW
    customPiece11 = i:ND
    customPiece12 = j:NA
    customPiece13 = l:NC
    customPiece14 = t:WFN
    customPiece15 = x:WFDA
    customPiece16 = z:WA
    customPiece17 = v:DD
    """
)["pieces"]
# Men that know directions, by the symmetries that they leave.
DIRECTED = parse_rules(
    """
    [directed:chess]
    gold = g
    silver = s
    lance = l
    customPiece1 = c:fRsRbK
    customPiece2 = f:fbNF
    customPiece3 = v:vRsW
    customPiece4 = d:WfrBblB
    customPiece5 = h:RflB
    """
)["directed"]
MAKRUK = parse_rules("[thai:chess]\nfers = f\nsilver = s")["thai"]
LOSING_STALEMATE = parse_rules(
    "[s:chess]\nstalemateValue = loss\nfers = f\nwazir = w\ncustomPiece1 = a:BN"
)["s"]
SHATRANJ = built_in_rules()["shatranj"]


@pytest.mark.thorough
@pytest.mark.parametrize("combination", few(ACCEPTED, *[*ACCEPTED][::5]))
def test_two_men_have_the_values_that_they_always_had(combination):
    assert digest_of_two_men(rules_of(combination)) == ACCEPTED[combination][1]


@pytest.fixture(scope="module")
def solved():
    """Return what solves a material by name, sub-tables once."""
    tables = {}

    def solve_name(name, rules):
        material = Material.from_name(name, rules).normalized()
        for one in generation_order([material]):
            if one not in tables:
                tables[one] = solve(one, {needed: tables[needed] for needed in one.dependencies()})
        return tables[material]

    return solve_name


def digest(table):
    """Return a digest of the codes; where no position is legal, that program repeated one."""
    marks = mark_slots(table.index).reshape(-1, table.index.king_pairs)
    found = hashlib.sha256()
    for color in Color:
        rows = table.codes[color].reshape(marks.shape)
        for row, legal in zip(rows, is_legal(marks, color), strict=True):
            found.update(fill_gaps(row, legal))
    return found.hexdigest()[:16]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("KQK", "55737e3be6425271"),
        ("KRK", "2aa0930c39851f28"),
        ("KAK", "ccd6c2356b3d54ab"),
        slow("KCK", "c05d654086ee06eb"),
        slow("KMK", "e21f5fc2a41edfb6"),
        slow("KSK", "31584204dbca57ad"),
        slow("KGK", "173fc3e94a19e1ff"),
        slow("KUK", "aebebac37259d953"),
        slow("KYK", "e5482ded83252942"),
        slow("KOK", "53af5052d26c9227"),
        slow("KDK", "3f5c4010397fc3a0"),
        slow("KIK", "cdb3b3f46185d2e8"),
        slow("KJK", "6742547fac42a91a"),
        slow("KLK", "893623cf90e99cfb"),
        slow("KTK", "48729b0973b5c069"),
        ("KXK", "6bc37cd11771bab4"),
        slow("KFFK", "081c9b42f8ec8063"),
        slow("KHFK", "b56f244841c585e7"),
        ("KZKF", "4655feb4f80d7edd"),
    ],
)
def test_codes_are_those_of_an_earlier_program(solved, name, expected):
    """That program's values were compared with an explicit solver, position by position."""
    assert digest(solved(name, PIECES)) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("KNK", "d9fda4caa8cb086a"),
        ("KBK", "08a73140a13e86bc"),
        ("KFK", "6586d3b9bd19b956"),
        ("KWK", "496ced1c7a1ddbe1"),
        ("KRK", "d80478591185f8f5"),
        ("KAK", "eb0b8654e2646c12"),
    ],
)
def test_codes_where_stalemate_loses(solved, name, expected):
    assert digest(solved(name, LOSING_STALEMATE)) == expected


@pytest.mark.parametrize(
    ("letter", "rules"),
    [
        slow("G", PIECES),
        slow("Y", PIECES),
        ("H", PIECES),
        slow("A", LOSING_STALEMATE),
        ("B", LOSING_STALEMATE),
    ],
)
def test_every_value_is_that_of_a_slow_solver(solved, letter, rules):
    table = solved(f"K{letter}K", rules)
    slow = SlowEnding(rules.steps[rules.letters[letter]], stalemate_loses=rules.stalemate == "loss")
    assert_values_are(table, slow)


def a_leaper(*vectors):
    kind = Kind("X", "leaper", tuple(Step(*vector) for vector in vectors))
    return Rules("leaper", (*CHESS.kinds, kind))


# Longer than the 254 plies of a byte: the slowest of all leapers that reach five squares.
SLOW_LEAPER = a_leaper((-2, -1), (-1, -1), (-1, 2), (0, -1), (2, 1))
WEAK_LEAPER = a_leaper((0, 1), (0, -1), (1, 0), (1, 1), (-1, 1))


@pytest.mark.parametrize(
    ("letter", "rules", "white", "longest", "losses"),
    [
        ("G", DIRECTED, (94896, 8052), 73, 87525),
        ("S", DIRECTED, (81, 104847), 7, 18),
        ("L", DIRECTED, (0, 105875), None, 27),
        ("C", DIRECTED, (89373, 0), 29, 100781),
        ("F", DIRECTED, (12, 50932), 1, 2),
        ("X", WEAK_LEAPER, (182297, 26743), 135, 161492),
        ("X", SLOW_LEAPER, (199699, 11447), 283, 180701),
    ],
)
def test_counts_of_men_that_know_directions(solved, letter, rules, white, longest, losses):
    """An earlier program counted them, of which every value was compared with a slow solver."""
    counts = take_census(solved(f"K{letter}K", rules)).as_dict()
    of_white, of_black = (counts[side]["inequivalent"] for side in counts)
    assert (of_white["win"], of_white["draw"], of_black["loss"]) == (*white, losses)
    most = counts["white_to_move"]["longest_win"]
    assert (most and most["plies"]) == longest


# The men of makruk without its counting: fers and silver general. Legal positions and wins with
# White to move, the longest win and how many have it.
@pytest.mark.parametrize(
    ("name", "legal", "win", "longest", "count"),
    [
        slow("KSSK", 2997162, 2649172, 101, 1),
        ("KSFK", 6085152, 5219488, 113, 4),
        slow("KSNK", 5877595, 5631473, 75, 9),
    ],
)
def test_counts_of_four_men_that_know_directions(solved, name, legal, win, longest, count):
    counts = take_census(solved(name, MAKRUK)).as_dict()["white_to_move"]
    found = counts["inequivalent"]
    assert (sum(found[one] for one in ("win", "draw", "loss")), found["win"]) == (legal, win)
    assert counts["longest_win"]["plies"] == longest
    assert found["dtm_histogram"]["win"][str(longest)] == count


@pytest.mark.parametrize(
    ("letter", "rules", "symmetries"),
    [
        slow("F", DIRECTED, GROUPS[1]),
        ("V", DIRECTED, GROUPS[1]),
        ("D", DIRECTED, GROUPS[2]),
        slow("H", DIRECTED, GROUPS[4]),
        pytest.param("G", DIRECTED, PAWN_SYMMETRIES, marks=pytest.mark.slow),
        pytest.param("X", WEAK_LEAPER, GROUPS[4], marks=pytest.mark.slow),
        pytest.param("X", SLOW_LEAPER, GROUPS[4], marks=pytest.mark.slow),
    ],
)
def test_every_value_where_men_know_directions(solved, letter, rules, symmetries):
    table = solved(f"K{letter}K", rules)
    assert table.material.symmetries == symmetries
    slow = SlowEnding(rules.steps[rules.letters[letter]])
    assert_values_are(table, slow)
    won = (slow.white > 0) & (slow.white != UNKNOWN)
    assert take_census(table).as_dict()["white_to_move"]["win"] == won.sum()


# Results with the first side's men to move and with the others to move, longest win of each,
# by `jtbgen --stats` of Ronald de Man's generators, https://github.com/syzygy1/tb.
SHATRANJ_COUNTS = {
    "KQKQ": (469711, 1003268, 151371, 469711, 1003268, 151371, 63, 63),
    "KRKN": (651505, 690346, 6055, 269329, 1127202, 170691, 53, 5),
    "KRKR": (392558, 946290, 9058, 392558, 946290, 9058, 7, 7),
    "KBKB": (265774, 1353992, 27700, 265774, 1353992, 27700, 23, 23),
    "KBKQ": (489130, 1118294, 40042, 315520, 1132575, 176255, 43, 35),
    "KQKN": (229161, 1097178, 298011, 689040, 874811, 3371, 15, 39),
    "KBKN": (208293, 1252372, 186801, 602751, 959403, 5068, 15, 55),
    "KNKN": (262743, 1298933, 5546, 262743, 1298933, 5546, 21, 21),
    "KQKR": (215776, 17323, 1391251, 1345169, 2737, 0, 1, 39),
    "KBKR": (195322, 22933, 1429211, 1344655, 1708, 1543, 3, 31),
}


@pytest.mark.parametrize("name", few(SHATRANJ_COUNTS, "KQKQ", "KBKN", "KQKR"))
def test_shatranj_has_the_counts_of_another_generator(solved, name):
    table = solved(name, SHATRANJ)
    counts = take_census(table).as_dict()
    sides = ["white_to_move", "black_to_move"]
    if table.material != Material.from_name(name, SHATRANJ):
        sides.reverse()
    results = [
        counts[side]["inequivalent"][one] for side in sides for one in ("win", "draw", "loss")
    ]
    longest = [counts[side]["longest_win"]["plies"] for side in sides]
    assert (*results, *longest) == SHATRANJ_COUNTS[name]


def test_the_diamond_of_al_suli(solved):
    """White wins in 39 plies by Kb4, as John Tromp computed."""
    table = solved("KQKQ", SHATRANJ)
    kings_and_men = np.array([[17, 35, 18, 0], [25, 35, 18, 0]], dtype=np.uint8)
    before, after = table.index.encode_many(kings_and_men)
    assert table.outcomes[Color.WHITE][table.white[before]] == 39
    assert table.outcomes[Color.BLACK][table.black[after]] == ~38


def test_a_queen_that_moves_one_square_and_takes_at_any_distance(solved):
    """It mates in 14 moves at most, as J. M. P. Tidcott found."""
    rules = parse_rules("[t:chess]\ncustomPiece1 = t:mKcQ")["t"]
    assert (
        take_census(solved("KTK", rules)).as_dict()["white_to_move"]["longest_win"]["plies"] == 27
    )


def test_two_riders_of_two_squares_take_long(solved):
    table = solved("KVVK", PIECES)
    assert take_census(table).as_dict()["white_to_move"]["longest_win"]["plies"] == 163


def test_distances_to_zeroing_are_refused_without_the_50_move_rule():
    material = Material.from_name("KQK", SHATRANJ)
    assert obstacle(material) == ""
    assert obstacle(material, DTZ).endswith("use --metric dtm")
    assert obstacle(Material.from_name("KAK", PIECES), DTZ) == ""
    assert obstacle(Material.from_name("KRK"), DTZ) == ""
    with pytest.raises(TablebaseError, match="--metric dtm"):
        solve(material, {}, metric=DTZ)


@pytest.mark.parametrize(("name", "plies"), [slow("KFKR", 59), ("KHKR", 41)])
def test_rook_against_another_piece(solved, name, plies):
    """Pieces of a file are stronger than the rook, so it is Black's."""
    counts = take_census(solved(name, PIECES)).as_dict()
    assert counts["black_to_move"]["longest_win"]["plies"] == plies


# Rook against a minor piece: moves to mate, and up to a capture that wins. The 27 for the knight
# and D. McCooey's 35 for the camel are published, the others are an earlier program's.
CONVERSIONS = parse_rules(
    "[c:chess]\nwazir = w\ncustomPiece1 = z:Z\ncustomPiece2 = c:C\ncustomPiece3 = x:WA"
)["c"]


@pytest.mark.parametrize(
    ("letter", "mate", "conversion"),
    [("N", 40, 27), slow("C", 45, 35), slow("X", 86, 76), slow("W", 31, 23), slow("Z", 33, 25)],
)
def test_a_table_that_is_given_counts_moves_up_to_a_capture(solved, letter, mate, conversion):
    """If king and rook against king is lost at once where it is lost, captures end the count."""
    table = solved(f"KRK{letter}", CONVERSIONS)
    rook = Material.from_name("KRK", CONVERSIONS)
    real = solved("KRK", CONVERSIONS)
    lost = np.where(real.outcomes[Color.BLACK][real.black] < 0, 0, DRAW).astype(np.uint8)
    given = Table(rook, lost.copy(), lost)
    others = {
        one: given if one == rook else solved(one.name, CONVERSIONS)
        for one in table.material.dependencies()
    }
    color = Color.WHITE if table.material.white == rook.white else Color.BLACK
    for values, moves in ((table, mate), (solve(table.material, others), conversion)):
        side = take_census(values).as_dict()[("white_to_move", "black_to_move")[color]]
        assert (side["longest_win"]["plies"] + 1) // 2 == moves
