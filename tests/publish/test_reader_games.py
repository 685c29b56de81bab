"""The reader in JavaScript finds in tables of any game what Python finds in them."""

import json
import random
from collections import Counter

import pytest
from support.few import few
from support.games import (
    FIFTEEN,
    GAMES,
    NAMED,
    names_by_python_chess,
    random_setups,
    setups_to_name,
    source_of,
)
from support.published import (
    in_node,
    needs_node,
    probed,
    publish_tables_alone,
)
from support.variants import CHECKS, NEAR, RACING, UPPER, any_men, random_boards

from tablebase.core.answers.canonical import canonical_position, slot_of
from tablebase.core.answers.known import best_line, look_up
from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.board.geometry import Color
from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.core.outcomes.metrics import ARRIVED_OUTCOME
from tablebase.core.positions.any_position import as_position, left_out
from tablebase.core.positions.setup_fens import read_setup
from tablebase.core.rules.material import Material
from tablebase.core.rules.rule_files import built_in_rules, parse_rules, read_rules
from tablebase.publish.game_data import numbering_record, rules_record
from tablebase.serve.lichess import describe_mainline, describe_standard

pytestmark = needs_node

WALLS = """
[walls:chess]
startFen = 4k3/8/8/3**3/3**3/8/8/4K3 w - - 0 1
customPiece1 = a:BN
"""
# Materials of the games that `support.games` has no tables of.
OTHERS = {
    "capablanca8": ("KAK", "KCKN", "KPK"),
    "seirawan": ("KHK", "KEK", "KPK"),
    "losalamos": ("KQKN", "KPK"),
    "fifteen": ("KGKE", "KHKI", "KDKJ", "KIK", "KPK"),
    "walls": ("KRK", "KAKB"),
    "atomic": ("KQKN", "KPK"),
    "antichess": ("PvP", "RRvK", "NvB"),
    "suicide": ("PvP", "RRvK", "NvB"),
    "racingkings": ("KNK", "KKN", "KRK", "KKR"),
    "3check": ("KNKN", "KPK"),
}

# Games that are over although nobody has lost: who is to move has won.
ENDS = {
    "racingkings": ("K7/8/4k3/8/8/8/8/8 w", "K7/4k3/8/8/8/8/8/8 b"),
    "antichess": ("8/8/8/p7/P7/8/8/8 w", "8/8/8/p7/8/P7/8/8 w"),
}
WITHOUT_KINGS = ("antichess", "suicide")
LIKE_CHESS = ("atomic", "racingkings", "3check")  # whose moves python-chess knows


def rules_of(game, folder):
    own = {"fifteen": FIFTEEN, "walls": WALLS}
    if game in own:
        return parse_rules(own[game])[game]
    return read_rules(source_of(game, folder)) if game in GAMES else built_in_rules()[game]


def both_ways(name):
    sides = name.split("v")
    return sides, sides[::-1]


def names_of(game):
    """Return the materials of a game, each with either side the stronger one."""
    materials = [*GAMES[game].names, GAMES[game].passing] if game in GAMES else OTHERS[game]
    if game in WITHOUT_KINGS:
        return sorted({f"{one}v{two}" for name in materials for one, two in both_ways(name)})
    rules_sides = [name[1:].split("K") for name in materials if name]
    return sorted({f"K{one}K{two}" for side in rules_sides for one, two in (side, side[::-1])})


@pytest.fixture(scope="module")
def folder_of(made_games, made_once):
    """Return a function that gives the folder of the tables of a game."""
    from tablebase.core.building.generator import generate

    def folder_of(game):
        def make(directory):
            rules = rules_of(game, made_games)
            generate([Material.from_name(name, rules) for name in OTHERS[game]], directory)

        return made_once(game, make) if game in OTHERS else made_games

    return folder_of


@pytest.fixture(scope="module")
def published(folder_of, tmp_path_factory):
    """Return the address of the published tables of a game, made when first asked for."""
    addresses = {}
    site = tmp_path_factory.mktemp("site")

    def address_of(game, rules):
        if game not in addresses:
            addresses[game] = publish_tables_alone(folder_of(game), site / game, rules)
        return addresses[game]

    return address_of


# Of so many positions one has its line compared, since long ones take Python seconds.
WITHOUT_LINE = 10
EVERY = [game for game in [*GAMES, *OTHERS] if game != "chess"]
FEW = ("shatranj", "gardner", "fairy", "fifteen", "atomic", "antichess", "racingkings", "3check")


def setups_of(game, rules, count):
    """Return random positions of all materials, with clocks; some have a pawn that just passed."""
    rng, found = random.Random(game), []
    for name in names_of(game):
        passing = game in GAMES and GAMES[game].passing == name
        found += random_setups(name, rules, count, passing=passing)
    return [
        setup if setup.ep_square else setup._replace(clock=rng.choice((0, 0, 20, 99, 100)))
        for setup in rng.sample(found, count)
    ]


def as_the_reader_answers(setup, known):
    """Return what the reader has to answer, from what Python knows of a position."""

    def of(one):
        wdl50 = None if one.wdl50 is None else int(one.wdl50)
        return {"wdl": int(one.wdl), "wdl50": wdl50, "dtm": one.dtm, "dtz": one.dtz}

    moves = [
        {"uci": one.move.uci(), "san": setup.name_of(one.move)}
        | {"mate": one.mate, "zeroing": one.zeroing}
        | of(one)
        for one in known.moves
    ]
    return {
        "fen": setup.fen,
        "check": setup.is_check(),
        "checkmate": setup.end == "checkmate",
        "stalemate": setup.end == "stalemate",
        "end": setup.end,
        **of(known),
        "moves": moves,
    }


def named(setup, moves):
    """Return moves from a position on, each with its name."""
    found = []
    for move in moves:
        found.append({"uci": move.uci(), "san": setup.name_of(move)})
        setup = move.after
    return found


def require_equal(game, folder, published, count):
    rules = rules_of(game, folder)
    address = published(game, rules)
    setups = setups_of(game, rules, count) + [read_setup(fen, rules) for fen in ENDS.get(game, ())]
    answers = probed(address, [setup.fen for setup in setups], lines=True, standard=True)
    with Tablebase([folder], rules=rules) as tables:
        for number, (setup, answer) in enumerate(zip(setups, answers, strict=True)):
            line, mainline = answer.pop("line"), answer.pop("standardMainline")
            if number % WITHOUT_LINE == 0:
                assert line == named(setup, best_line(tables, setup)), setup.fen
                assert mainline == describe_mainline(tables, setup), setup.fen
            assert answer.pop("standard") == describe_standard(tables, setup), setup.fen
            del answer["cost"]
            assert answer == as_the_reader_answers(setup, look_up(tables, setup)), setup.fen


@pytest.mark.thorough
@pytest.mark.parametrize("game", few(EVERY, "gardner", "fairy", *LIKE_CHESS, *WITHOUT_KINGS))
def test_random_positions_are_as_in_python(game, folder_of, published):
    require_equal(game, folder_of(game), published, 24)


@pytest.mark.slow
@pytest.mark.parametrize("game", EVERY)
def test_many_random_positions_are_as_in_python(game, folder_of, published):
    require_equal(game, folder_of(game), published, 1000)


# Materials whose numbering differs: pawns of other squares, boards of other symmetries, many men.
NUMBERED = {
    "shatranj": ("KPPKP", "KQBKN"),
    "makruk": ("KPPKPP", "KSKS", "KMSKP", "KSPK"),
    "gardner": ("KPPKP", "KQRKB", "KBBKBB"),
    "losalamos": ("KPPKP", "KQRKN", "KNNKN"),
    "capablanca8": ("KAPKC",),
    "kingofthehill": ("KK", "KPKR"),
    "fifteen": ("KGKE", "KHHKI", "KDPKJ", "KGPKPP", "KIIKI"),
    "walls": ("KRRKB", "KAKAN"),
    "atomic": ("KQKR", "KPPKP", "KNNKB"),
    "antichess": ("KQvR", "PPvPP", "KKvNN", "QPPvP", "RRvBP", "NNNvKQ"),
    "racingkings": ("KK", "KKQ", "KRKRR", "KQKR", "KBNKB", "KKNN"),
    "3check": ("KK", "KKQ", "KQKQ", "KRKP", "KPPK", "KPKP"),
}


@pytest.mark.thorough
@pytest.mark.parametrize("game", few(NUMBERED, *FEW))
def test_slots_and_moves_are_as_in_python(game, made_games, tmp_path):
    rules = rules_of(game, made_games)
    data = {"rules": rules_record(rules), "numbering": numbering_record(rules)}
    (tmp_path / "data.json").write_text(json.dumps(data), encoding="utf-8")
    setups = [one for name in NUMBERED[game] for one in random_setups(name, rules, 20)]
    # Where who has arrived is to move, a game is over, and no table has it.
    setups = [one for one in setups if one.squares[one.color] not in rules.goal_squares]
    fens = [setup.fen for setup in setups]
    found = in_node("locate_in_node.mjs", tmp_path / "data.json", lines=fens)
    for setup, line in zip(setups, found, strict=True):
        place = slot_of(setup)
        stored = canonical_position(setup).board
        fen, *located, men, moves = json.loads(line)
        assert fen == setup.fen
        assert located == [place.material.name, place.dataset, place.slot], fen
        assert men == stored.fen.split()[0]
        assert moves == [setup.name_of(move) for move in setup.moves()], fen


def moves_as_in_python(rules, setups, tmp_path):
    """Yield positions with those after their moves, which are in JavaScript as they are here."""
    (tmp_path / "rules.json").write_text(json.dumps(rules_record(rules)), encoding="utf-8")
    found = in_node("moves_in_node.mjs", tmp_path / "rules.json", lines=[one.fen for one in setups])
    for setup, line in zip(setups, found, strict=True):
        after = {setup.name_of(move): move.after for move in setup.moves()}
        moves = json.loads(line)
        expected = [
            [name, one.end, one.is_check(), one.final_outcome()] for name, one in after.items()
        ]
        assert [[name, *told] for name, _, *told in moves] == expected, setup.fen
        fens = [fen.rsplit(" ", 1)[0] for _, fen, *_ in moves]  # without the number of the move
        assert fens == [one.fen.rsplit(" ", 1)[0] for one in after.values()], setup.fen
        yield setup, after


@pytest.mark.thorough
@pytest.mark.parametrize("game", NAMED)
def test_names_of_moves_are_those_of_python_chess(game, tmp_path):
    record = rules_record(built_in_rules()[game])
    (tmp_path / "rules.json").write_text(json.dumps(record), encoding="utf-8")
    setups = setups_to_name(game)
    found = in_node("moves_in_node.mjs", tmp_path / "rules.json", lines=[one.fen for one in setups])
    for setup, names, line in zip(setups, names_by_python_chess(setups), found, strict=True):
        told = [name for name, *_ in json.loads(line)]
        assert sorted(told) == sorted(names.values()), setup.fen


@pytest.mark.thorough
@pytest.mark.parametrize("game", WITHOUT_KINGS)
def test_forced_captures_are_as_in_python(game, tmp_path):
    rules = built_in_rules()[game]
    rng = random.Random(3)
    men = any_men(rng, "KQRBNPPP", most=2, kings="Pp")
    boards = random_boards(rules, men, 200, rng, squares=NEAR)
    setups = [as_position(board).board for board in boards]
    seen = Counter()
    for setup, after in moves_as_in_python(rules, setups, tmp_path):
        seen.update(one.end for one in after.values())
        seen["passing"] += sum(1 for _ in setup.en_passant())
        seen["king"] += sum("=K" in name for name in after)
    assert min(seen[one] for one in ("no pieces", "stalemate", "passing", "king")) > 0


@pytest.mark.thorough
def test_races_are_as_in_python(tmp_path):
    rng = random.Random(5)
    boards = random_boards(RACING, any_men(rng, "QRBN"), 300, rng, squares=UPPER)
    setups = [as_position(board).board for board in boards]
    seen = Counter()
    for setup, after in moves_as_in_python(RACING, setups, tmp_path):
        seen.update((one.end, one.final_outcome()) for one in after.values())
        arrived = setup.squares[Color.WHITE] in RACING.goal_squares and after
        seen["answered"] += bool(arrived) and setup.color is Color.BLACK
    kinds = [("goal", 0), ("goal", ARRIVED_OUTCOME), ("goal", ~0), "answered"]
    assert min(seen[one] for one in kinds) > 0, seen


@pytest.mark.thorough
def test_checks_are_counted_as_in_python(tmp_path):
    rng = random.Random(7)
    boards = random_boards(CHECKS, any_men(rng), 120, rng)
    setups = [as_position(board).board for board in boards]
    setups += random_setups("KPKPR", CHECKS, 12, passing=True)
    seen = Counter()
    for setup, after in moves_as_in_python(CHECKS, setups, tmp_path):
        seen.update((one.end, setup.color) for one in after.values())
        seen["passing"] += sum(1 for _ in setup.en_passant())
        seen["check"] += sum(one.checks != setup.checks for one in after.values())
    kinds = [("third check", Color.WHITE), ("third check", Color.BLACK), "passing", "check"]
    assert min(seen[one] for one in kinds) > 0, seen


@pytest.mark.thorough
def test_random_positions_have_all_numbers_of_checks(published, folder_of):
    folder_of("3check")
    address = published("3check", CHECKS)
    wanted = json.dumps([(name, None) for name in ("KNKN", "KPK")] * 60)
    found = Counter()
    for line in in_node("find_published.mjs", address, lines=[wanted]):
        setup = read_setup(json.loads(line), CHECKS)
        found[setup.material.name, setup.checks] += 1
    assert len(found) > 9  # of the 9 and 3 that there are, each with a chance of a ninth or a third
    # A bare king gives no check, so that it has all left.
    assert {checks[1] for name, checks in found if name == "KPK"} == {3}


@pytest.mark.thorough
def test_random_positions_of_a_race_are_not_over(published):
    address = published("racingkings", RACING)
    wanted = json.dumps([(name, None) for name in ("KRK", "KKR")] * 20)
    setups = [
        read_setup(json.loads(line), RACING)
        for line in in_node("find_published.mjs", address, lines=[wanted])
    ]
    assert {one.material.name for one in setups} == {"KRK", "KKR"}
    assert all(one.squares[one.color] not in RACING.goal_squares for one in setups)


@pytest.mark.thorough
def test_explosions_are_as_in_python(tmp_path):
    rules = built_in_rules()["atomic"]
    setups = [one for name in ("KQRKQN", "KQKN") for one in random_setups(name, rules, 12)]
    setups += random_setups("KNPKPP", rules, 12, passing=True)
    seen = Counter()
    for setup, after in moves_as_in_python(rules, setups, tmp_path):
        seen.update(one.end for one in after.values())
        seen["check"] += sum(one.is_check() for one in after.values())
        seen["several men"] += sum(len(setup.men) - len(one.men) > 2 for one in after.values())
        seen["passing"] += sum(1 for _ in setup.en_passant())
    kinds = ("explosion", "check", "checkmate", "several men", "passing")
    assert min(seen[one] for one in kinds) > 0


def test_a_mate_comes_before_a_rule_of_thumb_as_in_python(atomic_dir, tmp_path):
    """Bishops that cannot explode each other, of which no table is there, mate by blocking."""
    rules = built_in_rules()["atomic"]
    address = publish_tables_alone(atomic_dir, tmp_path / "site", rules)
    fens = ["kbK5/b7/B7/8/8/8/8/8 w - - 0 1", "kb6/bB6/2K5/8/8/8/8/8 b - - 0 1"]
    fens += ["kb6/8/B7/8/4K3/8/8/b7 w - - 0 1", "8/8/8/3k4/8/2K5/1R6/8 w - - 0 1"]
    told = [json.loads(line) for line in in_node("standard_published.mjs", address, lines=fens)]
    with Tablebase([atomic_dir], rules=rules) as tables:
        for fen, answer in zip(fens, told, strict=True):
            wanted = describe_standard(tables, read_setup(fen, rules))
            assert answer == wanted, fen
    facts = [(one["category"], one["dtm"], one["insufficient_material"]) for one in told]
    assert facts[0] == ("win", 1, False)
    assert facts[2:] == [("draw", 0, True)] * 2


# As other programs write them, and what is no FEN; see `tests/core/positions/test_any_position.py`.
TEXTS = {
    "makruk": (
        *("8/8/8/8/3k4/8/8/3KR3 w - 32 10 1", "8/8/8/8/3k4/8/8/3KR3 w - 32x 10 1"),
        *("8/8/8/8/4k3/8/1M~6/K7 w - - 7 9", "8/8/8/8/4k3/8/~1M6/K7 w", "8/8/8/8/4k3/8/1M~7/K7 w"),
        *("8/8/8/8/3k4/8/8/3KR3 w - - 0 0 1", "8/8/8/8/3k4/8/8/3KR3 w - - 0 x"),
        *("8/8/8/8/3k4/8/8/3KR3 w bm", "8/8/8/8/3k4/8/8/3KR3 w - - x 1", "8/8/8/8/3k4/8/8/3KR3 x"),
    ),
    "seirawan": (
        *(
            "8/8/8/3k4/8/8/8/3KQ3[] w - - 0 1",
            "8/8/8/3k4/8/8/8/3KQ3[H] w",
            "8/8/8/3k4/8/8/8[]/3KQ3 w",
        ),
        *("4k3/8/8/8/8/8/8/4KR2 w KQkq - 3 9", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
        *(
            "4k3/8/8/8/8/8/8/4KR2 w F - 0 1",
            "r3k3/8/8/8/8/8/8/4K3 b q - 0 1",
            "8/8/8/3k4/8/8/8/3KQ3 w 32",
        ),
        *("8/8/8/3k4/8/8/8/3KQ3 w KQBCDFGkqbcdfg - 0 1", "8/8/8/3k4/8/8/8/3KQ3 w - 32 10 1"),
    ),
    "gardner": ("4k/5/5/5/KR3 w KQkq - 0 1", "4k/5/5/5/K3R w K - 0 1", "4k/5/5/5/K3R w k - 0 1"),
    "atomic": (
        *("8/8/8/8/8/2k5/2K5/7R w", "8/8/8/8/8/2k5/2K5/2R5 b", "8/8/8/8/8/2k5/8/K1R5 w"),
        *("8/8/8/8/8/2k5/8/2R5 w", "8/8/8/8/8/8/8/KR6 b", "8/8/8/8/8/2k5/8/2R5 b"),
        *("8/8/8/8/8/8/8/R7 w", "kk6/8/8/8/8/8/8/K7 b", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
    ),
    "antichess": (
        *(
            "8/8/8/8/8/2k5/2K5/K6R w",
            "8/8/8/8/8/8/8/R7 b",
            "8/8/8/8/8/8/8/R7 w",
            "8/8/8/8/8/8/8/8 w",
        ),
        *("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "8/8/8/8/8/8/8/4R2R w KQ - 0 1"),
        *("8/8/8/8/8/8/8/P6r w", "8/8/8/pP6/8/8/8/8 w - a6 0 1", "8/8/8/p7/P7/8/8/8 w"),
    ),
    "racingkings": (
        *("8/8/8/8/8/2k5/1R6/K1r5 w", "8/8/8/8/8/2k5/2R5/K7 w", "7k/8/8/K7/8/8/8/8 b"),
        *("7k/8/8/K7/8/8/8/8 w", "K6k/8/8/8/8/8/8/8 w", "K6k/8/8/8/8/8/8/8 b"),
        *("K7/7k/8/8/8/8/8/8 b", "K7/8/7k/8/8/8/8/8 w", "8/8/8/8/8/8/8/Kk6 w"),
        "8/8/8/8/8/7k/8/R3K3 w Q - 0 1",
    ),
    "3check": (
        *("8/8/8/8/8/2k5/1R6/K7 w", "8/8/8/8/8/2k5/1R6/K7 w - - 2+3 5 9"),
        *("8/8/8/8/8/2k5/1R6/K7_w_-_-_0_1_+1+0", "8/8/8/8/8/2k5/1R6/K7 b - - +2+2"),
        *("8/8/8/8/8/2k5/1R6/K7 w - - 3+0", "8/8/8/8/8/2k5/1R6/K7 w - - 0+3"),
        *("8/8/8/8/8/2k5/1R6/K7 b - - 0+3 4 1", "8/8/8/8/8/1k6/1R6/K7 b - - +3+0"),
        *("8/8/8/8/8/2k5/1R6/K7 w - - 4+3 0 1", "8/8/8/8/8/2k5/1R6/K7 w - - 3+x 0 1"),
        *("8/8/8/8/8/2k5/1R6/K7 w - - 3+3 3+3 0 1", "8/8/8/8/8/2k5/1R6/K7 x - - 3+3 0 1"),
        *("8/8/8/8/8/1k6/8/KR6 w - - 2+0", "8/8/8/8/8/1k6/1R6/K7 w - - 1+1", "8/8/8/8/8/8/k7/K7 w"),
        *("8/8/8/1pP5/8/2k5/8/K7 w - b6 1+2 0 1", "8/8/8/8/8/2k5/1R6/K7 w KQ 3+3"),
        *("8/8/8/8/8/2k5/1R6/K7 w - 1+3 - 0 1", "8/8/8/1pP5/8/2k5/8/K7 w - 1+2 b6 0 1"),
    ),
}


@pytest.mark.parametrize("game", TEXTS)
def test_texts_are_read_as_in_python(game, tmp_path):
    rules = built_in_rules()[game]
    (tmp_path / "rules.json").write_text(json.dumps(rules_record(rules)), encoding="utf-8")
    for fen, line in zip(
        TEXTS[game],
        in_node("read_in_node.mjs", tmp_path / "rules.json", lines=TEXTS[game]),
        strict=True,
    ):
        try:
            expected = [read_setup(fen, rules).fen, left_out(fen, rules)]
        except UnsupportedPositionError as refused:
            expected = [str(refused)]
        assert json.loads(line) == expected, fen
