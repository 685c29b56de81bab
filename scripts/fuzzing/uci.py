"""Lines of chess programs: whatever they say, the engine goes on and answers as UCI has it."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from pathlib import Path

from fuzzing.mutations import change_text, damage
from fuzzing.tables import make_tables
from fuzzing.target import REFUSED, RIGHT, Mutant, Target, WrongAnswerError

from tablebase.uci.engine import Engine

FENS = (
    "8/8/8/8/8/2k5/1R6/K7 w - - 0 1",
    "8/5P1k/8/8/8/8/8/K7 w - - 0 1",
    "8/8/8/8/8/k7/p7/K7 w - - 99 60",
    "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",
)
_LINES = (
    "uci", "isready", "ucinewgame", "stop", "ponderhit", "debug on", "debug off", "register later",
    "position startpos", "position startpos moves e2e4 e7e5 g1f3",
    *(f"position fen {fen}" for fen in FENS),
    "position fen 8/8/8/8/8/2k5/1R6/K7 w - - 0 1 moves b2b7 c3c4 a1a2",
    "go", "go infinite", "go ponder", "go movetime 10", "go depth 3 nodes 5 mate 2",
    "go wtime 1000 btime 1000 winc 0 binc 0 movestogo 1", "go searchmoves b2b7 b2b8",
    "setoption name MultiPV value 3", "setoption name Hash value 1",
    "setoption name Syzygy50MoveRule value false", "setoption name Ponder value true",
    "setoption name TablebasePath value /nowhere", "setoption name TablebasePath value <empty>",
    "setoption name Clear Hash", "position fen", "setoption", "go searchmoves", "position",
)  # fmt: skip
_RARE = ("quit",)
_PROCESSES = 0.01  # share of cases that start the command: they take seconds
_MOVE = r"[a-h][1-8][a-h][1-8][qrbn]?"
_ANSWER = re.compile(
    r"id (name|author) \S.*|option name \S.* type (string|spin|check|combo) default .*"
    r"|uciok|readyok"
    rf"|info string \S.*|info depth \d+ (multipv \d+ )?(score (mate|cp) -?\d+ ?)?.*"
    rf"|bestmove (\(none\)|{_MOVE}( ponder {_MOVE})?)"
)

_REFUSAL = re.compile("info string (illegal position|option|no such option|no tables|unknown)")


class Uci(Target):
    """The engine in this process, with lines as the command reads them."""

    name = "uci"

    def __init__(self, base: Path) -> None:
        super().__init__(base)
        self._tables = make_tables(base)

    def valid(self) -> list[Mutant]:
        """Return what a chess program says."""
        lines = ["uci", "isready", f"position fen {FENS[0]}", "go movetime 10"]
        return [Mutant("input", "nothing", "\n".join(lines).encode() + b"\n")]

    def mutant(self, rng: random.Random) -> Mutant:
        """Return lines in any order, some of them changed."""
        lines = [rng.choice(_LINES).encode() for _ in range(rng.randrange(1, 12))]
        if rng.random() < 0.05:
            lines.append(rng.choice(_RARE).encode())
        how = rng.choice(("order", "words", "texts", "bytes"))
        if rng.random() < _PROCESSES:
            how = "process"
        if how == "words":
            lines = [_other_words(rng, line) for line in lines]
        elif how == "texts":
            lines = [change_text(rng, line) if rng.random() < 0.5 else line for line in lines]
        data = rng.choice((b"\n", b"\n", b"\r\n")).join(lines) + b"\n"
        if how in {"bytes", "process"}:
            data = damage(rng, data, [data])[1]
        return Mutant("input", how, data)

    def judge(self, mutant: Mutant, path: Path) -> str:
        """Let the engine read the lines, then ask for a mate that is known."""
        if mutant.how == "process":
            return self._judge_process(path)
        lines = mutant.data.decode("utf-8", errors="surrogateescape").splitlines(keepends=True)
        answers: list[str] = []
        engine = Engine(answers.append, str(self._tables))
        is_over = not all(engine.handle(line) for line in lines)
        engine.run([] if is_over else self._last_lines())
        verdict = _verdict(answers)
        if not is_over and not any("multipv 1 score mate 16 " in one for one in answers[-3:]):
            raise WrongAnswerError(f"the mate in 16 is not found: {answers[-3:]}")
        return verdict

    def _judge_process(self, path: Path) -> str:
        """Let the command read the file."""
        command = [sys.executable, "-m", "tablebase", "uci", "--dir", str(self._tables)]
        with path.open("rb") as lines:
            ended = subprocess.run(command, stdin=lines, capture_output=True, check=False)
        if ended.returncode or ended.stderr:
            told = ended.stderr.decode(errors="replace")[-500:]
            raise WrongAnswerError(f"the engine ended with {ended.returncode}: {told}")
        return _verdict(ended.stdout.decode().splitlines())

    def _last_lines(self) -> list[str]:
        options = {"TablebasePath": self._tables, "MultiPV": 1, "Syzygy50MoveRule": "true"}
        set_up = [f"setoption name {name} value {value}" for name, value in options.items()]
        return [*set_up, "isready", f"position fen {FENS[0]}", "go"]


def _verdict(answers: list[str]) -> str:
    """Return whether something was refused; raise an error if an answer is none of UCI."""
    for answer in answers:
        if not _ANSWER.fullmatch(answer):
            raise WrongAnswerError(f"not a line of UCI: {answer!r}")
    return REFUSED if any(map(_REFUSAL.match, answers)) else RIGHT


def _other_words(rng: random.Random, line: bytes) -> bytes:
    """Return a line with a word left out, doubled, or replaced by one of another line."""
    words = line.split(b" ")
    place = rng.randrange(len(words))
    other = rng.choice(rng.choice(_LINES).encode().split(b" "))
    words[place : place + 1] = rng.choice(([], [words[place]] * rng.choice((2, 5000)), [other]))
    return b" ".join(words)
