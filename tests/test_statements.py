"""Counts and sizes that pages state are those of commands and of files of measurements."""

import csv
import json
import re
import tomllib
from pathlib import Path

import chess
import fit_costs
import numpy as np
import pytest
from support.measures import lines_of_code, reading_path

from tablebase import find
from tablebase.core.building.estimate import load_costs
from tablebase.core.building.graph import plan
from tablebase.core.castling.placements import castling_set_of
from tablebase.core.castling.solved_sets import castling_rights, solving_in_words
from tablebase.core.engine.games.points import Game
from tablebase.core.index.numbering import slot_count
from tablebase.core.moves.games.points import GameMoves
from tablebase.core.rules.material import all_materials
from tablebase.core.rules.rule_files import built_in_rules

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
KERNEL = re.compile(r"^ *@(?:hot_)?(?:kernel|entry)\b", re.MULTILINE)


def text_of(name):
    """Return a page of the repository in one line."""
    return " ".join((ROOT / name).read_text(encoding="utf-8").split())


def results_of(name):
    """Return what an experiment found."""
    path = ROOT / "benchmarks" / "results" / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8"))["results"]


def test_pages_say_where_the_positions_of_the_suite_are_from():
    lines = (ROOT / "data" / "conformance" / "positions.jsonl").read_text("utf-8").splitlines()
    sources = [json.loads(line)["source"] for line in lines]
    every, own = len(sources), sources.count("own")
    told = re.findall(rf"{every} positions that test|\b{every - own} are from public|"
                      rf"\b{own} were made", text_of("data/conformance/README.md"))  # fmt: skip
    assert len(told) == 3
    for name in ("README.md", "docs/engines.md"):
        assert f"{every} positions of the kinds that readers get wrong" in text_of(name)


def test_the_program_says_how_long_a_castling_set_takes_as_measured():
    measured = results_of("castling_sets")
    for one in measured:
        board = chess.Board(one["fen"])
        words = solving_in_words(castling_set_of(board, castling_rights(board)))
        most = {"a few seconds": 5, "up to half a minute": 30}[words.rpartition(", ")[2]]
        assert len(board.piece_map()) == 5
        assert one["processor_seconds"] < most, one
    assert {"P" in one["men"] for one in measured} == {True, False}


def test_a_page_counts_the_files_that_github_refuses():
    refused = [size for size in load_costs().bytes.values() if size > 100 * 2**20]
    assert f"leaves out the {len(refused)} largest five-piece tables" in text_of("docs/publish.md")


def test_sizes_and_times_of_whole_sets_are_the_measured_ones():
    disk = {men: plan(all_materials(men)).disk for men in (4, 5)}
    run = {one.men: one for one in load_costs().runs}
    small, large = f"{disk[4] / 1e6:.0f} MB", f"{disk[5] / 1e9:.1f} GB"
    minutes, gigabytes = f"{run[5].seconds / 60:.0f} minutes", f"{run[5].memory / 1e9:.0f}"
    assert run[4].peak / 1e9 == pytest.approx(0.5, abs=0.1)
    limited = f"`--memory {gigabytes}G`"
    told = {
        "docs/limits.md": f"take {small} of disk and half a gigabyte of memory. The 146 of up to "
        f"five take {large} of disk and, with {limited}, {gigabytes} GB of memory",
        "docs/publish.md": f"take {small}",
        "docs/build.md": f"about {minutes} on two cores with {limited}, and {large} of disk",
        "docs/compare.md": f"[{minutes}](build.md#know-the-cost-before), 2 cores, {gigabytes} GB",
    }
    assert not [name for name, words in told.items() if words not in text_of(name)]
    assert f"| {large} |" in text_of("docs/compare.md")


def test_memory_of_six_piece_tables_is_that_of_the_table_of_estimates():
    estimates = " ".join(memory for *_, memory in rows_of("six-men"))
    bounds = [int(one) for one in re.findall(r"(\d+) (?:to|GB)", estimates)]
    for name in ("docs/build.md", "docs/limits.md"):
        assert f"[{min(bounds)} to {max(bounds)} GB of memory]" in text_of(name), name
    assert f"takes up to {max(bounds)} GB of memory" in text_of("README.md")


def test_codes_of_a_whole_table_take_as_much_as_pages_say():
    most = {}
    for men in (5, 6):
        for one in all_materials(men):
            kind = one.piece_count, one.has_pawns and one.piece_count == 6
            most[kind] = max(most.get(kind, 0), 2 * slot_count(one))
    five, six, pawns = (most[kind] / 1e9 for kind in ((5, False), (6, False), (6, True)))
    words = (
        f"up to {five:.1f} GB for five pieces, {six:.0f} GB for six, {pawns:.0f} GB for six with a"
    )
    assert words in text_of("docs/verify.md")
    assert f"has up to {pawns:.0f} GB of codes" in text_of("docs/algorithm.md")


def test_measured_costs_are_kept_where_the_program_reads_them():
    assert fit_costs.COSTS.is_file()
    assert json.loads(fit_costs.COSTS.read_text())["date"] == load_costs().date


@pytest.mark.parametrize(("game", "most"), [("antichess", 4), ("atomic", 5)])
def test_all_tables_of_a_game_take_what_was_measured(game, most):
    measured = results_of(game)
    begin = f"`tablebase build --men {most} --rules {game}`"
    text = text_of("docs/other-games.md").partition(begin)[2][:300]
    rules = built_in_rules()[game]
    assert measured["tables"] == sum(len(all_materials(n, rules)) for n in range(2, most + 1))
    assert f"makes all {measured['tables']} tables" in text
    assert f"take {measured['processor_seconds'] / 60:.0f} minutes of processor time" in text
    assert f"{measured['wall_seconds'] / 60:.0f} minutes on two cores that also did" in text
    assert f") and {measured['bytes'] / 1e9:.1f} GB of disk" in text


def test_all_helpmates_take_what_was_measured():
    measured = results_of("helpmates")
    page = text_of("docs/who-can-mate.md")
    assert measured["tables"] == sum(len(all_materials(n)) for n in range(2, 6))
    assert (
        f"the {measured['tables']} tables get their distances to mate in "
        f"{measured['mate_wall_seconds'] / 60:.0f} minutes and their helpmates in "
        f"{measured['wall_seconds'] / 60:.0f} more"
    ) in page
    assert (
        f"add {measured['bytes'] / 1e9:.1f} GB to the {measured['mate_bytes'] / 1e9:.1f} GB"
    ) in page


@pytest.mark.parametrize(("game", "name"), [("atomic", "atomic"), ("antichess", "giveaway")])
def test_a_page_counts_the_published_numbers_of_other_games(game, name):
    path = ROOT / "tests" / "data" / f"{name}_dtz.json"
    published = json.loads(path.read_text(encoding="utf-8"))
    parts = [part for sides in published.values() for side in sides for part in side]
    numbers = sum(len(part) if isinstance(part, dict) else 1 for part in parts)
    expected = f"{numbers:,} numbers of {len(published)} endings of {game}"
    assert expected in text_of("docs/verification.md")


def test_the_tour_of_the_core_says_how_much_there_is_to_read():
    page, folder = DOCS / "core.md", ROOT / "tablebase" / "core"
    path = [ROOT / name for name in reading_path(page)]
    helpers = {*helpers_named(page, folder)} - {*path}
    lines, beside = (sum(map(lines_of_code, some)) for some in (path, helpers))
    text = text_of("docs/core.md")
    assert f"the {len(path)} modules of this page have some {round(lines, -2):,} lines" in text
    assert f"the helpers another {round(beside, -2):,}, together less than half of the core" in text
    assert lines + beside < sum(map(lines_of_code, folder.rglob("*.py"))) / 2


def helpers_named(page, folder):
    """Yield the modules that a tour names, of several of a name that beside the paragraph's."""
    tour = page.read_text(encoding="utf-8").split("## What this page leaves out")[0]
    for paragraph in re.split(r"^\*\*\d+\. ", tour, flags=re.MULTILINE):
        names = re.findall(r"`([a-z_/]+\.py)`", paragraph)
        for name in names:
            found = [one for one in folder.rglob("*.py") if one.match(f"*/{name}")]
            home = (ROOT / names[0]).parent.parent
            yield from [one for one in found if len(found) == 1 or one.is_relative_to(home)]


@pytest.mark.parametrize(("points", "count"), [(Game, 15), (GameMoves, 9)])
def test_the_page_of_another_game_has_all_points(points, count):
    text = text_of("docs/another-game.md")
    assert f"{points.__name__}, {count} kernels" in text
    assert len(points._fields) == count
    assert {*points._fields} <= {*re.findall(r"`(\w+)`", text)}


def test_a_page_says_how_many_kernels_there_are():
    modules = (ROOT / "tablebase").rglob("*.py")
    kernels = sum(len(KERNEL.findall(path.read_text(encoding="utf-8"))) for path in modules)
    (told,) = re.findall(r"Each of the some (\d+) kernels", text_of("docs/algorithm.md"))
    assert kernels == pytest.approx(int(told), abs=15)


@pytest.mark.thorough
def test_zugzwangs_are_as_many_as_the_page_says(zeroing_dir):
    """Those of three materials; another test counts them in another way."""
    page = (DOCS / "find.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(white|black|both)` \| (.*) \|$", page, re.MULTILINE)
    table = {kind: dict(one.split() for one in text.split(", ")) for kind, text in rows}
    assert set(table) == {"white", "black", "both"}
    for name in ("KPK", "KPKP", "KBKP"):
        for kind, counts in table.items():
            number = int(counts.get(name, 0))
            assert len(find(name, zeroing_dir, zugzwang=kind, turn=True)) == number
            listed = number if name == "KPKP" else 2 * number
            assert len(find(name, zeroing_dir, zugzwang=kind)) == listed


def rows_of(name):
    """Return the rows of a file that pages link."""
    with (DOCS / "tables" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return [*csv.reader(file)][1:]


def test_sentences_about_linked_tables_are_true():
    games = text_of("docs/other-games.md")
    endings = {name: rest for name, *rest in rows_of("shatranj-endings")}
    pawns, ferz = (endings[name][2] for name in ("pawn against pawn", "ferz against pawn"))
    assert f"wins in up to {pawns} moves, a ferz against a pawn in {ferz}" in games
    assert f"alfil against alfil is drawn in {endings['alfil against alfil'][1]}" in games
    assert f"rook against pawn won in {endings['rook against pawn'][0]}" in games
    name, plies, fen = rows_of("castling-longest")[0]
    assert f"takes {plies} plies: {name}, from `{fen}`" in text_of("docs/castling.md")
    *_, (_, _, _, four, _), (_, _, most, five, longest) = rows_of("leapers-won")
    longest = longest.partition(" (")[0]
    best = f"wins {four} of them, the best of five {five}, and the longest win takes {longest}."
    words = f"{best} Of the {most} that"
    assert words in games
    moves = {row[0]: row[3] for row in rows_of("rules-corners")}
    right, wrong = moves["in a corner of the bishop's colour"], moves["in another corner"]
    thumb = text_of("docs/rules-of-thumb.md")
    assert f"{right} moves on average with the king in a corner of the bishop's colour" in thumb
    assert f"colour, {wrong} in another one" in thumb
    tried = {(row[0], row[3]): row[4:] for row in rows_of("rules-tried")}
    square = tried["square of the pawn", "White"]
    white, black = (tried["rook behind the pawn", side] for side in ("White", "Black"))
    assert f"fails in {square[-1]} of {square[0]} positions" in thumb
    assert f"{white[1]}, hardly more than the {white[2]} of all, and {black[1]}" in thumb
    assert {row[-1] for (name, _), row in tried.items() if re.search("oppos|wrong", name)} == {"0"}
    endings = {row[1] for row in rows_of("rules-tried")}
    assert (len({name for name, _ in tried}), len(endings)) == (14, 6)
    assert "has fourteen rules of six endings" in thumb
    (leak,) = (row for row in rows_of("leaks") if row[0] == "distances, random forest")
    first, split = (cell.partition(" ")[0] for cell in leak[1:3])
    assert f"{first} for a random forest, instead of {split}" in text_of("docs/data.md")
    *_, eight = rows_of("every-ending")
    assert f"such as {eight[-1]} for eight pieces" in text_of("docs/symmetry.md")
    (sight,) = (row for row in rows_of("resistance") if row[:2] == ["drawn", "sight 2"])
    benchmarks = text_of("docs/benchmarks.md")
    assert f"a sight of 2, for instance, {sight[3]} drawn ones instead of {sight[2]}" in benchmarks
    times = {
        way: sorted(int(cell.partition(" ns")[0]) for cell in cells)
        for way, *cells in rows_of("looking-up")
    }
    least, *_, most = times["reduced"]
    assert f"reduced table takes {least} to {most} ns" in benchmarks
    least, *_, most = times["expanded"]
    assert f"in the expanded one {least} to {most} ns" in benchmarks


def test_butterfly_boards_in_a_search_save_no_more_than_the_page_says():
    page = text_of("docs/butterfly.md")
    shares = {name: re.findall(r"[\d.]+", cells[-1]) for name, *cells in rows_of("butterfly-nodes")}
    bounds = {name: (float(low), float(high)) for name, (_, low, high) in shares.items()}
    better = [name for name, (_, high) in bounds.items() if high < 1 and name != "all"]
    assert not [name for name, (low, _) in bounds.items() if low > 1]
    assert f"Only in {' and '.join(better)} do the boards save more than history by more" in page
    endings = results_of("butterfly_search")["endings"].values()
    assert {len(rows) for one in endings for rows in one.values()} == {12}
    assert "12 won or lost positions" in page
    for order in next(iter(endings)):
        changes = np.array([row[3] - row[1] for one in endings for row in one[order]])
        assert abs(changes.mean()) <= 1.96 * changes.std() / np.sqrt(len(changes))


def test_the_first_guess_of_butterfly_boards_was_right_as_often_as_the_page_says():
    found = results_of("butterfly")["materials"]

    def right(name, order):
        return round(100 * np.mean([one[0] for one in found[name][f"White, {order}"]]))

    text = text_of("docs/butterfly.md")
    boards, squares = (
        "{}, {} and {} %".format(*(right(name, order) for name in ("KRK", "KPK", "KBNK")))
        for order in ("butterfly, share", "centre")
    )
    assert f"in {boards} of the positions, instead of {squares}" in text
    last, first = (
        [right(name, order) for name in ("KRK", "KQKR")]
        for order in ("after the last move", "butterfly, share")
    )
    assert f"right in {last[0]} instead of {first[0]} % for White in KRK" in text
    assert f"in {last[1]} instead of {first[1]} % in KQKR" in text


def test_ways_of_looking_up_take_as_much_as_the_page_says():
    page = (DOCS / "symmetry.md").read_text(encoding="utf-8")
    found = results_of("ways_of_looking_up").values()

    def span(way, key, digits):
        ratios = [one[way][key] / one["reduced"][key] for one in found]
        return f"{min(ratios):.{digits}f} to {max(ratios):.{digits}f} times"

    for way, begin in (
        ("in turn", "| try the images"),
        ("copies", "| keep all images"),
        ("expanded", "| expand the table"),
        ("tree", "| build all images"),
    ):
        (row,) = (line for line in page.splitlines() if line.startswith(begin))
        assert f"takes {span(way, 'ns', 1)} as long" in row
        assert way in ("in turn", "copies") or f"{span(way, 'bytes', 0)} the memory" in row


def test_all_examples_are_in_their_list():
    folder = ROOT / "examples"
    rows = re.findall(r"^\| (`.*?) \|", (folder / "README.md").read_text("utf-8"), re.MULTILINE)
    assert set(re.findall(r"`([^`]+)`", " ".join(rows))) | {"README.md"} == {
        path.name for path in folder.iterdir() if path.is_file()
    }


def test_all_extras_are_in_the_table_of_extras():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    text = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    rows = re.search(r"## Extras\n(.*?)\n## ", text, re.DOTALL)[1]
    heads = " ".join(re.findall(r"^\| (`.*?) \|", rows, re.MULTILINE))
    assert set(re.findall(r"`(\w+)`", heads)) == set(project["optional-dependencies"])
