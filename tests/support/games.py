"""Some games with tables, random positions of any game, and what their values must be."""

import random
import re
from collections import Counter
from typing import NamedTuple

from support import oracle, zeroing
from support.few import few

from tablebase.core.board.geometry import NOBODY, Color, PieceType
from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.core.outcomes.metrics import ARRIVED_OUTCOME, DTM, DTZ
from tablebase.core.positions.chess_variants import boards_of_games
from tablebase.core.positions.setup import arranged
from tablebase.core.positions.setup_fens import read_setup
from tablebase.core.rules.material import Material
from tablebase.core.rules.rule_files import built_in_rules, read_rules

LOST = ~0
# Pawns with double steps that become a knight and bishop in one, or a ferz.
FAIRY = """
[fairy:chess]
knight = -
bishop = -
rook = -
queen = -
fers = f
customPiece1 = a:BN
promotionPieceTypes = af
"""

# Men that know left from right, up from down, or take otherwise than they move.
FIFTEEN = """
[fifteen:chess]
customPiece1 = a:BN
customPiece2 = c:RN
customPiece3 = d:mKcQ
customPiece4 = e:mWcF
customPiece5 = f:F
customPiece6 = g:WfrBblB
customPiece7 = h:RflB
customPiece8 = i:fFfW
customPiece9 = j:NN
promotionPieceTypes = qrbnag
"""


# Materials of games that python-chess knows, some with like men.
NAMED = {
    "chess": ("KQQQQK", "KRNNK", "KPPKPB"),
    "kingofthehill": ("KQQQQK", "KRNNK", "KPPKPB"),
    "atomic": ("KQQQQK", "KRNNK", "KPPKPB"),
    "3check": ("KQQQQK", "KNNNK", "KRPKP"),
    "racingkings": ("KQQQQK", "KRNNK", "KNNKR"),
    "antichess": ("QQQQvN", "KKNvRP", "PPPvB"),
    "suicide": ("QQQQvN", "KKNvRP", "PPPvB"),
}
# The square, or its file or rank, by which a name tells like men apart.
_TOLD_APART = re.compile("[A-Z]([a-h]?[1-8]?)x?[a-h][1-8]")


class Game(NamedTuple):
    """A game with the materials that are asked for, and one of which there is no table."""

    names: tuple[str, ...]
    metrics: tuple = (DTM,)
    missing: str = "KQKN"
    passing: str = ""  # a material in which pawns pass pawns
    ends: tuple[tuple[str, int], ...] = ()  # positions without a move, and their results


ENDS_OF_CHESS = (("R5k1/8/6K1/8/8/8/8/8 b", -1), ("7k/5Q2/6K1/8/8/8/8/8 b", 0))
# A king on its goal has won, whatever else is on the board.
ENDS_OF_THE_HILL = (("8/8/8/3K4/8/8/8/r6k b", -1), ("R5k1/8/6K1/8/8/8/8/8 b", -1))
ENDS_OF_GARDNER = (("R3k/5/4K/5/5 b", -1), ("4k/2Q2/4K/5/5 b", 0))
ENDS_OF_FAIRY = (("k7/2A5/1K6/8/8/8/8/8 b", -1), ("k7/2F5/1K6/8/8/8/8/8 b", 0))
BARE = "8/8/8/3k4/8/1KQ5/8/8 b"
GAMES = {
    "chess": Game(("KRK", "KQKP", "KPK", "KKP"), (DTM, DTZ), "KQQKR", "KPKP", ENDS_OF_CHESS),
    "shatranj": Game(("KQKQ", "KPK", "KKP"), missing="KRKR", ends=((BARE, -1),)),
    "makruk": Game(("KRKS", "KPK", "KKS"), missing="KMMK", ends=(("R5k1/8/6K1/8/8/8/8/8 b", -1),)),
    "gardner": Game(("KRKB", "KKP", "KPK"), (DTM, DTZ), "KQKQ", ends=ENDS_OF_GARDNER),
    "kingofthehill": Game(("KRK", "KKN"), (DTM, DTZ), "KBK", ends=ENDS_OF_THE_HILL),
    "fairy": Game(("KAKP", "KPK", "KFKP"), (DTM, DTZ), "KAAK", "KPKP", ENDS_OF_FAIRY),
}
# Ordinary runs ask the games that differ most: by their ends, by the board, by men of the user.
EACH = few(GAMES, "chess", "shatranj", "gardner", "fairy")
OTHERS = EACH[1:]  # than chess


def source_of(game, folder):
    """Return what names the rules of a game."""
    return f"{folder / 'fairy.ini'}:fairy" if game == "fairy" else game


def make_tables(folder):
    """Fill a folder with the tables of all games but chess, and with a file of rules."""
    from tablebase.core.building.generator import generate

    folder.mkdir()
    (folder / "fairy.ini").write_text(FAIRY, encoding="utf-8")
    for name, game in GAMES.items():
        if name != "chess":
            rules = read_rules(source_of(name, folder))
            wanted = filter(None, (*game.names, game.passing))
            materials = [Material.from_name(material, rules) for material in wanted]
            generate(materials, folder, metrics=game.metrics)


def random_setups(name, rules, count, *, seed=0, passing=False):
    """Yield legal positions, each through its FEN.

    With `passing`, a pawn has just passed a square in each; every second one can be captured so.
    Where checks are counted, each side has any number of them left.
    """
    rng, material = random.Random(f"{name}{seed}"), Material.from_name(name, rules)
    men = [man for man in material.men if man[1] is not NOBODY]
    while count:
        placed = dict(zip(rng.sample(rules.board.squares, len(men)), men, strict=True))
        setup = arranged(placed, Color(rng.randrange(2)), rules)
        try:
            read = read_setup(setup.fen, rules)
        except UnsupportedPositionError:
            continue
        assert (read.men, read.color) == (setup.men, setup.color)
        squares = list(passed_squares(read)) if passing else [None]
        if rules.check_counting:
            read = read._replace(checks=(rng.randint(1, 3), rng.randint(1, 3)))
        found = read._replace(ep_square=rng.choice(squares)) if squares else None
        if found and (count % 2 or not passing or any(found.en_passant())):
            yield found
            count -= 1


def setups_to_name(game, count=60):
    """Return random positions of a game in `NAMED` with moves."""
    rules = built_in_rules()[game]
    setups = [one for name in NAMED[game] for one in random_setups(name, rules, count)]
    return [one for one in setups if not one.end]


def names_by_python_chess(setups):
    """Return for each position the names of moves by UCI, among which are those of all kinds."""
    seen, found = Counter(), []
    for setup in setups:
        board = boards_of_games()[setup.rules](setup.fen)
        names = {move.uci(): board.san(move) for move in board.legal_moves}
        for name in names.values():
            seen[name[-1]] += 1
            if told := _TOLD_APART.match(name):
                seen["".join("file" if one.isalpha() else "rank" for one in told[1])] += 1
        found.append(names)
    rules = setup.rules
    kinds = (
        ["file", "rank", "#"]
        + ["filerank"] * rules.royal
        + ["+"] * (rules.royal and rules.checking)
    )
    assert min(seen[one] for one in kinds) > 0, seen
    return found


def passed_squares(setup):
    """Yield the squares that a pawn may have just passed."""
    rules, up = setup.material.rules, -8 if setup.color is Color.WHITE else 8
    name_of = rules.board.name_of
    for at, (color, man) in setup.men.items():
        if (color, man) == (setup.color.opponent, PieceType.PAWN) and 0 <= at - up < 64:
            fields = [setup.fen.split()[0], "wb"[setup.color], "-", name_of(at - up), "0", "1"]
            try:
                read_setup(" ".join(fields), rules)
            except UnsupportedPositionError:
                continue
            yield at - up


def is_lost_without_a_move(setup):
    """Return whether the side to move, which has no move, has lost."""
    rules, mover = setup.material.rules, setup.color
    mine = [man for color, man in setup.men.values() if color is mover]
    return (
        setup.is_check()
        or rules.stalemate == "loss"
        or (rules.bare_king and len(mine) == 1)
        or setup.squares[mover.opponent] in rules.goal_squares
    )


def outcome_by_moves(metric, setup, outcome_of):
    """Return the outcome that follows from those of the positions after every legal move."""
    outcomes = [
        outcome_before(metric, outcome_of(move.after), zeroing=move.zeroing)
        for move in setup.moves()
    ]
    if not outcomes:
        return LOST if is_lost_without_a_move(setup) else 0
    return max(outcomes, key=oracle.preference)


def outcome_before(metric, outcome, *, zeroing=False):
    """Return the outcome of a move by that of the position after it."""
    if outcome == ARRIVED_OUTCOME:
        return ~1
    if metric == DTZ:
        return by_definition(outcome, zeroing=zeroing)
    return oracle.outcome_before(metric, outcome, zeroing=zeroing)


by_definition = zeroing.before
