"""Fixtures of the site: tables served and published, and pages in a browser."""

import shutil
from importlib.util import find_spec
from pathlib import Path
from zlib import crc32

import pytest
from support.waiting import lift_limits

from tablebase.core.outcomes.metrics import DTM, DTZ
from tablebase.core.rules.material import Material

DATA = Path(__file__).parents[2] / "data"
MADE = {}  # records of tables, see below
MATERIALS = [Material.from_name(name) for name in ("KRKN", "KPK")]


def _build(directory, metric):
    from tablebase.core.building.generator import generate

    generate(MATERIALS, directory, metrics=(metric,))
    return directory


@pytest.fixture(scope="session")
def unhurried_server():
    """Let the server have time: no test is about how fast this machine is."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        if find_spec("starlette"):
            lift_limits(monkeypatch.setattr)
        yield


@pytest.fixture(scope="module")
def looked_through_once():
    """Look through a table for its survey and exercises once, however often it is published."""
    from tablebase.publish import publication

    with pytest.MonkeyPatch.context() as monkeypatch:
        for name in ("survey_record", "exercises_record"):
            monkeypatch.setattr(publication, name, once_for_bytes(getattr(publication, name)))
        yield


def once_for_bytes(make):
    """Return a function that makes a record of a table again where a file has other bytes."""

    def record(one, other):
        path, folders = one, other
        if not isinstance(one, Path):  # but all tables, and the men of one
            path, folders = one.available_tables[other.name], one.directories
        there = [file for folder in folders for file in sorted(folder.rglob("[A-Z]*.h5"))]
        sizes = [(file.name, file.stat().st_size) for file in there if file.is_file()]
        key = path.name, crc32(path.read_bytes()), *sizes
        if (make, key) not in MADE:
            MADE[make, key] = make(one, other)
        return MADE[make, key]

    return record


@pytest.fixture(scope="session")
def mate_dir(tmp_path_factory):
    """Return a folder of tables with distances to mate alone."""
    return _build(tmp_path_factory.mktemp("mate"), DTM)


@pytest.fixture(scope="session")
def zeroing_only_dir(tmp_path_factory):
    """Return a folder of tables with distances to zeroing alone."""
    return _build(tmp_path_factory.mktemp("zeroing"), DTZ)


@pytest.fixture(scope="session")
def both_dir(mate_dir, tmp_path_factory):
    """Return a folder of tables with both."""
    directory = tmp_path_factory.mktemp("both")
    shutil.copytree(mate_dir, directory, dirs_exist_ok=True)
    return _build(directory, DTZ)


@pytest.fixture(scope="session")
def address():
    """Serve the tables of the repository."""
    from support.browsing import serving

    with serving(DATA) as address:
        yield address


@pytest.fixture(scope="session")
def published_dir(made_once):
    """Return a folder of publication with the tables of the repository."""
    from support.published import publish, tables_in

    return made_once("published", lambda folder: publish(tables_in(DATA), folder))


@pytest.fixture(scope="session")
def published_address(published_dir):
    """Give what is published of the tables of the repository, from a plain host of files."""
    from support.hosting import hosted

    with hosted(published_dir) as address:
        yield address


@pytest.fixture(scope="session")
def both_address(both_dir):
    """Serve tables with both distances."""
    from support.browsing import serving

    with serving(both_dir) as address:
        yield address


@pytest.fixture(scope="session")
def browser():
    """Start a browser."""
    from support.browsing import start_browser

    driver = start_browser()
    yield driver
    driver.quit()


def page_of(browser, request, server):
    """Return the page of our server, or of the host that a test names, see `on_both_hosts`."""
    from support.browsing import Page

    browser.get_log("browser")  # what earlier tests left
    return Page(browser, request.getfixturevalue(getattr(request, "param", server)))


@pytest.fixture
def page(browser, request):
    """Give the page of the repository's tables."""
    return page_of(browser, request, "address")


@pytest.fixture(scope="session")
def games_address(games_dir):
    """Serve tables of other games than chess."""
    from support.browsing import serving

    with serving(games_dir) as address:
        yield address


@pytest.fixture(scope="session")
def published_games_address(games_dir, made_once):
    """Give what is published of tables of other games than chess, from a plain host of files."""
    from support.hosting import hosted
    from support.published import publish, tables_in

    paths = [path for folder in sorted(games_dir.iterdir()) for path in tables_in(folder)]
    with hosted(made_once("published_games", lambda folder: publish(paths, folder))) as address:
        yield address


@pytest.fixture
def games_page(browser, request):
    """Give the page of tables of other games than chess."""
    return page_of(browser, request, "games_address")


@pytest.fixture
def both_page(browser, request):
    """Give the page of tables with distances to mate and to zeroing."""
    return page_of(browser, request, "both_address")
