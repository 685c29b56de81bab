"""The engine's kernels as modules of WebAssembly: a web page solves `problem_files` by them.

Each solver has a module of its own, because most pages need only the one of chess.
"""

from __future__ import annotations

import hashlib

from tablebase.core.engine.games.chess import CHESS_GAME
from tablebase.core.engine.games.every_game import EVERY_GAME, game_of
from tablebase.core.engine.plies.slices import solve_slices
from tablebase.core.engine.problem_images import kernel_arguments
from tablebase.core.jit.kernel_sources import source_digest
from tablebase.core.outcomes.metrics import METRICS
from tablebase.core.rules.material import all_materials
from tablebase.core.rules.rule_files import built_in_rules
from tablebase.core.rules.rules import Rules

SOLVERS = {"chess": CHESS_GAME, "every_game": EVERY_GAME}
ENTRY = "solve"  # the function of a module


def solver_of(rules: Rules) -> str:
    """Return the name of the solver of some rules, one of SOLVERS."""
    return next(name for name, game in SOLVERS.items() if game == game_of(rules))


def module_name(solver: str) -> str:
    """Return the name of the file of a solver's module.

    It has a digest of the kernels' sources: a module of other kernels is another file.
    """
    kernels = (solve_slices, *SOLVERS[solver])
    sources = "".join(source_digest(one.py_func) for one in kernels)
    return f"{solver}-{hashlib.sha256(sources.encode()).hexdigest()[:16]}.bin"


def module_object(solver: str) -> bytes:
    """Return the object file of a solver's module, for the linker. Raises as `wasm_object` does."""
    from tablebase.core.jit.ahead import wasm_object  # noqa: PLC0415 (imports numba)

    rules = next(one for one in built_in_rules().values() if solver_of(one) == solver)
    return wasm_object(
        solve_slices, kernel_arguments(all_materials(3, rules)[0], METRICS[0]), ENTRY
    )
