"""Many cases in one process, which may crash, hang or ask for too much memory without harm."""

from __future__ import annotations

import multiprocessing
import os
import random
import shutil
import signal
import traceback
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

from fuzzing.target import FAILURE, RIGHT, Mutant, Target, WrongAnswerError

try:
    import resource
except ModuleNotFoundError:  # Windows
    resource = None  # type: ignore[assignment]

MEMORY = 2 << 30  # bytes that a case may take beyond what its process has when it begins
SETTING_UP = 600.0  # seconds at most to make tables and to compile what reads them
_GOING = 60.0  # seconds at most until processes have gone


class Outcome(NamedTuple):
    """The outcome of a case."""

    verdict: str  # RIGHT, REFUSED or FAILURE
    how: str = ""  # the change of its input
    what: str = ""  # of a failure: what happened, in one line
    details: str = ""  # of a failure: the traceback


class Worker:
    """A process that tries cases of one target; `RuntimeError` if valid input is answered wrong.

    A case that takes longer than `limit` seconds counts as hanging.
    """

    def __init__(self, target: type[Target], base: Path, seed: int, limit: float) -> None:
        self._name, self._limit = target.name, limit
        self.folder = base / "case" / target.name
        context = multiprocessing.get_context("spawn")
        self._connection, other = context.Pipe()
        arguments = other, target, base, self.folder, seed
        self._process = context.Process(target=_work, args=arguments, daemon=True)
        self._process.start()
        other.close()
        ready = self._receive(SETTING_UP)
        if ready.verdict != RIGHT:
            self.stop()
            raise RuntimeError(f"{target.name}: {ready.what}\n{ready.details}")

    def ask(self, case: int) -> Outcome:
        """Try a case; after a crash or a hang the worker has gone."""
        self._connection.send(case)
        begun = self._receive(self._limit)
        return begun if begun.verdict else self._receive(self._limit)._replace(how=begun.how)

    def _receive(self, limit: float) -> Outcome:
        try:
            if self._connection.poll(limit):
                outcome: Outcome = self._connection.recv()
                return outcome
        except (EOFError, ConnectionError):
            self._process.join(_GOING)
            code = self._process.exitcode or 0
            what = signal.Signals(-code).name if code < 0 else f"exit code {code}"
            return Outcome(FAILURE, what=f"the process ended with {what}")
        self.kill()
        return Outcome(FAILURE, what=f"no answer in {limit:g} seconds")

    @property
    def is_alive(self) -> bool:
        """Whether it can be asked."""
        return self._process.is_alive()

    def stop(self) -> bool:
        """End the process; return whether all processes that it started have ended, too."""
        with suppress(OSError):
            self._connection.send(None)
        self._process.join(_GOING)
        left = self.kill()
        return not left

    def kill(self) -> bool:
        """Kill the process and those that it started; return whether there were any."""
        process = self._process.pid
        assert process is not None
        try:
            os.killpg(process, signal.SIGKILL)
        except ProcessLookupError:
            left = False
        else:
            left = True
        self._process.join(_GOING)
        return left


def _work(connection: Connection, kind: type[Target], base: Path, folder: Path, seed: int) -> None:
    """Try the cases that are asked for."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends it
    log = os.open(base / f"{kind.name}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for stream in (1, 2):
        os.dup2(log, stream)
    try:
        target = kind(base)
        for mutant in target.valid():
            verdict = judge(target, mutant, folder)
            assert verdict == RIGHT, f"{mutant.name} is {verdict} as it is"
        bound_memory(os.getpid())
    except BaseException as error:  # noqa: BLE001 (the parent tells it)
        connection.send(_failure("nothing", error))
        return
    connection.send(Outcome(RIGHT))
    while (case := connection.recv()) is not None:
        connection.send(run_case(target, folder, seed, case, connection.send))
    target.close()


def judge(target: Target, mutant: Mutant, folder: Path) -> str:
    """Write a changed input to a folder of its own; return what the target says of the answers."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    path = folder / mutant.name
    path.write_bytes(mutant.data)
    return target.judge(mutant, path)


def bound_memory(process: int) -> None:
    """Let a process have no more memory than it has, and MEMORY, where the system can."""
    with suppress(OSError, AttributeError):
        status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
        data = next(line for line in status.splitlines() if line.startswith("VmData"))
        bound = int(data.split()[1]) * 1024 + MEMORY
        # A program with sanitizers, which take terabytes of addresses, may lift it again.
        _, hard = resource.prlimit(process, resource.RLIMIT_DATA)
        resource.prlimit(process, resource.RLIMIT_DATA, (bound, hard))


def _failure(how: str, error: BaseException) -> Outcome:
    """Return what is told of an error: its kind, its message, and where it was raised."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    what = " ".join(str(error).split())[:200]
    if not isinstance(error, WrongAnswerError):
        what = f"{type(error).__name__} in {Path(place.filename).name}:{place.lineno}: {what}"
    return Outcome(FAILURE, how, what, "".join(traceback.format_exception(error)))


def run_case(
    target: Target, folder: Path, seed: int, case: int, begin: Callable[[Outcome], None]
) -> Outcome:
    """Make a case, tell how it was made, and judge it."""
    try:
        mutant = target.mutant(random.Random(f"{seed} {target.name} {case}"))
    except Exception as error:  # noqa: BLE001 (any is a failure, here of ours)
        return _failure("being made", error)
    begin(Outcome("", mutant.how))
    try:
        return Outcome(judge(target, mutant, folder), mutant.how)
    except (Exception, SystemExit) as error:  # noqa: BLE001 (any is a failure)
        return _failure(mutant.how, error)
