"""Games in PGN: whatever one of them is, the others are annotated."""

from __future__ import annotations

import random
import re
from pathlib import Path

from fuzzing.mutations import change_text, damage
from fuzzing.tables import make_tables
from fuzzing.target import REFUSED, RIGHT, Mutant, Target, WrongAnswerError, run_command

_GAMES = (
    ("8/8/8/8/8/2k5/1R6/K7 w - - 0 1", "1. Kb1 {a comment} (1. Rb7 Kc4) 1... Kd3 $1 2. Rb3+ *"),
    ("8/5P1k/8/8/8/8/8/K7 w - - 0 1", "1. f8=Q {[%clk 0:01:00]} Kg6 2. Qe7 Kf5 1-0"),
    ("8/8/8/8/8/k7/p7/K7 w - - 99 60", "1/2-1/2"),
)
_ODD_GAMES = (
    "[", '[FEN "x"]\n\n1. e4 *', "1. e4 (" + "(" * 3000, "{" * 5000, "1. e4 " * 5000, "*", "\x00",
    '[Event "\x1b[31m"]\n\n1. e4 e5 *', "1. O-O-O Qxz9 --", '[FEN "8/8"]\n[SetUp "1"]\n\n*', "%",
    '[Variant "Chess960"]\n\n1. e4 *', '[Variant "Atomic"]\n\n1. e4 *', "; \ud800 \ufeff",
    '[Event "' + "é" * 20_000 + '"]\n\n*',
)  # fmt: skip
# A move that is annotated in each of the first games.
_WITNESS = re.compile(r"1\. (Kb1|f8=Q)")


def _game(number: int) -> str:
    fen, moves = _GAMES[number]
    return f'[Event "game {number}"]\n[FEN "{fen}"]\n[SetUp "1"]\n\n{moves}\n\n'


class Games(Target):
    """Two games, and a third one of any kind."""

    name = "games"

    def __init__(self, base: Path) -> None:
        super().__init__(base)
        self._tables = make_tables(base)

    def valid(self) -> list[Mutant]:
        """Return three games."""
        text = "".join(map(_game, range(len(_GAMES))))
        return [Mutant("games.pgn", "nothing", text.encode())]

    def mutant(self, rng: random.Random) -> Mutant:
        """Return two games, and a third one that is changed, odd, or no text at all."""
        first = "".join(map(_game, range(2))).encode()
        third = _game(rng.randrange(len(_GAMES))).encode()
        how = rng.choice(("text", "bytes", "odd", "noise", "letters"))
        if how == "text":
            third = change_text(rng, third)
        elif how == "bytes":
            third = damage(rng, third, [third])[1]
        elif how == "odd":
            third = rng.choice(_ODD_GAMES).encode(errors="surrogatepass")
        elif how == "noise":
            third = rng.randbytes(rng.choice((1, 30, 3000)))
        else:
            third = f'[White "{chr(rng.randrange(32, 0xD800))}é"]\n\n*\n'.encode(
                rng.choice(("utf-8", "latin-1", "cp1252", "utf-16")), errors="replace"
            )
        return Mutant("games.pgn", how, first + third)

    def judge(self, mutant: Mutant, path: Path) -> str:
        """Annotate the games; the first two must be there."""
        ended = run_command("annotate", str(path), "--dir", str(self._tables), shown=False)
        if ended.code not in {0, 2}:
            raise WrongAnswerError(f"annotate ended with {ended.code}: {ended.err}")
        for number in range(2):
            if f'[Event "game {number}"]' not in ended.out:
                raise WrongAnswerError(f"game {number} is missing: {ended.err}")
        if len(_WITNESS.findall(ended.out)) < 2:
            raise WrongAnswerError("a game has lost its moves")
        if mutant.how == "nothing" and ended.out.count("[Event ") != len(_GAMES):
            raise WrongAnswerError("a game is missing")
        return REFUSED if ended.code else RIGHT
