"""Legal moves of the games that are built in, as Fairy-Stockfish finds them."""

import random
import textwrap
from importlib import resources

import pytest

from tablebase.core.board.geometry import Color, PieceType, square_name
from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.core.positions.setup import Setup
from tablebase.core.positions.setup_fens import read_setup
from tablebase.core.rules.material import Material
from tablebase.core.rules.rule_files import built_in_rules, parse_rules

pyffish = pytest.importorskip("pyffish")

GAMES = [name for name in built_in_rules() if name != "chess"]
OF_ITS_OWN = ("shatranj", "makruk")  # games that it knows without our file
# Walls, and pieces that capture in another way than they move.
MADE_UP = """
    [walls:chess]
    maxFile = f
    maxRank = 5
    startFen = kqrrqk/pppppp/2**2/PPPPPP/KQRRQK w - - 0 1
    customPiece1 = d:mKcQ
    customPiece2 = e:mRcN
    pawn = -
    castling = false

    [apart:chess]
    customPiece1 = d:mKcQ
    customPiece2 = a:mWcF
    customPiece3 = g:mfRcbW
    promotionPieceTypes = dg
"""
RULES = {**built_in_rules(), **parse_rules(MADE_UP)}
MEN = 5
POSITIONS = 150


@pytest.fixture(scope="module", autouse=True)
def variants():
    """Let it read the very file that our games come from, each under another name."""
    text = resources.files("tablebase.core.rules").joinpath("games.ini").read_text(encoding="utf-8")
    for name in GAMES:
        text = text.replace(f"[{name}:", f"[our-{name}:")
    pyffish.load_variant_config(text)
    pyffish.load_variant_config(textwrap.dedent(MADE_UP))


def random_setup(rng, rules):
    """Return a legal position of random men, each side with two or three."""
    letters = [letter for letter in rules.letters if letter != "K"]
    while True:
        white, black = rng.choices(letters, k=2), rng.choices(letters, k=1)
        material = Material.from_name(f"K{''.join(white)}K{''.join(black)}", rules)
        squares = tuple(rng.sample(rules.board.squares, MEN))
        setup = Setup(material, squares, Color(rng.randrange(2)))
        if not set(squares[:2]).isdisjoint(rules.goal_squares):
            continue  # Fairy-Stockfish lists moves after the end of a game
        try:
            return read_setup(setup.fen, rules)
        except UnsupportedPositionError:
            continue


def moves_of(setup):
    """Return the legal moves as Fairy-Stockfish writes them."""
    rules = setup.material.rules
    return {
        rules.board.name_of(move.origin)
        + rules.board.name_of(move.target)
        + ("" if move.promotion is None else rules.letter_of(move.promotion).lower())
        for move in setup.moves()
    }


@pytest.mark.parametrize(
    ("variant", "name"),
    [
        *((f"our-{name}", name) for name in GAMES),
        *((name, name) for name in (*OF_ITS_OWN, "walls", "apart")),
    ],
)
def test_moves_are_those_of_fairy_stockfish(variant, name):
    rng, rules = random.Random(name), RULES[name]
    promotions = captures = 0
    for _ in range(POSITIONS):
        setup = random_setup(rng, rules)
        found = moves_of(setup)
        assert found == set(pyffish.legal_moves(variant, setup.fen, [])), setup.fen
        assert setup.is_check() == pyffish.gives_check(variant, setup.fen, [])
        promotions += any(len(move) == 5 for move in found)
        captures += any(move.captured is not None for move in setup.moves())
    assert promotions > 0 or "P" not in rules.letters
    assert captures > 0


def test_what_passes_a_pawn_may_be_captured():
    """En passant, where pawns have the double step."""
    rules = built_in_rules()["capablanca8"]
    setup = read_setup("4k3/8/8/8/3p4/8/4P3/4K3 w", rules)
    push = next(move for move in setup.moves() if move.after.ep_square)
    (capture,) = push.after.en_passant()
    assert (capture.man, Color.BLACK) == (PieceType.PAWN, push.after.color)
    uci = square_name(capture.origin) + square_name(capture.target)
    assert uci in pyffish.legal_moves("our-capablanca8", setup.fen, ["e2e4"])
