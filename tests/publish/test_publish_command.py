"""``tablebase publish``: complete files, nothing done twice, refusals in one line."""

import errno
import json
import os
from pathlib import Path
from shutil import copy, copytree
from zlib import crc32

import h5py
import pytest
from support import commands
from support.commands import refusal
from support.published import built_later, write_checked

from tablebase.core.building.generator import generate
from tablebase.core.rules.material import Material
from tablebase.core.rules.rule_files import built_in_rules
from tablebase.core.rules.rules import CHESS
from tablebase.core.storage import atomic
from tablebase.core.storage.reading import open_table
from tablebase.publish import publication
from tablebase.publish.game_data import rules_record
from tablebase.publish.listing import FILE_OF_TABLE
from tablebase.publish.own_files import OWN_LIST, Content, read_checked
from tablebase.publish.site import PIECES, STATIC
from tablebase.publish.table_records import LIST_FORMAT

ROOT = Path(__file__).parents[2]
KPK = ["KBK", "KNK", "KPK", "KQK", "KRK"]


@pytest.fixture
def tables(folders_by_metric, tmp_path):
    """Return a folder of KPK, KRK and their sub-tables that may be changed."""
    return copytree(folders_by_metric["both"], tmp_path / "source")


def run(capsys, *arguments):
    return commands.run(capsys, *map(str, arguments))


def listed(site):
    return read_checked(site / "tables" / "tables.json")


def stamps(site):
    return {path: path.stat().st_mtime_ns for path in site.rglob("*") if path.is_file()}


@pytest.mark.thorough
def test_all_tables_are_published_once(tables, tmp_path, capsys):
    site = tmp_path / "new" / "site"
    code, out, err = run(capsys, "publish", site, "--dir", str(tables))
    assert code == 0, err
    assert sorted(listed(site)["tables"]) == KPK
    assert all(name in out for name in KPK)
    assert out.endswith(f"{site}: 5 tables in all\n")
    for name in KPK:
        published = site / "tables" / f"{name}.h5"
        assert published.read_bytes() == (tables / f"{name}.h5").read_bytes()
    for path in (STATIC / "reader").iterdir():
        assert (site / "reader" / path.name).read_bytes() == path.read_bytes()
    before = stamps(site)
    code, out, _ = run(capsys, "publish", site, "--dir", str(tables))
    assert code == 0
    assert out.count("exists") == 5
    assert stamps(site) == before
    index = (site / "tables" / "KRK.json").read_bytes()
    (site / "tables" / "KRK.json").write_bytes(b"edited")
    code, out, _ = run(capsys, "publish", site, "KRK", "--dir", str(tables), "--force")
    assert code == 0
    assert "exists" not in out
    assert (site / "tables" / "KRK.json").read_bytes() == index
    assert not list(site.rglob("*.partial"))


@pytest.mark.parametrize("material", ["KRK", "QQvP", "PvP"])
def test_files_of_a_table_are_known_by_their_endings(material):
    """Whichever letter a material begins with."""
    known = (".h5", ".json", ".summary.json", ".exercises.json", ".white_to_move.dtm.0.json")
    assert all(FILE_OF_TABLE.fullmatch(f"{material}{ending}") for ending in known)
    others = (".txt", ".other.json", ".white_to_move.json", "")
    assert not any(FILE_OF_TABLE.fullmatch(f"{material}{ending}") for ending in others)


def test_an_index_says_where_chunks_lie(tables, tmp_path, capsys):
    assert run(capsys, "publish", tmp_path / "site", "KRK", "--dir", str(tables))[0] == 0
    assert sorted(listed(tmp_path / "site")["tables"]) == ["KRK"]
    path = tmp_path / "site" / "tables" / "KRK.json"
    first, _, rest = path.read_bytes().partition(b"\n")
    assert first == b'{"crc32": %d,' % crc32(rest)
    index = json.loads(path.read_text())
    table = path.with_suffix(".h5").read_bytes()
    assert index["file_size"] == len(table)
    assert index["file_crc32"] == crc32(table)
    assert (index["men"], index["symmetric"], index["slots"]) == (3, False, 29_568)
    with open_table(tables / "KRK.h5") as file:
        assert index["chunk_size"] == file.chunk_size
        for metric in file.metrics:
            assert index["sha256"][metric.name] == file.sha256_of(metric)
            for color, side in enumerate(("white_to_move", "black_to_move")):
                (run_of_chunks,) = index["datasets"][f"{side}/{metric}"]
                (stored,) = file.chunks.stored(color, metric.name)
                offset, (size,) = run_of_chunks["offset"], run_of_chunks["sizes"]
                assert table[offset : offset + size] == stored
        stated = json.loads(file.stored_attributes()["dtz_outcomes"])
    assert index["dtz_outcomes"] == stated


@pytest.mark.thorough
def test_tables_are_added_and_replaced(tables, folders_by_metric, tmp_path, capsys):
    """A later run adds to what is there, and replaces what has changed."""
    site = tmp_path / "site"
    assert run(capsys, "publish", site, "KRK", "--dir", str(folders_by_metric["dtm"]))[0] == 0
    assert listed(site)["tables"]["KRK"]["metrics"] == ["dtm"]
    code, out, _ = run(capsys, "publish", site, "KPK", "--dir", str(tables))
    assert code == 0
    assert "exists" not in out
    assert sorted(listed(site)["tables"]) == KPK
    assert listed(site)["tables"]["KRK"]["metrics"] == ["dtm", "dtz"]
    (site / "tables" / "KQK.h5").unlink()
    (site / "tables" / "KNK.json").unlink()
    code, out, _ = run(capsys, "publish", site, "KPK", "--dir", str(tables))
    assert code == 0
    assert out.count("exists") == 3
    assert sorted(listed(site)["tables"]) == KPK


def test_the_list_tells_a_table_replaced_by_one_of_the_same_size(tables, tmp_path, capsys):
    site, source = tmp_path / "site", tables / "KRK.h5"
    assert run(capsys, "publish", site, "KRK", "--dir", str(tables))[0] == 0
    before = listed(site)["tables"]["KRK"]
    assert before["crc32"] == crc32(source.read_bytes())
    data = built_later(source)
    assert run(capsys, "publish", site, "KRK", "--dir", str(tables), "--force")[0] == 0
    after = listed(site)["tables"]["KRK"]
    assert after == before | {"crc32": crc32(data)}
    assert after != before


def test_what_was_published_stays_when_the_source_is_replaced(tables, tmp_path, capsys):
    site = tmp_path / "site"
    assert run(capsys, "publish", site, "KRK", "--dir", str(tables))[0] == 0
    before = (site / "tables" / "KRK.h5").read_bytes()
    assert run(capsys, "build", "KRK", "--force", "--metric", "dtm", "--dir", str(tables))[0] == 0
    assert (site / "tables" / "KRK.h5").read_bytes() == before


def test_files_are_copied_where_links_are_impossible(tables, tmp_path, capsys, monkeypatch):
    def refuse(*_):
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(publication.os, "link", refuse)
    assert run(capsys, "publish", tmp_path / "site", "KRK", "--dir", str(tables))[0] == 0
    copy = tmp_path / "site" / "tables" / "KRK.h5"
    assert copy.read_bytes() == (tables / "KRK.h5").read_bytes()
    assert not copy.samefile(tables / "KRK.h5")
    assert not list((tmp_path / "site").rglob("*.partial"))


def test_tables_on_another_host(tables, tmp_path, capsys):
    site, base = tmp_path / "site", "https://host.example/tables"
    code, _, err = run(capsys, "publish", site, "KPK", "--base", base, "--dir", str(tables))
    assert code == 0, err
    assert not list(site.rglob("*.h5"))
    assert listed(site)["base"] == f"{base}/"
    assert sorted(listed(site)["tables"]) == KPK
    code, out, _ = run(capsys, "publish", site, "KPK", "--base", base, "--dir", str(tables))
    assert out.count("exists") == 5
    with pytest.raises(SystemExit) as ended:
        run(capsys, "publish", site, "--base", "host/tables")
    assert ended.value.code == 2
    message = capsys.readouterr().err
    assert "'host/tables' is not the address of a web host: write it like https://" in message


def test_a_table_replaced_meanwhile_is_not_published(tables, tmp_path, capsys, monkeypatch):
    write = publication._link

    def replaced(source, *arguments):
        other = tables / "other"
        other.write_bytes((tables / "KQK.h5").read_bytes())
        other.replace(source)
        write(source, *arguments)

    monkeypatch.setattr(publication, "_link", replaced)
    code, _, err = run(capsys, "publish", tmp_path / "site", "KRK", "--dir", str(tables))
    assert code == 2
    assert "KRK.h5 was replaced while it was published: run the same command again" in err
    assert listed(tmp_path / "site")["tables"] == {}
    assert not list((tmp_path / "site" / "tables").glob("KRK*"))


def test_damaged_tables_are_not_published(tables, tmp_path, capsys):
    """The others are; the exit code tells."""
    data = bytearray((tables / "KRK.h5").read_bytes())
    with open_table(tables / "KRK.h5") as file:
        offset, size, _ = file.chunks.extents(1, "dtz")[0]
    data[offset + size // 2] ^= 1
    (tables / "KRK.h5").write_bytes(data)
    code, out, err = run(capsys, "publish", tmp_path / "site", "--dir", str(tables))
    assert code == 2
    assert "KRK.h5 is damaged" in err
    assert sorted(listed(tmp_path / "site")["tables"]) == [name for name in KPK if name != "KRK"]
    assert "KQK" in out


def test_refusals_name_the_remedy(tables, tmp_path, capsys):
    site, folder = str(tmp_path / "site"), str(tables)
    message = refusal(capsys, "publish", site, "KRKN", "--dir", folder)
    assert f"no table of KRKN in {folder}: build it with `tablebase build KRKN --dir " in message
    assert "name other materials, like KRK" in refusal(
        capsys, "publish", site, "KK", "--dir", folder
    )
    assert "unknown material 'KXK'" in refusal(capsys, "publish", site, "KXK", "--dir", folder)
    assert "there is no folder" in refusal(capsys, "publish", site, "--dir", site)
    (tmp_path / "file").write_text("")
    message = refusal(capsys, "publish", str(tmp_path / "file"), "KRK", "--dir", folder)
    assert message == f"tablebase: {tmp_path / 'file'} is not a folder: name another one\n"
    assert not (tmp_path / "site").exists()


def test_a_home_page_is_not_overwritten(tables, tmp_path, capsys):
    """All of the pages and tables, where one file is in the way."""
    page = tmp_path / "index.html"
    page.write_text("<h1>my homepage</h1>")
    arguments = ("publish", str(tmp_path), "KRK", "--dir", str(tables))
    assert refusal(capsys, *arguments) == (
        f"tablebase: {page} was not written by publish: name another folder, or overwrite it with "
        "--force\n"
    )
    assert page.read_text() == "<h1>my homepage</h1>"
    assert {path.name for path in tmp_path.iterdir()} == {"index.html", tables.name}
    assert run(capsys, *arguments, "--force")[0] == 0
    assert page.read_text() == (STATIC / "index.html").read_text(encoding="utf-8")
    assert run(capsys, *arguments)[0] == 0


def test_a_folder_of_tables_may_be_that_of_the_site(tables, tmp_path, capsys):
    """The tables stay those of their owner, also where a table is built again."""
    folder = tables.rename(tmp_path / "tables")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    arguments = ("publish", str(tmp_path), "KRK", "--dir", str(folder))
    assert run(capsys, *arguments)[0] == 0
    assert {path: path.read_bytes() for path in before} == before
    own = read_checked(tmp_path / OWN_LIST)["files"].keys()
    assert {name for name in own if name.startswith("tables/K")} == {
        f"tables/KRK{ending}.json" for ending in ("", ".summary", ".survey", ".exercises")
    }
    (folder / "KRK.h5").unlink()
    assert run(capsys, "build", "KRK", "--metric", "dtm", "--dir", str(folder))[0] == 0
    assert run(capsys, *arguments)[0] == 0
    assert listed(tmp_path)["tables"]["KRK"]["metrics"] == ["dtm"]


def test_a_damaged_table_is_not_left_in_the_folder(tables, tmp_path, capsys):
    """Here the checksums of its chunks are right, and that of its values is wrong."""
    with h5py.File(tables / "KRK.h5", "r+") as file:
        file.attrs.modify("sha256", file.attrs["dtz_sha256"])
    code, _, err = run(capsys, "publish", tmp_path / "site", "KRK", "--dir", str(tables))
    assert code == 2
    assert err.count("tablebase: ") == 1
    assert "KRK.h5" in err
    assert not list((tmp_path / "site" / "tables").glob("*KRK*"))


def test_a_table_by_a_symbolic_link_is_published_as_a_file(tables, tmp_path, capsys):
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "KRK.h5").symlink_to(tables / "KRK.h5")
    site = tmp_path / "site"
    assert run(capsys, "publish", site, "KRK", "--dir", str(tmp_path / "links"))[0] == 0
    assert not (site / "tables" / "KRK.h5").is_symlink()
    assert (site / "tables" / "KRK.h5").read_bytes() == (tables / "KRK.h5").read_bytes()


def test_the_licence_is_there(tables, tmp_path, capsys):
    """In a checkout, and in a package that was installed from a wheel."""
    assert run(capsys, "publish", tmp_path / "site", "KRK", "--dir", str(tables))[0] == 0
    assert (tmp_path / "site" / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_a_folder_that_cannot_be_written_to(tables, tmp_path, capsys, monkeypatch):
    """The message names the list, not a file with a temporary name beside it."""

    def refuse(path, *_):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(atomic, "flock", lambda *_: None)  # also where there is none
    monkeypatch.setattr(atomic.os, "open", refuse)
    site = tmp_path / "site"
    message = refusal(capsys, "publish", str(site), "KRK", "--dir", str(tables))
    assert message == f"tablebase: {site / OWN_LIST}: Permission denied\n"


# The pages and the reader that version 1 of lists came with.
EARLIER = {
    "": "LICENSE ending.js index.html manifest.webmanifest offline.js",
    "discs/": " ".join(f"{name}.svg" for name in PIECES),
    "pieces/": " ".join(f"{name}.svg" for name in PIECES),
    "reader/": "README.md cache.js checksums.js difficulty.js errors.js host.js index.js "
    "lichess.js numbering.js outcomes.js package.json position.js ranking.js searching.js table.js",
    "tables/": "material.html",
    "web/": "addresses.js annotation.js api.js arrows.js board.js charts.js cross.svg explorer.css "
    "explorer.js files.js game.js games.js hints.js judgement.js keeping.js keys.js looks.js "
    "material.css material.js moves.js page.js palette.js partner.js pgn.js position.js "
    "practice.js promotion.js refusals.js setup.js solve.js tables.js themes.js tips.js words.js",
}


def contents(folder):
    return {path: Content.at(folder / path) for path in names_in(folder)}


def names_in(folder):
    found = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return {name for name in found if name != OWN_LIST}


def make_earlier(site, fresh):
    """Make a folder as an earlier version has published KQK and KRK; return its pages."""
    pages = [f"{folder}{name}" for folder, names in EARLIER.items() for name in names.split()]
    for name in pages:
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(f"an earlier {name}")
    summaries = []
    for name in ("KQK", "KRK"):
        for ending in (".h5", ".json"):
            copy(fresh / "tables" / f"{name}{ending}", site / "tables")
        summary, survey = (
            read_checked(fresh / "tables" / f"{name}.{one}.json") for one in ("summary", "survey")
        )
        del summary["crc32"]
        summaries.append(summary)
        write_checked(
            site / "tables" / f"{name}.summary.json", summary | {"survey": survey["survey"]}
        )
    write_checked(site / "tables" / "summaries.json", {"tables": summaries})
    listed = {"format": LIST_FORMAT, "version": 1, "tables": {"KQK": {}, "KRK": {}}}
    write_checked(site / "tables" / "tables.json", listed)
    files = {name: content._asdict() for name, content in contents(site).items()}
    own = {"format": "chess-tablebase-files", "version": 1, "files": files}
    write_checked(site / OWN_LIST, own)
    return pages


@pytest.mark.thorough
def test_a_folder_of_an_earlier_version_is_brought_up_to_date(tables, tmp_path, capsys):
    """All of its tables, although one is named; files of others stay."""
    site, fresh = tmp_path / "site", tmp_path / "fresh"
    assert run(capsys, "publish", fresh, "KQK", "KRK", "--dir", tables)[0] == 0
    pages = make_earlier(site, fresh)
    theirs = {site / "web" / "mine.js": "mine", site / "tables" / "KRK.txt": "notes"}
    for path, text in theirs.items():
        path.write_text(text)
    code, out, _ = run(capsys, "publish", site, "KQK", "--dir", tables)
    assert code == 0
    assert out.endswith(f"{site}: 2 tables in all\n")
    for path, text in theirs.items():
        assert path.read_text() == text
        path.unlink()
    assert contents(site) == contents(fresh)
    assert {"web/api.js", "web/files.js"} < set(pages) - names_in(site)
    before = stamps(site)
    assert run(capsys, "publish", site, "KQK", "--dir", tables)[0] == 0
    assert stamps(site) == before


@pytest.fixture(scope="module")
def small_board(tmp_path_factory):
    """Return a folder of tables of a game on 5 x 5 squares."""
    folder = tmp_path_factory.mktemp("small")
    gardner = built_in_rules()["gardner"]
    generate([Material.from_name(name, gardner) for name in ("KQK", "KRK")], folder)
    return folder


@pytest.mark.thorough
def test_another_game_is_published_beside_chess(tables, small_board, tmp_path, capsys):
    """Alone, and before or after chess; with its own lists, which that of chess names."""
    rules = built_in_rules()["gardner"]
    game = ("--rules", "gardner", "--dir", small_board)
    for order in (("game",), ("game", "chess"), ("chess", "game")):
        site = tmp_path / "".join(order)
        for one in order:
            chosen = game if one == "game" else ("KRK", "--dir", tables)
            code, out, err = run(capsys, "publish", site, *chosen)
            assert code == 0, err
        assert out.endswith(f"{site}: {1 + len(order)} tables in all\n")
        chess, own = listed(site), read_checked(site / "tables" / rules.folder / "tables.json")
        assert list(chess["tables"]) == (["KRK"] if "chess" in order else [])
        assert chess["rules"] == rules_record(CHESS)
        assert chess["games"] == [
            {"name": "gardner", "folder": rules.folder, "address": f"{rules.folder}/"}
        ]
        assert list(own["tables"]) == ["KQK", "KRK"]
        assert own["rules"] == rules_record(rules)
        for name in ("KQK", "KRK"):
            path = small_board / rules.folder / f"{name}.h5"
            assert (site / "tables" / rules.folder / path.name).read_bytes() == path.read_bytes()
        before = stamps(site)
        assert run(capsys, "publish", site, *game)[1].count("exists") == 2
        assert stamps(site) == before
    both = [names_in(tmp_path / name) for name in ("gamechess", "chessgame")]
    assert both[0] == both[1]


@pytest.mark.thorough
def test_another_game_on_another_host(tables, small_board, tmp_path, capsys):
    """Its list stays when chess is published later, from this host."""
    folder = built_in_rules()["gardner"].folder
    base = ("--base", "https://host.example/tables")
    for chosen in (("--rules", "gardner", *base, "--dir", small_board), ("KRK", "--dir", tables)):
        assert run(capsys, "publish", tmp_path, *chosen)[0] == 0
        own = read_checked(tmp_path / "tables" / folder / "tables.json")
        assert own["base"] == f"https://host.example/tables/{folder}/"
        assert list(own["tables"]) == ["KQK", "KRK"]
        assert [one["folder"] for one in listed(tmp_path)["games"]] == [folder]
        assert "base" not in listed(tmp_path)
    assert sorted(listed(tmp_path)["tables"]) == ["KRK"]
    assert not list((tmp_path / "tables" / folder).glob("*.h5"))


def test_files_of_other_games_among_chess_are_refused(tables, tmp_path, capsys):
    """Their files lie in folders of their own, but may be put among those of chess."""
    built = run(capsys, "build", "KRK", "--rules", "shatranj", "--metric", "dtm",
                "--dir", str(tmp_path / "other"))  # fmt: skip
    assert built[0] == 0
    (path,) = (tmp_path / "other").glob("*/KRK.h5")
    path.replace(tables / "KRK.h5")
    code, _, err = run(capsys, "publish", tmp_path / "site", "KRK", "--dir", str(tables))
    assert code == 2
    assert err.count("tablebase: ") == 1
    assert "KRK.h5 is of shatranj, not of chess" in err


@pytest.mark.thorough
def test_games_are_listed_in_the_order_of_their_folders(games_dir, tmp_path):
    """As a server lists them, whichever was published last."""
    folders = sorted(path.name for path in games_dir.iterdir() if path.is_dir())
    assert len(folders) > 2
    for folder in reversed(folders):
        source = min((games_dir / folder).glob("K*.h5"), key=lambda path: path.stat().st_size)
        publication.publish_tables([source], tmp_path)
    assert [one["folder"] for one in listed(tmp_path)["games"]] == folders
