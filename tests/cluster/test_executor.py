"""Builds on a real cluster: a scheduler process and worker processes on this machine."""

import asyncio
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.digests import digests_in, digests_of_built
from support.games import FAIRY
from support.waiting import PATIENCE, until

from tablebase.cluster import executor as cluster_module
from tablebase.core.board.geometry import Color
from tablebase.core.building.builder import Stage
from tablebase.core.building.generator import generate
from tablebase.core.building.steps import plan_steps
from tablebase.core.ground.errors import TablebaseError
from tablebase.core.outcomes.metrics import DTM
from tablebase.core.rules.material import Material, all_materials
from tablebase.core.rules.rule_files import built_in_rules, parse_rules
from tablebase.core.storage.atomic import sole_writer
from tablebase.core.storage.reading import open_table
from tablebase.core.storage.table_names import table_path

pytest.importorskip("distributed")

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).parents[2]
THREE = all_materials(3)
SET = [*THREE, *map(Material.from_name, ("KQKR", "KBNK", "KRRK"))]
KPK = Material.from_name("KPK")
MEMORY = "MEMORY=6e9"


@contextmanager
def process(*arguments, path=ROOT, prefix=()):
    environment = {**os.environ, "PYTHONPATH": str(path)}
    command = [*prefix, sys.executable, "-m", "dask", *arguments]
    with subprocess.Popen(
        command, env=environment, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as running:
        try:
            yield running
        finally:
            running.kill()


@contextmanager
def new_scheduler(folder):
    file = folder / "scheduler.json"
    arguments = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    with process("scheduler", *arguments, "--scheduler-file", str(file)):
        until(lambda: file.exists() and file.read_text().endswith("}"))  # written whole
        yield json.loads(file.read_text())["address"]


@contextmanager
def new_worker(address, *options, resources=MEMORY, limit="0", **where):
    """Start a worker without a nanny, so that nobody starts it again."""
    arguments = ["worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    arguments += ["--host", "127.0.0.1", "--memory-limit", limit, *options]
    arguments += ["--resources", resources] if resources else []
    before = worker_addresses(address)
    with process(*arguments, **where) as running:

        def new():
            assert running.poll() is None, "the worker does not start"
            return worker_addresses(address) - before

        running.address = until(new).pop()
        yield running
    until(lambda: running.address not in worker_addresses(address))


def worker_addresses(address):
    import distributed

    with distributed.Client(address, set_as_default=False) as client:
        return set(client.scheduler_info(n_workers=-1)["workers"])


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    monkeypatch.setattr(cluster_module, "CONNECTING_SECONDS", PATIENCE)
    monkeypatch.setattr(cluster_module, "WORKERLESS_SECONDS", PATIENCE)


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory):
    with new_scheduler(tmp_path_factory.mktemp("scheduler")) as address:
        yield address


@pytest.fixture(scope="module")
def workers(scheduler):
    """Return the address of a scheduler that has two workers."""
    with new_worker(scheduler), new_worker(scheduler):
        yield scheduler


@pytest.fixture(scope="module")
def right(tmp_path_factory):
    """Return the digests of the tables that one machine builds."""
    folder = tmp_path_factory.mktemp("local")
    return digests_of_built(generate(SET, folder))


def build(address, materials, folder, **options):
    with cluster_module.ClusterExecutor(address, threads=1) as executor:
        return generate(materials, folder, executor=executor, **options)


def test_the_same_tables_as_one_machine(workers, tmp_path, right):
    events = []
    built = build(workers, SET, tmp_path, report=events.append)
    assert digests_of_built(built) == right == digests_in(tmp_path)
    assert all(table.seconds is not None for table in built)
    assert not list(tmp_path.glob(".*"))
    assert {event.worker for event in events} <= worker_addresses(workers)
    finished = [event for event in events if event.stage is None]
    assert [event.number for event in finished] == list(range(1, len(built) + 1))
    assert finished[-1].seconds == pytest.approx(finished[-1].total_seconds)
    assert {event.stage for event in events} == {None, *Stage}


GAMES = built_in_rules() | parse_rules(FAIRY)


@pytest.mark.parametrize(
    ("game", "name"),
    [
        ("atomic", "KQK"),
        ("antichess", "PvP"),
        ("suicide", "PvP"),
        ("3check", "KNK"),
        ("fairy", "KAK"),
    ],
)
def test_tables_of_any_game_are_the_same_as_on_one_machine(workers, tmp_path, game, name):
    """The workers know the game from the builder, be it one of a file of rules."""
    material, stages = Material.from_name(name, GAMES[game]), []
    alone = digests_of_built(generate([material], tmp_path / "alone"))
    built = build(workers, [material], tmp_path, report=stages.append)
    assert digests_of_built(built) == alone
    assert all(table.seconds is not None for table in built)
    assert {event.material for event in stages} == {table.material for table in built}
    folder = tmp_path / material.rules.folder
    assert {*folder.iterdir()} == {table.path for table in built}
    assert not list(tmp_path.glob(".*"))
    for table in built:
        with open_table(table.path) as file:
            assert {file.sha256_of(one) for one in file.metrics} == {*table.header.digests.values()}


def test_what_is_there_is_kept_and_the_rest_is_built(workers, tmp_path, right):
    generate(THREE, tmp_path)
    table_path(tmp_path, KPK).unlink()
    built = build(workers, SET, tmp_path)
    assert {table.material.name for table in built if table.seconds is None} == {
        "KK",
        "KQK",
        "KRK",
        "KBK",
        "KNK",
    }
    assert digests_in(tmp_path) == right
    assert all(table.seconds is None for table in build(workers, SET, tmp_path))


def test_force_builds_the_wanted_ones_again(workers, tmp_path, right):
    generate([KPK], tmp_path)
    built = build(workers, [KPK], tmp_path, force=True)
    assert [table.material for table in built if table.seconds is not None] == [KPK]
    assert digests_in(tmp_path).items() <= right.items()


def test_a_worker_is_killed_during_a_build(tmp_path_factory, tmp_path, right):
    lost, finished = [], {}

    with new_scheduler(tmp_path_factory.mktemp("scheduler")) as address, ExitStack() as stack:
        victim = stack.enter_context(new_worker(address))
        # It cannot finish a file before it is killed, however fast it is.
        held = stack.enter_context(ExitStack())
        for material in SET:
            if material.piece_count == 4:
                held.enter_context(sole_writer(table_path(tmp_path, material)))

        def kill(event):
            if event.stage is None:
                finished[event.material] = event.worker
            elif not lost and event.stage is Stage.SOLVING and event.material.piece_count == 4:
                lost.append(event.material)
                victim.kill()
                victim.wait()
                held.close()
                # Another one comes when everything waits.
                stack.enter_context(new_worker(address))

        built = build(address, SET, tmp_path, report=kill)
        assert victim.poll() == -signal.SIGKILL
    assert digests_of_built(built) == right == digests_in(tmp_path)
    assert finished[lost[0]] != victim.address
    assert not list(tmp_path.glob(".*"))


@pytest.mark.slow
def test_one_of_two_workers_is_killed(workers, tmp_path, right):
    with new_worker(workers) as victim:
        # Whether it has work at the time is chance; that the others do it is not.
        kill = lambda event: event.number >= 6 and victim.kill()  # noqa: E731
        built = build(workers, SET, tmp_path, report=kill)
        assert victim.wait() == -signal.SIGKILL
    assert digests_of_built(built) == right == digests_in(tmp_path)
    # What the killed one left half is cleared up by the next build.
    generate(SET, tmp_path)
    assert not list(tmp_path.glob(".*"))


def test_interruption_stops_the_workers_and_the_same_call_goes_on(workers, tmp_path, right):
    def interrupt(event):
        if event.material.name == "KBNK" and event.stage is Stage.SOLVING:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(workers, SET, tmp_path, report=interrupt)
    assert digests_in(tmp_path).items() <= right.items()
    build(workers, SET, tmp_path)
    assert digests_in(tmp_path) == right
    assert not list(tmp_path.glob(".*"))


def test_a_failure_names_the_material_and_the_worker(workers, tmp_path):
    generate([KPK], tmp_path)
    table_path(tmp_path, KPK).unlink()
    path = tmp_path / "KQK.h5"
    with open_table(path) as file:
        place = file.chunks.dataset(Color.WHITE, DTM.name).get_chunk_info(0).byte_offset
    content = bytearray(path.read_bytes())
    content[place + 9] ^= 4
    path.write_bytes(content)
    with pytest.raises(
        TablebaseError, match=r"building KPK failed on worker tcp://127.* \(.+\): .*KQK\.h5"
    ):
        build(workers, [KPK], tmp_path)
    assert not list(tmp_path.glob(".*"))


@pytest.fixture(scope="module")
def other_version(tmp_path_factory):
    """Return where another version of the program is."""
    folder = tmp_path_factory.mktemp("other")
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "tablebase", folder / "tablebase", ignore=ignore)
    with (folder / "tablebase" / "engine" / "solver.py").open("a") as file:
        file.write("\nANOTHER = 1\n")
    return folder


@pytest.mark.slow
def test_another_version_is_refused(workers, tmp_path, other_version):
    with new_worker(workers, path=other_version) as worker:
        with pytest.raises(TablebaseError, match="install the same there") as caught:
            build(workers, [KPK], tmp_path)
        assert worker.address in str(caught.value)
        assert cluster_module.program_version() in str(caught.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_another_version_that_comes_later_gets_no_work(
    tmp_path_factory, tmp_path, other_version, right
):
    told = []
    with new_scheduler(tmp_path_factory.mktemp("scheduler")) as address, ExitStack() as stack:
        with new_worker(address):
            executor = stack.enter_context(cluster_module.ClusterExecutor(address, threads=1))
            steps = plan_steps(SET, tmp_path)
            executor.check(steps)
        other = stack.enter_context(new_worker(address, path=other_version))

        def memory():
            workers = executor._client.scheduler_info(n_workers=-1)["workers"]
            return workers[other.address]["resources"]["MEMORY"]

        def help_out():
            until(lambda: not memory())
            stack.enter_context(new_worker(address))

        helper = threading.Thread(target=help_out)
        helper.start()
        built = executor.execute(steps, force=False, report=told.append)
        helper.join()
        assert memory() == 0
    assert digests_of_built(built) == right == digests_in(tmp_path)
    assert other.address not in {event.worker for event in told}


@pytest.mark.slow
def test_a_worker_that_does_not_see_the_folder(workers, tmp_path):
    hide = f'mount -t tmpfs tmpfs "{tmp_path}" && exec "$@"'
    prefix = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", hide, "sh"]
    if not shutil.which("unshare") or subprocess.run([*prefix, "true"], check=False).returncode:
        pytest.skip("a process cannot have mounts of its own here")
    with new_worker(workers, prefix=prefix) as worker:
        with pytest.raises(TablebaseError, match="does not see the files in") as caught:
            build(workers, [KPK], tmp_path)
        assert worker.address in str(caught.value)
        assert str(tmp_path) in str(caught.value)


@pytest.mark.slow
def test_a_worker_that_declares_no_memory(workers, tmp_path):
    with new_worker(workers, resources="GPU=1") as worker:
        with pytest.raises(TablebaseError, match=r"--resources MEMORY=16e9") as caught:
            build(workers, [KPK], tmp_path)
        assert worker.address in str(caught.value)


@pytest.mark.slow
def test_a_worker_with_nothing_but_the_limit_that_dask_sets(tmp_path_factory, tmp_path, right):
    folder = tmp_path_factory.mktemp("scheduler")
    with new_scheduler(folder) as address, new_worker(address, resources=None, limit="6e9"):
        build(address, [KPK], tmp_path)
    assert digests_in(tmp_path).items() <= right.items()


def test_more_memory_than_any_worker_has(workers, tmp_path):
    heavy = SimpleNamespace(memory=7_000_000_000)
    step = SimpleNamespace(exists=False, material=KPK, build=heavy)
    expected = r"building KPK takes about 7\.0 GB.*more than 6\.0 GB"
    with cluster_module.ClusterExecutor(workers) as executor:
        with pytest.raises(TablebaseError, match=expected):
            executor.check([step])
        executor.check(plan_steps([KPK], tmp_path))


@pytest.mark.slow
def test_without_workers(tmp_path_factory, tmp_path, monkeypatch):
    import distributed

    def nobody_comes(*_, **__):
        raise TimeoutError

    monkeypatch.setattr(cluster_module, "WORKERLESS_SECONDS", 1.0)
    with new_scheduler(tmp_path_factory.mktemp("scheduler")) as address:
        with monkeypatch.context() as context:
            context.setattr(distributed.Client, "wait_for_workers", nobody_comes)
            with pytest.raises(TablebaseError, match="has no worker: start it with `dask worker"):
                build(address, [KPK], tmp_path)
        with new_worker(address) as worker, pytest.raises(TablebaseError, match="no worker is"):
            build(address, [KPK], tmp_path, report=lambda _: worker.kill())
    monkeypatch.setattr(cluster_module, "CONNECTING_SECONDS", 1.0)
    with pytest.raises(TablebaseError, match="no Dask scheduler answers"):
        build(address, [KPK], tmp_path)
    assert not list(tmp_path.glob(".cluster*"))


def test_workers_lost_again_and_again_are_told():
    import distributed

    error = distributed.KilledWorker(
        "task", SimpleNamespace(address="tcp://127.0.0.1:9"), allowed_failures=3
    )

    def result():
        raise error

    with pytest.raises(TablebaseError, match=r"building KPK was given up.*tcp://127\.0\.0\.1:9"):
        cluster_module._result(KPK, SimpleNamespace(result=result))


def test_the_extra_is_named(monkeypatch, capsys, tmp_path):
    from tablebase.cli.program import main

    monkeypatch.setitem(sys.modules, "distributed", None)
    for option in (["--workers", "2"], ["--scheduler", "tcp://127.0.0.1:1"]):
        assert main(["build", "KRK", "--dir", str(tmp_path), *option]) == 2
        assert "pip install distributed\n" in capsys.readouterr().err


def run(folder, *options):
    command = [sys.executable, "-m", "tablebase", "build", "--dir", str(folder), *options]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)


def test_a_worker_that_does_not_answer_is_given_up(workers, monkeypatch):
    with cluster_module.ClusterExecutor(workers) as executor:
        monkeypatch.setattr(cluster_module, "ANSWERING_SECONDS", 0.2)
        with pytest.raises(TablebaseError, match=r"no answer from a worker in 0\.2 seconds"):
            executor._ask(asyncio.sleep, PATIENCE)


@pytest.mark.slow
def test_processes_of_this_machine(tmp_path, right):
    with run(tmp_path, "--workers", "2", "KBNK") as builder:
        _, message = builder.communicate(timeout=PATIENCE)
    assert builder.returncode == 0, message
    assert digests_in(tmp_path).items() <= right.items()
    assert (tmp_path / "KBNK.h5").exists()
    assert not list(tmp_path.glob(".*"))


def listening(process):
    """Return the ports on which a process and its descendants listen for connections."""
    import psutil

    family = [process, *process.children(recursive=True)]
    return {
        connection.laddr.port
        for one in family
        for connection in one.net_connections("tcp")
        if connection.status == psutil.CONN_LISTEN
    }


def test_nobody_else_uses_the_processes_of_this_machine(tmp_path, right):
    import psutil

    before = listening(psutil.Process())  # of other tests
    with cluster_module.start_workers(1) as executor:
        generate([KPK], tmp_path, executor=executor)
        assert digests_in(tmp_path).items() <= right.items()
        ports = listening(psutil.Process()) - before
        scheduler = executor._client.scheduler.address
        workers = executor._client.scheduler_info(n_workers=-1)["workers"]
        known = {int(scheduler.rsplit(":", 1)[1])}
        for address, one in workers.items():
            known |= {int(name.rsplit(":", 1)[1]) for name in (address, one["nanny"])}
        # Nothing else listens, Dask's HTTP for example.
        assert ports == known
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        for port in ports:
            with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as plain:
                secure = context.wrap_socket(plain)
                with secure, pytest.raises(ssl.SSLError, match=r"(?i)certificate.required"):
                    secure.recv(1)


@pytest.mark.slow
def test_ctrl_c(tmp_path, right):
    with run(tmp_path, "--workers", "2", "KQKR", "KBNK") as builder:
        # It cannot be done before it is interrupted.
        with sole_writer(table_path(tmp_path, Material.from_name("KBNK"))):
            for line in builder.stderr:
                if "KQK " in line:
                    break
            # A terminal sends it to all processes.
            os.killpg(builder.pid, signal.SIGINT)
        rest = builder.stderr.read()
    assert builder.returncode == 130
    assert rest.splitlines()[-1] == "tablebase: interrupted; run the same command again to resume"
    assert "Traceback" not in rest
    assert digests_in(tmp_path).items() <= right.items()
    assert not list(tmp_path.glob(".*"))
