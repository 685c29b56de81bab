"""Files of rules: each is refused, or read and kept without loss."""

from __future__ import annotations

import random
from importlib import resources
from pathlib import Path

from fuzzing.mutations import change_text, damage
from fuzzing.target import REFUSED, RIGHT, Answers, Mutant, Target, WrongAnswerError, run_command

from tablebase.core.ground.streams import decoded
from tablebase.core.rules.rule_files import RULE_KEYS, built_in_rules, parse_rules, read_rules
from tablebase.core.rules.rules import Rules

_NOTATIONS = (
    "N", "FfW", "BN", "mWcF", "fmWfcF", "(1,3)", "(0,2)", "W4", "fR", "ifmnD", "hh", "mc", "-", "",
    "f" * 300, "hh" * 3000, "N" * 3000, "(" * 100, "(1,3)" * 500, "W99999999999", "\x1b[31m", "é",
)  # fmt: skip
_VALUES = (
    "true", "false", "-", "", "k", "q", "a", "aa", "b5 d4", "*", "0", "1", "9", "26", "-1", "1e9",
    "9" * 5000, "loss", "draw", "nbrq", "é", "\x1b[2J", "a:b:c", "h" * 5000,
)  # fmt: skip
_OWN = "my-"
_LETTERS = "abcdehjqxyz"


def _line(rng: random.Random) -> str:
    """Return a line with a key that is known, and a value that fits or does not."""
    if rng.random() < 0.4:
        notation = rng.choice(_NOTATIONS)
        return f"customPiece{rng.randrange(1, 4)} = {rng.choice(_LETTERS)}:{notation}"
    return f"{rng.choice(sorted(RULE_KEYS))} = {rng.choice(_VALUES)}"


class RuleFiles(Target):
    """The games that are built in, their lines, and lines made of keys and values."""

    name = "rules"

    def __init__(self, base: Path) -> None:
        super().__init__(base)
        self._text = (
            resources.files("tablebase.core.rules").joinpath("games.ini").read_text("utf-8")
        )
        sections = self._text.split("\n[")
        # The games that are built in keep their names.
        self._sections = [f"[{_OWN}{section.strip()}" for section in sections[1:]]

    def valid(self) -> list[Mutant]:
        """Return the games one by one, as far as they need no other."""
        return [
            Mutant("mine.ini", "nothing", f"{section}\n".encode())
            for section in self._sections
            if ":chess]" in section
        ]

    def mutant(self, rng: random.Random) -> Mutant:
        """Return the text of a game, changed or with other lines."""
        text = rng.choice(self._sections)
        how = rng.choice(("bytes", "text", "lines", "lines", "encoding"))
        if how == "lines":
            head, *lines = text.splitlines()
            lines += [_line(rng) for _ in range(rng.randrange(1, 5))]
            rng.shuffle(lines)
            return Mutant("mine.ini", how, "\n".join([head, *lines]).encode())
        if how == "encoding":
            code = rng.choice(("utf-16", "utf-8-sig", "utf-32"))
            return Mutant("mine.ini", how, text.encode(code))
        data = text.encode()
        changed = damage(rng, data, [data])[1] if how == "bytes" else change_text(rng, data)
        return Mutant("mine.ini", how, changed)

    def judge(self, mutant: Mutant, path: Path) -> str:
        """Read the file by the parser and by a command; what is read is kept without loss."""
        answers = Answers()
        rules: Rules | None = answers.ask(lambda: read_rules(path))
        ended = run_command("rules", str(path))
        if (ended.code == 0) != (rules is not None):
            raise WrongAnswerError(
                f"read_rules and tablebase rules differ: {ended.err or ended.out}"
            )
        if rules is None:
            if ended.err.count("\n") != 1:
                raise WrongAnswerError(f"the refusal has not one line: {ended.err}")
            return REFUSED
        if Rules.from_text(rules.name, rules.text) != rules:
            raise WrongAnswerError("the rules are others when read from a table")
        if mutant.how == "nothing" and rules != built_in_rules()[rules.name.removeprefix(_OWN)]:
            raise WrongAnswerError(f"{rules.name} is another game")
        if rules.name not in parse_rules(decoded(path.read_bytes()), "again"):
            raise WrongAnswerError("the name is another one when the text is read")
        return RIGHT
