"""Builds on many workers, under Dask: one task for each table, after its sub-tables' tasks.

The scheduler gets materials and digests; tables go to a folder that all workers share. A worker
gets what fits the memory that it declares (``--resources MEMORY=16e9``) or Dask's limit; the build
of a lost worker goes to another. `worker` is the other end.
"""

from __future__ import annotations

import logging
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any

from tablebase.cluster import worker
from tablebase.cluster.worker import (
    MEMORY,
    Introduction,
    Order,
    Receipt,
    fair_share,
    program_version,
)
from tablebase.core.building.builder import Built, Stage, read_header
from tablebase.core.building.graph import BuildGraph
from tablebase.core.building.progress import Listener, Progress, ProgressCounter
from tablebase.core.building.steps import BuildStep
from tablebase.core.ground.closing import Closing
from tablebase.core.ground.errors import TablebaseError
from tablebase.core.ground.extras import PACKAGES, require_packages
from tablebase.core.ground.parallel import as_threads
from tablebase.core.ground.words import bytes_in_words
from tablebase.core.outcomes.metrics import distances_named
from tablebase.core.rules.material import Material
from tablebase.core.storage.atomic import partial_file
from tablebase.core.storage.memory import available_memory
from tablebase.core.storage.table_names import tables_folder

HOW_TO_START = f"start it with `dask worker ADDRESS --nthreads 1 --resources {MEMORY}=16e9`"
CONNECTING_SECONDS = 15.0
# Until all workers have answered what a loaded one answers at once.
ANSWERING_SECONDS = 120.0
# Give up after this long without a worker.
WORKERLESS_SECONDS = 60.0
POLL_SECONDS = 1.0
# Of a build whose worker did not die but failed, as when a network folder is away for a moment.
RETRIES = 2
# What the processes of `start_workers` carry out at their start. Ctrl-C reaches all processes of a
# terminal; the first one stops the others.
IGNORE_INTERRUPTS = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
# Dask serves figures by HTTP, to everybody, whether or not there is a dashboard.
WITHOUT_HTTP = "def dask_setup(server):\n    server.http_server.stop()\n"


class ClusterExecutor(Closing):
    """Builds tables on the workers of a Dask cluster; a context manager.

    Parameters
    ----------
    address
        The scheduler, like ``tcp://192.168.0.1:8786``.
    threads
        How many threads each build uses; by default a fair share of its worker's machine.
    security
        The certificates of a cluster that asks for them, a `distributed.Security`.
    cluster
        Closed together with this.

    Raises
    ------
    TablebaseError
        If Dask is not installed, the scheduler does not answer, or it has no workers.
    """

    def __init__(
        self,
        address: str,
        *,
        threads: int | None = None,
        security: Any = None,
        cluster: Any = None,
    ) -> None:
        distributed = _distributed()
        self._given_threads = threads
        self._cluster = cluster
        # Dask logs lost workers and connections verbosely; what matters is reported here.
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        try:
            self._client = distributed.Client(
                address, timeout=CONNECTING_SECONDS, security=security
            )
        except (OSError, ValueError, TypeError):
            raise TablebaseError(
                f"no Dask scheduler answers at {address}: start it with `dask scheduler`"
            ) from None
        # The name of a file in the folder, see `check`, and of the topic of what workers report.
        self._token = ""
        self._folder: Path | None = None
        self._files = ExitStack()
        try:
            self._workers = self._introductions(address)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Leave the cluster; workers stop at what is not finished."""
        self._files.close()
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()

    def _ask(self, function: Any, *arguments: Any) -> dict[str, Any]:
        """Call a function of `worker` on each worker; return results or exceptions."""
        try:
            answers: dict[str, Any] = self._client.run(
                function, *arguments, on_error="return", callback_timeout=ANSWERING_SECONDS
            )
        except TimeoutError:
            raise TablebaseError(
                f"no answer from a worker in {ANSWERING_SECONDS:g} seconds: restart the workers"
            ) from None
        return answers

    def _introductions(self, address: str) -> dict[str, Introduction]:
        try:
            self._client.wait_for_workers(1, timeout=CONNECTING_SECONDS)
        except TimeoutError:
            raise TablebaseError(f"{address} has no worker: {HOW_TO_START}") from None
        found = {}
        for name, answer in self._ask(worker.introduce).items():
            if not isinstance(answer, Introduction):
                raise TablebaseError(
                    f"worker {name} does not run this program ({answer}): install "
                    f"chess-tablebase {program_version()} there"
                )
            if answer.version != program_version():
                raise TablebaseError(
                    f"worker {name} ({answer.host}) runs chess-tablebase {answer.version}, not "
                    f"{program_version()}: install the same there"
                )
            if answer.memory is None:
                raise TablebaseError(
                    f"worker {name} ({answer.host}) declares no memory and has no memory limit: "
                    f"{HOW_TO_START}"
                )
            found[name] = answer
        return found

    def _builders(self) -> dict[str, int]:
        """Return the number of builds at a time on each machine, by host."""
        builders: Counter[str] = Counter()
        for one in self._workers.values():
            builders[one.host] += one.builders
        return dict(builders)

    @property
    def threads(self) -> int:
        """Number of threads of a build on the worker that gives it most."""
        builders = self._builders()
        shares = [fair_share(one.processors, builders[one.host]) for one in self._workers.values()]
        return self._given_threads or max(shares)

    def check(self, steps: Sequence[BuildStep]) -> None:
        """Refuse steps that no worker has the memory for, and workers that cannot take part.

        Raises
        ------
        TablebaseError
            If a worker does not share the folder or runs another version, or if a build takes
            more memory than any worker declares.
        """
        most = max(one.memory or 0 for one in self._workers.values())
        for step in steps:
            if not step.exists and step.build.memory > most:
                raise TablebaseError(
                    f"building {step.material} takes about {bytes_in_words(step.build.memory)} "
                    f"of memory, and no worker declares more than {bytes_in_words(most)}: use "
                    f"fewer and larger workers"
                )
        if steps:
            # Workers on other machines may have another current folder.
            self._folder = tables_folder(steps[0].path, steps[0].material).resolve()
            token, _ = self._files.enter_context(partial_file(self._folder / "cluster.h5"))
            self._token = token.name
            request = str(self._folder), self._token, program_version()
            for name, problem in self._ask(worker.inspect, *request).items():
                if problem is not None:
                    raise TablebaseError(f"worker {name} cannot take part: {problem}")

    def execute(
        self, steps: Sequence[BuildStep], *, force: bool, report: Listener | None
    ) -> list[Built]:
        """Build what is missing; see `executors.Executor.execute`.

        Raises
        ------
        TablebaseError
            If a build fails or no worker is left; the message names the material and the worker.
        """
        news: SimpleQueue[Material | tuple[Any, ...]] = SimpleQueue()
        self._client.subscribe_topic(self._token, lambda event: news.put(event[1]))
        futures: dict[Material, Any] = {}
        built = {
            step.material: Built(step.material, step.path, None, step.header)
            for step in steps
            if step.exists
        }
        try:
            self._submit(steps, futures, force=force)
            for material, future in futures.items():
                future.add_done_callback(lambda _, material=material: news.put(material))
            self._wait(steps, futures, news, ProgressCounter(steps, report), built)
        finally:
            # Nothing happens to finished ones; workers stop at others when the token is removed.
            self._client.cancel(list(futures.values()), force=True)
            self._client.unsubscribe_topic(self._token)
        return [built[step.material] for step in steps]

    def _submit(
        self, steps: Sequence[BuildStep], futures: dict[Material, Any], *, force: bool
    ) -> None:
        waiting = BuildGraph(tuple(step.build for step in steps)).waiting_seconds()
        known: dict[Material, Any] = {}
        for step in steps:
            if step.exists:
                digests = {metric.name: step.header.digests[metric] for metric in step.stays}
                known[step.material] = Receipt(step.material, digests, None, "")
                continue
            order = Order(
                material=step.material,
                directory=str(self._folder),
                token=self._token,
                version=program_version(),
                threads=self._given_threads,
                builders=self._builders(),
                force=force,
                metrics=tuple(metric.name for metric in step.missing),
            )
            known[step.material] = futures[step.material] = self._client.submit(
                worker.build,
                order,
                [known[needed] for needed in step.build.subtables],
                key=("build", step.material.name, self._token),
                resources={MEMORY: step.build.memory},
                priority=math.ceil(1000 * waiting[step.material]),
                retries=RETRIES,
                pure=False,
            )

    def _wait(
        self,
        steps: Sequence[BuildStep],
        futures: Mapping[Material, Any],
        news: SimpleQueue[Material | tuple[Any, ...]],
        counter: ProgressCounter,
        built: dict[Material, Built],
    ) -> None:
        """Wait until all futures are done, and add their tables to `built`."""
        paths = {step.material: step.path for step in steps}
        named = {step.material.name: step.material for step in steps}
        waiting = set(futures)
        seen = monotonic()
        while waiting:
            try:
                item = news.get(timeout=POLL_SECONDS)
            except Empty:
                seen = self._look_for_workers(seen)
                continue
            if isinstance(item, Material):
                receipt = _result(item, futures[item])
                waiting.discard(item)
                metrics = [distances_named(name)[0] for name in receipt.digests]
                header = read_header(paths[item], item, metrics)
                built[item] = Built(item, paths[item], receipt.seconds, header)
                counter.finish(built[item], receipt.worker)
            else:
                name, stage, done, who = item
                progress = None if done is None else Progress(*done)
                counter.tell(named[name], Stage[stage], progress, who)

    def _look_for_workers(self, seen: float) -> float:
        """Return the last time at which there was a worker that may build."""
        now = monotonic()
        workers = self._client.scheduler_info(n_workers=-1)["workers"].values()
        if any(one["resources"].get(MEMORY) for one in workers):
            return now
        if now > seen + WORKERLESS_SECONDS:
            raise TablebaseError(
                "no worker is left that may build: start workers, then run the same command again "
                "to resume"
            )
        return seen


def _result(material: Material, future: Any) -> Receipt:
    """Return the result of a task; an error names the material and the worker."""
    distributed = _distributed()
    try:
        receipt: Receipt = future.result()
    except TablebaseError:
        raise
    except distributed.KilledWorker as error:
        raise TablebaseError(
            f"building {material} was given up because workers were lost, the last of them "
            f"{error.last_worker.address}: did they run out of memory?"
        ) from error
    except (CancelledError, distributed.client.FuturesCancelledError) as error:
        raise TablebaseError(
            f"the scheduler was lost while {material} was waiting: start it, then run the same "
            f"command again to resume"
        ) from error
    except Exception as error:
        raise TablebaseError(f"building {material} failed on a worker: {error!r}") from error
    return receipt


def _distributed() -> Any:
    require_packages("a cluster needs", *PACKAGES["cluster"])
    import distributed  # noqa: PLC0415 (an extra)

    return distributed


def start_workers(
    workers: int, *, threads: int | None = None, memory: int | None = None
) -> ClusterExecutor:
    """Start worker processes on this machine and return an executor that stops them at its end.

    Nobody else can use them: connections need a certificate that only these processes have.

    Parameters
    ----------
    workers
        How many processes; each builds one table at a time.
    threads
        How many threads all of them use together; by default one for each processor.
    memory
        Most bytes of memory that all use together; by default what is available.

    Raises
    ------
    TablebaseError
        If Dask, or what it needs for certificates, is not installed.
    """
    distributed = _distributed()
    security = distributed.Security.temporary()
    threads = as_threads(threads)
    memory = memory or available_memory() or 16_000_000_000
    cluster = distributed.LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        security=security,
        scheduler_kwargs={
            "dashboard": False,
            "dashboard_address": "127.0.0.1:0",
            "preload": [WITHOUT_HTTP],
        },
        # Builds are held to what they declare; Dask would pause workers by their caches.
        memory_limit=None,
        resources={MEMORY: memory // workers},
        silence_logs=logging.CRITICAL,
        preload=[IGNORE_INTERRUPTS, WITHOUT_HTTP],
    )
    try:
        return ClusterExecutor(
            cluster.scheduler_address,
            threads=fair_share(threads, workers),
            security=security,
            cluster=cluster,
        )
    except BaseException:
        cluster.close()
        raise
