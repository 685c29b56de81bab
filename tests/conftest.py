"""Settings and tables shared by all tests."""

import gc
import os
import pickle
import shutil
import signal
import threading
from contextlib import nullcontext, suppress
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings
from support.clock import run_at_rate
from support.once import compiled_once, only_one

# The same examples in every run; kernels compile on their first call, so no deadline.
settings.register_profile("reproducible", deadline=None, derandomize=True)
settings.load_profile("reproducible")

pytest_plugins = ["support.site_fixtures"]

ROOT = Path(__file__).parents[1]
# The kernels that most tests wait for, compiled by two processes, and what needs none of them for a
# third; then what takes long, since at the end one process would wait for the other.
FIRST = [
    *("tests/solve/test_command.py", "tests/core/engine/test_driver.py"),
    *("tests/count/test_enumeration.py", "tests/core/index/", "tests/test_architecture.py"),
    "tests/core/jit/",
    "tests/solve/kernels/",
    *("tests/test_site.py", "tests/core/checking/", "tests/publish/", "tests/serve/"),
    "tests/test_docs.py",
]
# What nohup has ignored for good reason, and what Python ignores by itself.
STAY_IGNORED = {"SIGHUP", "SIGPIPE", "SIGXFSZ"}


def pytest_configure():
    """Make signals and clocks those of the tests, whatever started them."""
    # A process that a script starts with & ignores SIGINT, and so would all that it starts.
    for one in set(signal.Signals) & signal.valid_signals():
        if one.name not in STAY_IGNORED and signal.getsignal(one) is signal.SIG_IGN:
            interrupt = one is signal.SIGINT
            signal.signal(one, signal.default_int_handler if interrupt else signal.SIG_DFL)
    run_at_rate()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers():
    """Return how many processes ``-n auto`` starts: one more than processors."""
    # Tests wait for browsers, servers and programs.
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Look for doctests in the package only: here a file that cannot be imported must fail."""
    return [one for one in (yield) if not isinstance(one, DoctestModule)]


def pytest_collection_modifyitems(items):
    """Begin with what others wait for; tests of our scripts are thorough."""
    for item in items:
        if item.nodeid.startswith("tests/scripts/"):
            item.add_marker(pytest.mark.thorough)
    items.sort(key=lambda item: [not item.nodeid.startswith(name) for name in FIRST])


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """Compile each file of tests in one process; garbage is looked for elsewhere than in tests."""
    gc.disable()
    cache = getattr(session.config, "cache", None)  # without it, each process compiles its own
    with only_one(cache.mkdir("collection") / "lock") if cache else nullcontext():
        found = yield
    gc.enable()
    gc.freeze()
    return found


@pytest.fixture(autouse=True, scope="session")
def patience():
    """Let commands that run in this process take as long as the machine needs, without a word."""
    from tablebase.cli import notice

    notice.PATIENCE = threading.TIMEOUT_MAX


@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    """Return the folder of all processes of a run."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(autouse=True, scope="session")
def kernels_compiled_once(shared):
    """Let processes wait for each other where they need the same kernel."""
    with compiled_once(shared):
        yield


@pytest.fixture(scope="session")
def made_once(shared, tmp_path_factory):
    """Return a function for what all processes of a run share: the path that ``make`` fills."""

    def made_once(name, make):
        path = shared / name
        with only_one(shared / f"{name}.lock"):
            if not path.exists():
                new = tmp_path_factory.mktemp("new") / name
                make(new)
                with suppress(OSError):  # another process was faster
                    new.rename(path)
        return path

    return made_once


def solve_up_to_four_men(metric, made_once):
    """Return the tables of all materials up to four men, by material."""
    from tablebase.core.engine.driver import solve
    from tablebase.core.rules.material import Material, all_materials, generation_order
    from tablebase.core.tables.table import Table

    def make(path):
        tables = {}
        for material in generation_order(all_materials(4)):
            tables[material] = solve(material, tables, metric=metric)
        rows = [(one.name, *table.codes, table.outcomes) for one, table in tables.items()]
        path.write_bytes(pickle.dumps(rows))

    tables, stored = {}, made_once(f"{metric}.pickle", make)
    # For arrays that may be written to, as those of unpickled materials, kernels are compiled anew.
    for name, *codes, outcomes in pickle.loads(stored.read_bytes()):
        for meant in outcomes:
            meant.setflags(write=False)
        material = Material.from_name(name)
        tables[material] = Table(material, *codes, metric, outcomes)
    return tables


@pytest.fixture(scope="session")
def page_modules(shared):
    """Return the folder of the modules by which pages solve tables; they are made if need be."""
    from scripts import make_modules
    from tablebase.core.ground.errors import TablebaseError
    from tablebase.publish.site import MODULES

    with only_one(shared / "page_modules.lock"):
        try:
            make_modules.make_modules(MODULES)
        except TablebaseError as error:
            pytest.skip(str(error))
    return MODULES


@pytest.fixture(scope="session")
def solved(made_once):
    """Return the distances to mate of all materials up to four men, by material."""
    from tablebase.core.outcomes.metrics import DTM

    return solve_up_to_four_men(DTM, made_once)


@pytest.fixture(scope="session")
def zeroing(made_once):
    """Return the distances to zeroing of all materials up to four men, by material."""
    from tablebase.core.outcomes.metrics import DTZ

    return solve_up_to_four_men(DTZ, made_once)


@pytest.fixture(scope="session")
def tables_dir(solved, made_once):
    """Return a folder with the files of all tables of up to four men."""
    from tablebase.core.storage.table_names import table_path
    from tablebase.core.storage.writing import write_table

    def make(directory):
        directory.mkdir()
        for material, table in solved.items():
            write_table(table, table_path(directory, material))

    return made_once("tables", make)


@pytest.fixture(scope="session")
def zeroing_dir(tables_dir, zeroing, made_once):
    """Return a folder with the files of up to four men, each with both distances."""
    from shutil import copytree

    from tablebase.core.storage.table_names import table_path
    from tablebase.core.storage.writing import write_table

    def make(directory):
        copytree(tables_dir, directory)
        for material, table in zeroing.items():
            write_table(table, table_path(directory, material))

    return made_once("both", make)


@pytest.fixture(scope="session")
def tables():
    """Open the tables of the repository, which files of tests replace by tables of their own."""
    from tablebase import open_tablebase

    with open_tablebase(ROOT / "data") as tables:
        yield tables


@pytest.fixture(scope="session")
def folders_by_metric(tmp_path_factory):
    """Return folders of KPK, KRK and their sub-tables: ``dtm``, ``dtz``, and ``both`` metrics."""
    from tablebase.core.building.generator import generate
    from tablebase.core.outcomes.metrics import DTM, DTZ
    from tablebase.core.rules.material import Material

    materials = [Material.from_name(name) for name in ("KPK", "KRK")]
    folders = {}
    for name, metrics in (("dtm", (DTM,)), ("dtz", (DTZ,)), ("both", (DTM, DTZ))):
        folders[name] = tmp_path_factory.mktemp(name)
        generate(materials, folders[name], metrics=metrics)
    return folders


@pytest.fixture(scope="session")
def atomic_dir(tmp_path_factory):
    """Return a folder of tables of atomic chess, with a queen or a rook."""
    from tablebase.core.building.generator import generate
    from tablebase.core.outcomes.metrics import DTM, DTZ
    from tablebase.core.rules.material import Material
    from tablebase.core.rules.rule_files import built_in_rules

    directory, rules = tmp_path_factory.mktemp("atomic"), built_in_rules()["atomic"]
    wanted = [Material.from_name(name, rules) for name in ("KQK", "KRK")]
    generate(wanted, directory, metrics=(DTM, DTZ))
    return directory


def all_of_two_men(game, made_once):
    """Return a folder of all 21 tables of two men of a game without royal kings."""
    from tablebase.core.building.generator import generate
    from tablebase.core.rules.material import Material
    from tablebase.core.rules.rule_files import built_in_rules

    def make(directory):
        directory.mkdir()
        generate([Material.from_name("PvP", built_in_rules()[game])], directory)

    return made_once(f"two_men_of_{game}", make)


@pytest.fixture(scope="session")
def antichess_dir(made_once):
    """Return a folder of all tables of two men of antichess."""
    return all_of_two_men("antichess", made_once)


@pytest.fixture(scope="session")
def suicide_dir(made_once):
    """Return a folder of all tables of two men of suicide chess: distances to zeroing alone."""
    return all_of_two_men("suicide", made_once)


def all_of_three_men(game, made_once):
    """Return a folder of all tables of a game of up to three men, with both distances."""
    from tablebase.core.building.generator import generate
    from tablebase.core.outcomes.metrics import DTM, DTZ
    from tablebase.core.rules.material import all_materials
    from tablebase.core.rules.rule_files import built_in_rules

    def make(directory):
        directory.mkdir()
        generate(all_materials(3, built_in_rules()[game]), directory, metrics=(DTM, DTZ))

    return made_once(f"three_men_of_{game}", make)


@pytest.fixture(scope="session")
def racing_dir(made_once):
    """Return a folder of all tables of racing kings of up to three men."""
    return all_of_three_men("racingkings", made_once)


@pytest.fixture(scope="session")
def racing_tables(racing_dir):
    """Open the tables of racing kings."""
    from tablebase import open_tablebase
    from tablebase.core.rules.rule_files import built_in_rules

    with open_tablebase(racing_dir, rules=built_in_rules()["racingkings"]) as tables:
        yield tables


@pytest.fixture(scope="session")
def checks_dir(made_once):
    """Return a folder of all tables of three-check of up to three men."""
    return all_of_three_men("3check", made_once)


@pytest.fixture(scope="session")
def games_dir(made_once):
    """Return a folder of tables of games that are not chess, with double steps and 15 kinds."""
    from support.games import FIFTEEN

    from tablebase.core.building.generator import generate
    from tablebase.core.outcomes.metrics import DTM, DTZ
    from tablebase.core.rules.material import Material
    from tablebase.core.rules.rule_files import built_in_rules, parse_rules

    pawns = "knight = -\nbishop = -\nrook = -\nqueen = -\nfers = f\npromotionPieceTypes = f\n"
    wanted = {
        "KPKP": (parse_rules(f"[pawns:chess]\n{pawns}")["pawns"], (DTM,)),
        "KQKQ": (built_in_rules()["shatranj"], (DTM,)),
        "KHKI": (parse_rules(FIFTEEN)["fifteen"], (DTM, DTZ)),  # exercises need both
    }

    def make(directory):
        directory.mkdir()
        for name, (rules, metrics) in wanted.items():
            generate([Material.from_name(name, rules)], directory, metrics=metrics)

    return made_once("games", make)


@pytest.fixture(scope="session")
def made_games(made_once):
    """Return a folder of tables of the games of `support.games` but chess, and of their rules."""
    from support.games import make_tables

    return made_once("made_games", make_tables)


@pytest.fixture(scope="session")
def helped_folder(tmp_path_factory):
    """Return a folder of KPK and its sub-tables with helpmates beside both other distances."""
    from tablebase.core.building.generator import generate
    from tablebase.core.outcomes.metrics import HELPMATES
    from tablebase.core.rules.material import Material

    folder = tmp_path_factory.mktemp("helped")
    for name in ("KK", "KBK", "KNK", "KQK", "KRK", "KPK"):
        shutil.copy(ROOT / "data" / f"{name}.h5", folder)
    generate([Material.from_name("KPK")], folder, metrics=HELPMATES)
    return folder


@pytest.fixture(scope="session")
def helped_by_four(made_once):
    """Return a folder of all tables of up to four men with helpmates and distances to mate."""
    from tablebase.core.building.generator import generate
    from tablebase.core.outcomes.metrics import DTM, HELPMATES
    from tablebase.core.rules.material import all_materials

    def make(folder):
        materials = [one for men in (2, 3, 4) for one in all_materials(men)]
        generate(materials, folder, metrics=(DTM, *HELPMATES))

    return made_once("helped_by_four", make)
