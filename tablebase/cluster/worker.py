"""A worker of a cluster: it shows that it is fit, and builds one table at a time.

All runs in worker processes, under Dask; `executor` is the other end. Tasks take and give materials
and digests only, and tables go to the shared folder.
"""

from __future__ import annotations

import hashlib
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from threading import Lock, local
from typing import Any, NamedTuple

from tablebase._version import __version__
from tablebase.core.building.builder import Header, Stage, build_table, read_header
from tablebase.core.building.progress import Progress
from tablebase.core.building.subtable_store import Key, SubtableStore
from tablebase.core.ground.errors import TablebaseError
from tablebase.core.outcomes.metrics import Metric, distances_named
from tablebase.core.rules.material import Material
from tablebase.core.storage.atomic import partial_file, remove_leftovers
from tablebase.core.storage.table_names import table_path

# The resource that a worker declares: bytes that its builds may take together.
MEMORY = "MEMORY"
# Longest wait for a file to appear on another machine; caches of NFS live for up to a minute.
VISIBLE_SECONDS = 90.0
# Interval of progress reports, and of looking whether the build is still wanted.
TELL_SECONDS = 1.0


class Introduction(NamedTuple):
    """A worker's description of itself."""

    version: str
    host: str
    processors: int
    builders: int  # builds that it may carry out at a time
    memory: int | None  # bytes that its builds may take together; None if nobody says


class Order(NamedTuple):
    """A build asked of a worker."""

    material: Material
    directory: str
    token: str  # name of a file there; as long as it exists, the work is wanted
    version: str
    threads: int | None  # of the build; None: a fair share of the machine
    builders: dict[str, int]  # builds at a time on each machine, by host
    force: bool
    metrics: tuple[str, ...]  # to be built, by name


class Receipt(NamedTuple):
    """A table that is in the shared folder."""

    material: Material
    digests: dict[str, str]  # SHA-256 by metric
    seconds: float | None  # None if it was there before
    worker: str


_own = local()  # the sub-tables of a thread, by directory
_cleared: set[str] = set()
_clearing = Lock()


async def inspect(directory: str, token: str, version: str, dask_worker: Any) -> str | None:
    """Return the reason that a worker must not build, None if it may; readmit a resigned worker."""
    problem = find_problem(directory, token, version)
    memory = _memory_of(dask_worker)
    if problem is None and memory is not None:
        await dask_worker.set_resources(**dask_worker.state.total_resources | {MEMORY: memory})
    return problem


def find_problem(directory: str, token: str, version: str) -> str | None:
    """Return the reason why this process must not build tables in a folder, None if it may."""
    if program_version() != version:
        return f"it runs version {program_version()}, not {version}: install the same there"
    folder = Path(directory)
    if not _appears(folder / token):
        return f"it does not see the files in {directory}: mount that folder there"
    try:
        with partial_file(folder / "trial.h5"):
            pass
    except OSError as error:
        return f"it cannot write to {directory}: {error.strerror}"
    return None


@cache
def program_version() -> str:
    """Return the version of the program with a digest of its sources, as 0.2.0+1f00ba5e."""
    package = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0")
        digest.update(path.read_bytes() + b"\0")
    return f"{__version__}+{digest.hexdigest()[:8]}"


def _appears(path: Path, seconds: float = 0.0) -> bool:
    """Return whether a file is there; shared folders may show it late."""
    end = time.monotonic() + seconds
    while not path.exists():
        if time.monotonic() >= end:
            return False
        time.sleep(0.2)
        # Reading the folder makes NFS ask the server again.
        _ = any(path.parent.iterdir()) if path.parent.is_dir() else None
    return True


def _memory_of(dask_worker: Any) -> float | None:
    """Return the memory that a worker declares, or else the limit that Dask holds it to."""
    declared: float | None = dask_worker.state.total_resources.get(MEMORY)
    limit: int | None = dask_worker.memory_manager.memory_limit
    return declared if declared is not None else limit


def build(order: Order, subtables: Sequence[Receipt]) -> Receipt:
    """Build a table in the shared folder after its sub-tables: the task that Dask hands out.

    The message of a `TablebaseError` names the material and the worker.
    """
    from distributed import get_worker  # noqa: PLC0415 (the extra is not always there)

    worker = get_worker()
    problem = find_problem(order.directory, order.token, order.version)
    if problem is not None:
        raise _resign(worker, problem)
    try:
        return _build(order, subtables, worker)
    except (TablebaseError, OSError, MemoryError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise TablebaseError(
            f"building {order.material} failed on worker {worker.address} "
            f"({socket.gethostname()}): {reason}"
        ) from error


def _resign(worker: Any, problem: str) -> Exception:
    """Tell the scheduler to give this worker no more builds; return what to raise."""
    from distributed import Reschedule  # noqa: PLC0415 (the extra is not always there)
    from distributed.utils import sync  # noqa: PLC0415

    async def resign() -> None:
        # Zero the resource on the scheduler only: a worker whose own resource is zero would never
        # start, and so never return, the builds already assigned to it.
        resources = {**worker.state.total_resources, MEMORY: 0}
        await worker.scheduler.set_resources(resources=resources, worker=worker.contact_address)

    sync(worker.loop, resign)
    return Reschedule(problem)


def _build(order: Order, subtables: Sequence[Receipt], worker: Any) -> Receipt:
    material = order.material
    me = introduce(worker)
    builders = order.builders.get(me.host, me.builders)
    store = _store(order.directory, material, order.threads or fair_share(me.processors, builders))
    metrics = [one for name in order.metrics for one in distances_named(name)]
    known = _check_subtables(order.directory, subtables, metrics)
    path = table_path(order.directory, material)
    # An earlier attempt may have been lost after it had finished.
    there = (Header() if order.force else read_header(path, material)).digests
    if there.keys() >= set(metrics):
        return Receipt(material, _named(there), None, worker.address)
    store.keep_only(known)
    built = build_table(material, metrics, store, _teller(order, worker))
    digests = read_header(path, material, [*there, *metrics]).digests
    return Receipt(material, _named(digests), built.seconds, worker.address)


def introduce(dask_worker: Any) -> Introduction:
    """Return a worker's introduction of itself; Dask hands it over."""
    from dask.system import CPU_COUNT  # noqa: PLC0415 (the extra is not always there)

    memory = _memory_of(dask_worker)
    return Introduction(
        program_version(),
        socket.gethostname(),
        CPU_COUNT,
        dask_worker.state.nthreads,
        None if memory is None else int(memory),
    )


def _store(directory: str, material: Material, threads: int) -> SubtableStore:
    """Return the sub-tables of this thread; the first call clears up after killed processes."""
    folder = str(Path(directory, material.rules.folder))
    with _clearing:
        if folder not in _cleared:
            remove_leftovers(folder)
            _cleared.add(folder)
    stores: dict[str, SubtableStore] = _own.__dict__
    store = stores.setdefault(directory, SubtableStore(directory, threads))
    store.threads = threads
    return store


def fair_share(processors: int, builders: int) -> int:
    """Return the number of threads for each of some builds on one machine, at least one."""
    return max(processors // max(builders, 1), 1)


def _check_subtables(
    directory: str, subtables: Sequence[Receipt], metrics: Sequence[Metric]
) -> dict[Key, str]:
    """Return the digests of sub-tables, once they are seen in the folder as they should be."""
    found = {}
    for receipt in subtables:
        path = table_path(directory, receipt.material)
        if not _appears(path, VISIBLE_SECONDS):
            raise TablebaseError(f"{path} does not appear: is the folder shared by all workers?")
        digests = read_header(path, receipt.material).digests
        for metric in metrics:
            if digests.get(metric) != receipt.digests[metric.name]:
                message = f"{path} has other values than when it was built: build it again"
                raise TablebaseError(message)
            found[receipt.material, metric] = digests[metric]
    return found


def _named(digests: Mapping[Metric, str]) -> dict[str, str]:
    return {metric.name: digest for metric, digest in digests.items()}


def _teller(order: Order, worker: Any) -> Callable[[Stage, Progress | None], None]:
    """Return a function that reports progress to the client, and stops a build not wanted."""
    token = Path(order.directory, order.token)
    last: list[Any] = [None, 0.0]

    def tell(stage: Stage, progress: Progress | None) -> None:
        now = time.monotonic()
        if stage is last[0] and now < last[1] + TELL_SECONDS:
            return
        last[:] = stage, now
        if not token.exists():
            raise TablebaseError("no longer wanted")
        done = None if progress is None else tuple(progress)
        worker.log_event(order.token, (order.material.name, stage.name, done, worker.address))

    return tell
