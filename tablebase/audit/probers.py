"""``tablebase audit`` of what other programs and servers answer, see `checking.audit_prober`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tablebase.cli.choice import choose
from tablebase.cli.commands.verify import exit_code
from tablebase.cli.terminal import complain, explain, print_json, printable, showing_progress
from tablebase.core.ground.errors import InvalidMaterialError, InvalidRulesError, TablebaseError
from tablebase.core.ground.words import counted, quoted

if TYPE_CHECKING:
    from tablebase.audit.prober_audit import ProberAudit, ProberFinding
    from tablebase.audit.prober_rule import Answer
    from tablebase.core.rules.rules import Rules

_SAMPLE = 1000
_SAMPLE_OF_SERVER = 100  # a request each


def audit_answers(arguments: argparse.Namespace) -> int:
    """Carry the command out for ``--prober`` or ``--server``."""
    from tablebase.audit.prober_audit import audit_prober

    if not arguments.names:
        raise InvalidMaterialError(
            "name the materials to ask about, like KRK KQKR: a prober does not list its tables"
        )
    choice = choose(arguments)
    materials = [material.normalized() for material in choice.materials]
    sample = arguments.sample or (_SAMPLE_OF_SERVER if arguments.server else _SAMPLE)
    found: list[ProberAudit] = []
    with ExitStack() as stack:
        prober = stack.enter_context(_opened(arguments, choice.rules))
        reference = stack.enter_context(choice.open_tables())
        for material in materials:
            with showing_progress(f"asking about {material}") as progress:
                (one,) = audit_prober(
                    prober,
                    [material],
                    sample,
                    arguments.seed or 0,
                    exact=arguments.exact,
                    reference=reference,
                    progress=progress,
                )
            found.append(one)
            if not arguments.json:
                _show(one)
    if arguments.json:
        print_json([_describe(one) for one in found])
    unchecked = [one for one in found if not (one.passed or one.differs)]
    for what, some in (
        ("value", [one for one in unchecked if not one.answered]),
        ("value after a move", [one for one in unchecked if one.answered]),
    ):
        if some:
            names = " ".join(one.material.name for one in some)
            asked = arguments.server or arguments.prober[1]
            complain(f"no {what} of any position of {names}: check that {asked} has these tables")
    return exit_code(found, unchecked=len(unchecked))


@contextmanager
def _opened(arguments: argparse.Namespace, rules: Rules) -> Iterator[object]:
    """Yield the prober that arguments name, and close it afterwards if it can be closed."""
    from tablebase.audit.prober_server import ServerProber
    from tablebase.core.positions.chess_variants import boards_of_games
    from tablebase.core.rules.refusals import has_mates

    if arguments.server:
        known = {one: board for one, board in boards_of_games().items() if has_mates(one)}
        board_type = known.get(rules)
        if board_type is None:
            names = " ".join(one.name for one in known)
            raise InvalidRulesError(f"no server answers for {rules.name}, but for {names}")
        yield ServerProber(arguments.server, variant=board_type)
        return
    prober = load_prober(*arguments.prober)
    try:
        yield prober
    finally:
        close = getattr(prober, "close", None)
        if callable(close):
            close()


def load_prober(named: str, argument: str) -> object:
    """Return the prober that ``NAME(ARGUMENT)`` gives, for `named` ``MODULE:NAME``.

    The module may be the path of a file. Raises `TablebaseError` if it fails or gives no prober.
    """
    from tablebase.audit.prober_rule import Prober

    make = _callable_named(named)
    try:
        prober: object = make(argument)
    except Exception as error:
        raise TablebaseError(f"{named} cannot open {quoted(argument)}: {explain(error)}") from error
    try:
        Prober(prober)
    except TypeError as error:
        raise TablebaseError(f"{named} returned no prober: {error}") from error
    return prober


def _callable_named(text: str) -> Any:
    """Return the function or class of a text ``MODULE:NAME``, or raise `TablebaseError`."""
    source, _, name = text.rpartition(":")
    if not (source and name):
        raise TablebaseError(
            f"{quoted(text)} does not name a prober: "
            "write MODULE:NAME, like chess.syzygy:open_tablebase"
        )
    try:
        module = _loaded(Path(source)) if source.endswith(".py") else import_module(source)
    except Exception as error:
        raise TablebaseError(
            f"{source} cannot be imported: {explain(error)}: name a module, or a file by its path"
        ) from error
    if not callable(getattr(module, name, None)):
        raise TablebaseError(
            f"{source} has no function or class {quoted(name)}: write another NAME"
        )
    return getattr(module, name)


def _loaded(path: Path) -> ModuleType:
    """Return a file as a module."""
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _show(audit: ProberAudit) -> None:
    positions, answered = sum(audit.positions.values()), audit.answered
    missing = {
        "others without a value": positions - answered,
        "of them without a value after any move": answered - audit.judged,
    }
    without = ", ".join(f"{number:,} {what}" for what, number in missing.items() if number)
    without = f" ({without})" if without else ""
    contradictions = counted(audit.contradicting, "contradiction")
    print(
        f"{audit.material}: {audit.verdict}, {counted(answered, 'position')}{without}, "
        f"{contradictions}"
    )
    if audit.compared:
        differences = counted(audit.different, "difference")
        print(f"  tables: {audit.compared:,} compared, {differences}")
    if answered:
        longest = [
            f"longest {name.removeprefix('probe_')} {plies}"
            for name, plies in audit.longest.items()
        ]
        print(f"  asked: {', '.join(audit.asked)} of {counted(audit.probes, 'position')}")
        print(f"  kinds: {_counts(audit.positions)}")
        print(f"  found: {', '.join([_counts(audit.results), *longest])}")
    for finding in audit.findings[:1]:
        print(f"  {printable(str(finding))}")
        for move in finding.moves:
            print(f"    after {move.san}: {printable(str(move.answer))}")


def _counts(numbers: dict[str, int]) -> str:
    return ", ".join(f"{name} {number:,}" for name, number in numbers.items())


def _describe(audit: ProberAudit) -> dict[str, Any]:
    """Return an audit as JSON types."""
    return {
        "material": audit.material.name,
        "passed": audit.passed,
        "asked": list(audit.asked),
        "positions": audit.positions,
        "answered": audit.answered,
        "judged": audit.judged,
        "probes": audit.probes,
        "results": audit.results,
        "longest": audit.longest,
        "contradicting": audit.contradicting,
        "compared": audit.compared,
        "different": audit.different,
        "findings": [_describe_finding(one) for one in audit.findings],
    }


def _describe_finding(finding: ProberFinding) -> dict[str, Any]:
    def values(answer: Answer) -> dict[str, Any]:
        return answer.given | ({"problem": answer.problem} if answer.problem else {})

    return {
        "fen": finding.fen,
        "answer": values(finding.answer),
        "reason": finding.reason,
        "moves": [{"san": move.san, "answer": values(move.answer)} for move in finding.moves],
    }
