"""A folder of publication: its own files are known, and those of others stay as they are."""

import errno
import json
import os
import random
import subprocess
import sys
from contextlib import suppress
from shutil import copytree
from zlib import crc32

import pytest
from support.commands import environment_of
from support.few import few
from support.published import write_checked

from tablebase.core.ground.errors import TablebaseError
from tablebase.core.rules.rules import CHESS
from tablebase.core.storage import atomic
from tablebase.publish import publication
from tablebase.publish.own_files import OWN_LIST, OwnFiles, read_checked
from tablebase.publish.publication import publish_tables
from tablebase.publish.table_index import read_index

PAGES = {
    "index.html": "<html>",
    "tables/material.html": "a page\n",
    "web/board.js": "export const one = 1;\n",
    "LICENSE": "a licence\n",
}
FORMER_PAGES = PAGES | {"index.html": "<html> before", "web/former.js": "export {};\n"}
ENDINGS = [".summary.json", ".survey.json", ".exercises.json"]
OTHERS = "name another folder, or overwrite"


@pytest.fixture(autouse=True)
def few_pages(monkeypatch):
    """Let pages be few; return a function that lets them be others."""

    def let_be(pages):
        monkeypatch.setattr(publication, "page_texts", lambda: dict(pages))

    let_be(PAGES)
    return let_be


@pytest.fixture(scope="module")
def rook(folders_by_metric):
    return folders_by_metric["both"] / "KRK.h5"


@pytest.fixture(scope="module")
def shorter_rook(folders_by_metric):
    """Return a table of the same men with fewer values."""
    return folders_by_metric["dtm"] / "KRK.h5"


@pytest.fixture
def site(rook, tmp_path):
    """Return a fresh publication of few pages."""
    publish_tables([rook], tmp_path / "site")
    return tmp_path / "site"


def files_in(folder):
    """Return what a folder has, hidden files included: bytes, or what else is there."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = ("link", path.readlink())
        elif path.is_file():
            found[name] = path.read_bytes()
        else:
            found[name] = "folder" if path.is_dir() else "other"
    return found


def refusal(*arguments, **options):
    with pytest.raises(TablebaseError) as caught:
        publish_tables(*arguments, **options)
    return str(caught.value)


@pytest.mark.thorough
def test_the_list_has_each_file(site):
    stated = read_checked(site / OWN_LIST)
    assert stated.keys() == {"crc32", "format", "version", "files"}
    found = {name: data for name, data in files_in(site).items() if data != "folder"}
    del found[OWN_LIST]
    assert {"LICENSE", "tables/KRK.h5", "tables/KRK.summary.json"} < found.keys()
    assert stated["files"] == {
        name: {"size": len(data), "crc32": crc32(data)} for name, data in found.items()
    }


@pytest.mark.thorough
def test_a_home_page_stays(rook, tmp_path):
    (tmp_path / "index.html").write_text("<h1>my homepage</h1>")
    before = files_in(tmp_path)
    page = tmp_path / "index.html"
    assert (
        refusal([rook], tmp_path) == f"{page} was not written by publish: {OTHERS} it with --force"
    )
    assert files_in(tmp_path) == before
    publish_tables([rook], tmp_path, force=True)
    assert page.read_text() == PAGES["index.html"]
    publish_tables([rook], tmp_path)


def test_what_somebody_has_edited_stays(site, rook, few_pages):
    """A page that a new version would write anew, the index of a table, the list of tables."""
    few_pages(FORMER_PAGES)
    for name in ("index.html", "tables/KRK.json", "tables/tables.json"):
        path = site / name
        whole = path.read_bytes()
        path.write_bytes(whole + b"\n")
        before = files_in(site)
        message = refusal([rook], site)
        assert message == f"{path} was changed after publication: {OTHERS} it with --force"
        assert files_in(site) == before
        path.write_bytes(whole)
    publish_tables([rook], site)
    assert (site / "index.html").read_text() == FORMER_PAGES["index.html"]


def test_a_refusal_counts_what_it_does_not_name(rook, tmp_path):
    for name in PAGES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("mine")
    (tmp_path / "tables" / "KRK.h5").write_text("mine")
    named = ", ".join(str(tmp_path / name) for name in list(PAGES)[:3])
    message = refusal([rook], tmp_path)
    assert message.startswith(f"{named} and 2 other files were not written by publish: ")
    assert message.endswith(f"{OTHERS} them with --force")


def test_files_of_a_former_version_are_removed(few_pages, rook, tmp_path):
    few_pages(FORMER_PAGES | {"web/edited.js": "before\n"})
    publish_tables([rook], tmp_path)
    (tmp_path / "web" / "edited.js").write_text("after\n")
    (tmp_path / "web" / "mine.js").write_text("mine\n")
    few_pages(PAGES)
    publish_tables([rook], tmp_path)
    assert {path.name for path in (tmp_path / "web").iterdir()} == {
        *("board.js", "edited.js", "mine.js")
    }
    assert read_checked(tmp_path / OWN_LIST)["files"].keys() == {
        *PAGES,
        *(f"tables/KRK{ending}" for ending in (".h5", ".json", *ENDINGS)),
        *(f"tables/{name}.json" for name in ("tables", "summaries", "numbering")),
    }


def test_nothing_outside_of_the_folder_is_removed(site, rook, tmp_path):
    """The list may be that of somebody who means no good."""
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "victim").write_text("mine")
    (site / "link").symlink_to(tmp_path / "elsewhere")
    record = read_checked(site / OWN_LIST)
    del record["crc32"]
    entry = {"size": 4, "crc32": crc32(b"mine")}
    for name in ("../victim", str(victim), "link/victim", "a\0b", "\ud800", "x" * 5000):
        record["files"][name] = entry
    record["files"] |= {"index.html": {"size": [], "crc32": {}}, "none": None}
    write_checked(site / OWN_LIST, record)
    publish_tables([rook], site)
    assert victim.read_text() == (tmp_path / "elsewhere" / "victim").read_text() == "mine"


def test_tables_are_never_removed(site, rook, folders_by_metric):
    """Neither without an index, nor where another run publishes others."""
    (site / "tables" / "KRK.json").unlink()
    publish_tables([folders_by_metric["both"] / "KQK.h5"], site)
    assert (site / "tables" / "KRK.h5").read_bytes() == rook.read_bytes()
    assert not any((site / "tables" / f"KRK{ending}").exists() for ending in ENDINGS)
    publish_tables([rook], site)
    assert sorted(read_checked(site / "tables" / "tables.json")["tables"]) == ["KQK", "KRK"]


def test_without_its_list_a_folder_is_of_others(site, rook, few_pages):
    """Nothing tells a damaged list from a home page; `force` takes the folder over."""
    (site / OWN_LIST).unlink()
    (site / "mine.html").write_text("mine")
    few_pages(FORMER_PAGES)
    before = files_in(site)
    message = refusal([rook], site)
    assert message.startswith(f"{site / 'index.html'}, ")
    assert f" were not written by publish: {OTHERS} them with --force" in message
    assert files_in(site) == before
    publish_tables([rook], site, force=True)
    few_pages(PAGES)
    publish_tables([rook], site)
    assert (site / "index.html").read_text() == PAGES["index.html"]
    assert "mine.html" not in read_checked(site / OWN_LIST)["files"]
    assert (site / "mine.html").read_text() == "mine"


class TestAnotherVersion:
    """Folders that another version has written."""

    @staticmethod
    def write(path, record):
        """Write a record of a table as that version did, which put it into the list."""
        write_checked(path, record)
        stated = read_checked(path.parents[1] / OWN_LIST)
        del stated["crc32"]
        data = path.read_bytes()
        name = f"tables/{path.name}"
        stated["files"][name] = {"size": len(data), "crc32": crc32(data)}
        write_checked(path.parents[1] / OWN_LIST, stated)

    @pytest.mark.parametrize(
        "change",
        [
            lambda index: index.pop("file_size"),
            lambda index: index.pop("datasets"),
            lambda index: index.update(version=2),
            lambda index: index.update(datasets={"white_to_move/dtm": 1}),
            lambda index: index.update(datasets={"white_to_move/dtm": [1]}),
            lambda index: index.update(datasets={"white_to_move/dtm": [{"part": "none.json"}]}),
            lambda index: index.update(material="KQK"),
            lambda index: index.update(metrics=None),
        ],
    )
    def test_an_index_of_another_form_is_written_anew(self, site, rook, change):
        path = site / "tables" / "KRK.json"
        whole = path.read_bytes()
        index = read_checked(path)
        del index["crc32"]
        change(index)
        self.write(path, index)
        assert read_index(path, CHESS) is None
        ((one,), listed) = publish_tables([rook], site)
        assert one.is_new
        assert listed == 1
        assert path.read_bytes() == whole

    @pytest.mark.thorough
    @pytest.mark.parametrize("record", [{}, {"survey": None}, {"survey": 1, "material": "KQK"}])
    @pytest.mark.parametrize("ending", ENDINGS)
    def test_so_is_a_record(self, site, folders_by_metric, ending, record):
        """Also by a run that publishes another table."""
        path = site / "tables" / f"KRK{ending}"
        whole = path.read_bytes()
        self.write(path, record)
        rows, listed = publish_tables([folders_by_metric["both"] / "KQK.h5"], site)
        assert [(str(one.material), one.is_new) for one in rows] == [("KQK", True), ("KRK", True)]
        assert listed == 2
        assert path.read_bytes() == whole

    def test_without_the_table_it_cannot_be(self, site, folders_by_metric):
        (site / "tables" / "KRK.h5").unlink()
        (site / "tables" / "KRK.survey.json").unlink()
        _, listed = publish_tables([folders_by_metric["both"] / "KQK.h5"], site)
        assert listed == 1


@pytest.mark.parametrize("text", ["", "[]", "null", "{", "[" * 100_000, '{"crc32": 1}', "\xff"])
def test_a_list_that_is_none(site, rook, text):
    """Whoever wrote it, nothing is lost by it."""
    (site / OWN_LIST).write_bytes(text.encode("latin-1"))
    before = files_in(site)
    assert refusal([rook], site).startswith(f"{site / 'tables' / 'tables.json'}, ")
    assert files_in(site) == before
    publish_tables([rook], site, force=True)
    assert "index.html" in read_checked(site / OWN_LIST)["files"]


class TestPlaces:
    """Something else than a file in the place of one."""

    def require(self, rook, folder, message, *, force):
        before = files_in(folder)
        assert message in refusal([rook], folder)
        assert files_in(folder) == before
        if not force:
            assert message in refusal([rook], folder, force=True)
            assert files_in(folder) == before

    def test_a_folder(self, rook, tmp_path):
        (tmp_path / "index.html").mkdir()
        message = f"{tmp_path / 'index.html'} is a folder, but publish needs a file there: name an"
        self.require(rook, tmp_path, message, force=False)

    def test_a_file_for_a_folder(self, rook, tmp_path):
        (tmp_path / "web").write_text("mine")
        message = (
            f"{tmp_path / 'web'} is not a folder, but publish needs one there: name another fold"
        )
        self.require(rook, tmp_path, message, force=False)

    def test_a_file_for_the_folder_itself(self, rook, tmp_path):
        (tmp_path / "file").write_text("mine")
        for path in (tmp_path / "file", tmp_path / "file" / "site"):
            assert refusal([rook], path) == f"{path} is not a folder: name another one"

    def test_links_are_replaced_and_not_written_through(self, rook, tmp_path):
        site, mine = tmp_path / "site", tmp_path / "mine"
        mine.write_text("mine")
        (site / "tables").mkdir(parents=True)
        (site / "index.html").symlink_to(mine)
        (site / "LICENSE").symlink_to("nowhere")
        os.link(mine, site / "tables" / "KRK.h5")
        message = ", ".join(str(site / name) for name in ("index.html", "LICENSE", "tables/KRK.h5"))
        self.require(rook, site, f"{message} were not written by publish", force=True)
        publish_tables([rook], site, force=True)
        assert mine.read_text() == "mine"
        assert not (site / "nowhere").exists()
        assert not any(path.is_symlink() for path in site.rglob("*"))
        assert (site / "tables" / "KRK.h5").read_bytes() == rook.read_bytes()

    def test_a_folder_may_be_a_link(self, rook, tmp_path):
        (tmp_path / "large").mkdir()
        (tmp_path / "site").mkdir()
        (tmp_path / "site" / "tables").symlink_to(tmp_path / "large")
        for _ in range(2):
            publish_tables([rook], tmp_path / "site")
        assert (tmp_path / "large" / "KRK.h5").read_bytes() == rook.read_bytes()

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes")
    @pytest.mark.parametrize("name", ["index.html", "tables/KRK.json", "tables/KRK.h5", OWN_LIST])
    def test_a_pipe(self, rook, tmp_path, name):
        """Who reads it waits for ever."""
        (tmp_path / "tables").mkdir()
        os.mkfifo(tmp_path / name)
        self.require(rook, tmp_path, f"{tmp_path / name} was not written by publish", force=True)

    @pytest.mark.parametrize("name", ["Index.html", "WEB", "Web/mine.js", "tables/krk.h5"])
    def test_names_that_differ_in_case(self, rook, tmp_path, name):
        """On many machines they are one file, and a site is copied to many."""
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("mine")
        other = tmp_path / name.removesuffix("/mine.js")
        self.require(rook, tmp_path, f"{other} was not written by publish", force=True)

    @pytest.mark.skipif(sys.platform == "win32", reason="root and read-only files differ there")
    def test_a_read_only_file(self, site, rook, few_pages):
        """Own ones are replaced, others are refused, and nobody needs to write into them."""
        (site / "index.html").chmod(0o400)
        few_pages(FORMER_PAGES)
        publish_tables([rook], site)
        assert (site / "index.html").read_text() == FORMER_PAGES["index.html"]
        (site / "index.html").write_text("mine")
        (site / "index.html").chmod(0o400)
        few_pages(PAGES)
        assert "index.html was changed after publication" in refusal([rook], site)


def test_a_former_page_in_another_spelling(rook, tmp_path):
    """Where case does not matter, its name is that of a page that was just written."""
    publish_tables([rook], tmp_path)
    own = OwnFiles(tmp_path)
    own._contents["Web/board.js"] = own._contents["web/board.js"]
    if not (tmp_path / "Web").exists():
        (tmp_path / "Web").mkdir()
        (tmp_path / "Web" / "board.js").write_text(PAGES["web/board.js"])
    own.finish([*PAGES])
    assert (tmp_path / "Web" / "board.js").exists()
    assert "Web/board.js" not in OwnFiles(tmp_path).addresses


def draw_folder(rng, folder, ours):
    """Fill a folder with what somebody may have in it; return what of it is in the way."""
    outside = folder.with_name("outside")
    outside.write_text("mine")
    drawn = rng.sample([*ours, *(f"{name}.mine" for name in ours)], rng.randrange(6))
    for name in drawn:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        kind = rng.choice(("bytes", "nothing", "link", "hard link"))
        if kind == "link":
            path.symlink_to(outside)
        elif kind == "hard link":
            os.link(outside, path)
        else:
            path.write_bytes(rng.randbytes(200) if kind == "bytes" else b"")
    return {name for name in drawn if name in ours}


@pytest.mark.parametrize("seed", few(range(60), *range(8)))
def test_folders_of_others_stay_as_they_are(rook, site, tmp_path, seed):
    """After a refusal all of it, else all that is not in the way."""
    ours = [name for name, data in files_in(site).items() if data != "folder"]
    folder = tmp_path / "folder"
    folder.mkdir()
    taken = draw_folder(random.Random(seed), folder, ours)
    before, fresh = files_in(folder), files_in(site)
    if taken:
        assert "not written by publish" in refusal([rook], folder)
        assert files_in(folder) == before
    publish_tables([rook], folder, force=bool(taken))
    after = files_in(folder)
    assert (tmp_path / "outside").read_text() == "mine"
    assert after.keys() == before.keys() | fresh.keys()
    assert {name: after[name] for name in fresh} == fresh
    assert {name: after[name] for name in before.keys() - fresh.keys()} == {
        name: before[name] for name in before.keys() - fresh.keys()
    }


@pytest.fixture
def former_site(few_pages, shorter_rook, tmp_path):
    """Return what a former version published, with a file of somebody else in it."""
    few_pages(FORMER_PAGES)
    publish_tables([shorter_rook], tmp_path / "former")
    few_pages(PAGES)
    (tmp_path / "former" / "mine.txt").write_text("mine")
    return tmp_path / "former"


def test_a_former_publication_becomes_a_fresh_one(former_site, site, rook):
    publish_tables([rook], former_site)
    assert files_in(former_site) == files_in(site) | {"mine.txt": b"mine"}


@pytest.mark.thorough
def test_a_full_disk(former_site, site, rook, tmp_path, monkeypatch):
    """Whatever file cannot be written, the same command completes the folder."""
    fresh = files_in(site) | {"mine.txt": b"mine"}
    flush, failures = os.fsync, 0
    while True:
        left = failures

        def fill(descriptor):
            nonlocal left
            if not left:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            left -= 1
            flush(descriptor)

        folder = copytree(former_site, tmp_path / str(failures), copy_function=os.link)
        with monkeypatch.context() as full:
            full.setattr(atomic.os, "fsync", fill)
            with suppress(OSError):
                publish_tables([rook], folder)
                break
        assert not list(folder.rglob("*.partial"))
        publish_tables([rook], folder)
        assert files_in(folder) == fresh
        failures += 1
    assert files_in(folder) == fresh
    assert failures > 2 * len(PAGES)


# Publishes into one copy of a folder after the other, and kills the process a moment later than
# before, then publishes again. The last one is not killed.
KILLER = """
import json, os, signal, sys
from pathlib import Path
from shutil import copytree
from tablebase.publish import publication

former, scratch, rook, pages = sys.argv[1:]
publication.page_texts = lambda: json.loads(pages)
# What takes a pass over the table, or probes it.
publication.survey_record = lambda *_: {"material": "KRK", "survey": None, "difficult": None}
publication.exercises_record = lambda *_: {"material": "KRK", "levels": []}

def publish(folder, nth=0):
    moments = 0

    def note(event, arguments):
        nonlocal moments
        if event in {"os.rename", "os.remove", "os.link", "os.mkdir"} and folder in str(arguments):
            moments += 1
            if moments == nth:
                os.kill(os.getpid(), signal.SIGKILL)

    if nth:
        sys.addaudithook(note)
    publication.publish_tables([Path(rook)], Path(folder))

def forked(*arguments):
    child = os.fork()
    if not child:
        try:
            publish(*arguments)
        except BaseException as error:
            print(error, file=sys.stderr)
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1]

publish(os.path.join(scratch, "fresh"))  # here, so that the others need to import nothing
status, nth = signal.SIGKILL, 0
while status == signal.SIGKILL:
    nth += 1
    folder = os.path.join(scratch, str(nth))
    copytree(former, folder)
    status = forked(folder, nth)
    assert not forked(folder), f"after {nth} moments"
assert not status
"""


@pytest.mark.thorough
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.parametrize("is_first", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_killed_at_any_moment(former_site, rook, tmp_path, is_first):
    """The same command completes what another process left, without --force."""
    if is_first:
        former_site = tmp_path / "first"
        former_site.mkdir()
        (former_site / "mine.txt").write_text("mine")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    command = [sys.executable, "-c", KILLER, former_site, scratch, rook, json.dumps(PAGES)]
    ended = subprocess.run(
        list(map(str, command)),
        env=environment_of(),
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    fresh = files_in(scratch / "fresh") | {"mine.txt": b"mine"}
    folders = [path for path in scratch.iterdir() if path.name != "fresh"]
    assert len(folders) > 25
    for folder in folders:
        assert files_in(folder) == fresh, folder.name
