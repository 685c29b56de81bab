"""Reports: right figures, nothing from elsewhere, words for every picture; and their commands."""

import json
import re
import shutil
import sys
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import chess
import chess.variant
import numpy as np
import pytest
from support.few import few

from tablebase import difficulty, find, open_tablebase
from tablebase.cli.program import main
from tablebase.core.building.generator import generate
from tablebase.core.ground.errors import TablebaseError
from tablebase.core.rules.material import Material
from tablebase.core.rules.rule_files import built_in_rules
from tablebase.core.storage.table_names import table_path
from tablebase.report import analysis as study_analysis
from tablebase.report.analysis import analyse
from tablebase.report.document import (
    SUMMARIES,
    data_uri,
    html_report,
    title_of,
    write_html,
    write_index,
    write_markdown,
)

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")


class Page(HTMLParser):
    """What a browser would make of a page: tags, pictures, text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.images, self.links, self.words, self.sections = [], [], [], [], []
        self.outward, self.sources = [], set()  # links to other hosts, what has an address
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        attributes = dict(attrs)
        self.sources |= {(tag, name) for name in attributes if name in {"href", "src"}}
        if tag == "img":
            self.images.append(attributes)
        if tag == "h2":
            self.sections.append(attributes.get("id"))
        if "href" in attributes:
            away = "://" in attributes["href"]
            (self.outward if away else self.links).append(attributes["href"])

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


@pytest.fixture(scope="module")
def krk(folders_by_metric):
    return analyse(folders_by_metric["dtm"] / "KRK.h5")


@pytest.fixture(scope="module")
def kk():
    """Return the report with the fewest pictures."""
    return analyse("data/KK.h5")


@pytest.fixture(scope="module")
def page(krk):
    return Page(html_report(krk))


@pytest.mark.thorough
def test_the_page_tells_the_figures(krk, page):
    for figure in ("28,056", "16 moves", "(31 plies)", "175,168", "21,959", "201,700", "2,796"):
        assert figure in page.text
    assert (
        "121 inequivalent positions with White to move are won in 16 moves (31 plies)" in page.text
    )
    for line in krk.longest["white_to_move"]:
        assert line.text in page.text
    assert "27,930 of 8 placements, 126 of 4 placements" in page.text


@pytest.mark.thorough
def test_every_count_is_on_the_page(krk, page):
    for side in krk.counts.values():
        for counts in (side, side["inequivalent"]):
            for result in ("win", "draw", "loss", "illegal"):
                assert f"{counts[result]:,}" in page.text
        for histogram in side["inequivalent"]["dtm_histogram"].values():
            for count in histogram.values():
                assert f"{count:,}" in page.text


def test_the_page_needs_nothing_else(page):
    assert not {"script", "link", "iframe", "object"} & set(page.tags)
    assert page.links[0] == "index.html"
    assert all(link.startswith("#") for link in page.links[1:])
    assert {tag for tag, name in page.sources if name == "href"} == {"a"}
    for image in page.images:
        head, _, data = image["src"].partition(",")
        assert head == "data:image/svg+xml"
        svg = ET.fromstring(unquote(data))
        references = [
            value for tag in svg.iter() for name, value in tag.items() if name.endswith("href")
        ]
        assert all(value.startswith(("#", "data:image/png")) for value in references)


def test_the_contents_list_all_sections(page):
    assert page.links[1:] == [f"#{name}" for name in page.sections]
    assert len(page.sections) == 8
    assert "zeroing" not in page.sections  # the table has no such distances


LICHESS = "https://lichess.org/analysis/"


def test_boards_lead_to_their_positions(krk, page):
    fens = [line.fen for line in krk.longest["white_to_move"]]
    assert page.outward == [LICHESS + fen.replace(" ", "_") for fen in fens]


@pytest.mark.thorough
@pytest.mark.parametrize(
    "explorer", few(["http://127.0.0.1:8080/", "../", "../index.html"], "../index.html")
)
def test_boards_and_material_lead_into_an_explorer(krk, explorer):
    page = Page(html_report(krk, explorer))
    links = [link for link in page.links + page.outward if link.startswith(explorer[:3])]
    fens = [line.fen for line in krk.longest["white_to_move"]]
    assert links == [
        f"{explorer.removesuffix('index.html')}tables/material.html?material=KRK",
        *(f"{explorer}?fen={fen.replace(' ', '_')}" for fen in fens),
    ]
    assert not [link for link in page.outward if link.startswith(LICHESS)]


@pytest.mark.thorough
def test_positions_of_other_games_lead_into_an_explorer_alone(tmp_path):
    rules = built_in_rules()["shatranj"]
    material = Material.from_name("KRK", rules)
    generate([material], tmp_path)
    analysis = analyse(table_path(tmp_path, material))
    assert Page(html_report(analysis)).outward == []
    (link, *_) = Page(html_report(analysis, "http://127.0.0.1:8080/")).outward
    line = analysis.longest["white_to_move"][0]
    assert link == f"http://127.0.0.1:8080/?rules=shatranj&fen={line.fen.replace(' ', '_')}"


@pytest.mark.thorough
def test_a_report_of_atomic_chess_has_figurines_and_names_the_game(atomic_dir, tmp_path):
    (atomic,) = {path.parent for path in atomic_dir.glob("*/KQK.h5")}
    analysis = analyse(atomic / "KQK.h5", butterfly=False)
    text = html_report(analysis)
    page = Page(text)
    assert "King and queen against king in atomic" in text
    assert "a king that explodes counts as mated" in text
    assert "at each distance to the end of the game, if the winner ends it as fast as" in text
    assert "tablebase info KQK --json --rules atomic" in text
    fens = [line.fen.replace(" ", "_") for line in analysis.longest["white_to_move"]]
    assert {*page.outward} >= {f"{LICHESS}atomic/{fen}" for fen in fens}
    assert text.count("data:image/svg") > len(fens)
    options = ["--rules", "atomic", "--dir", str(atomic_dir), "--out", str(tmp_path)]
    assert main(["report", "KQK", "--markdown", "--no-butterfly", *options]) == 0
    (written,) = tmp_path.glob("*/KQK.md")
    assert written.read_text().startswith("# KQK: King and queen against king in atomic\n")


@pytest.mark.thorough
def test_a_report_of_antichess_counts_plies_to_the_end(antichess_dir):
    (folder,) = antichess_dir.glob("antichess-*")
    analysis = analyse(folder / "KvP.h5", butterfly=False)
    longest = analysis.longest["black_to_move"][0]
    assert (longest.plies, len(longest.moves)) == (44, 44)
    told = analysis.as_dict()
    assert set(told["squares"]["white_to_move"]["win"]) == {"white king", "black pawn"}
    text = html_report(analysis)
    assert "King against pawn in antichess" in text
    assert "all positions solved to the end of the game" in text
    assert "https://lichess.org/analysis/antichess/" in text
    assert "Burnside" not in text
    pawns = analyse(folder / "PvP.h5", butterfly=False)
    # A side of pawns has no other man, and 40 positions with White to move are blocked.
    assert pawns.survey.squares.shape == (2, 3, 2, 64)
    blocked = pawns.survey.moves_by_square(0, "win", 0)
    assert blocked[chess.A2] > 0
    assert pawns.counts["white_to_move"]["dtm_histogram"]["win"]["0"] == 40


@pytest.mark.thorough
def test_reports_of_racing_kings_are_of_either_order_of_the_sides(racing_dir):
    (folder,) = racing_dir.glob("racingkings-*")
    by_white, by_black = (
        analyse(folder / f"{name}.h5", butterfly=False) for name in ("KRK", "KKR")
    )
    # White, whose win Black may still answer, needs longer with the rook than Black.
    assert by_white.longest_win("white_to_move")[0] > by_black.longest_win("black_to_move")[0] > 0
    for lines in (by_white.longest["white_to_move"], by_black.longest["black_to_move"]):
        for line in lines:
            assert len(line.moves) == line.plies
            assert chess.variant.RacingKingsBoard(line.fen).is_valid()
    assert by_white.hardest is None
    text = html_report(by_black)
    assert "King against king and rook in racingkings" in text
    assert "a king is in\ncheck, or that of the side to move has arrived" in text
    assert "all positions solved to the end of the game" in text
    assert f"{LICHESS}racingKings/" in text
    assert {one for one, _ in by_black.symmetries} == {"identity", "left-right"}


@pytest.mark.thorough
def test_reports_of_three_check_are_of_all_checks_left(checks_dir):
    (folder,) = checks_dir.glob("3check-*")
    rook, pawn = (analyse(folder / f"{name}.h5", butterfly=False) for name in ("KRK", "KPK"))
    with open_tablebase(checks_dir, rules=rook.material.rules) as tables:
        for one in pawn.zugzwangs:
            fens = (f"{one.placement} {side} - - {one.checks}" for side in "wb")
            assert [*map(tables.probe_dtm, fens)] == [one.white_to_move, one.black_to_move]
        assert {one.checks for one in pawn.zugzwangs} >= {"3+3"}
        for line in rook.longest["white_to_move"]:
            board = chess.variant.ThreeCheckBoard(line.fen)
            assert line.plies == tables.probe_dtm(board) == len(line.moves)
            for move in line.moves:
                board.push_san(move)
            assert board.is_variant_loss()
    kept = [fixed for _, fixed in rook.symmetries]
    assert kept[0] == rook.placements[0] == 3 * 223_944
    assert sum(kept) == len(kept) * rook.placements[1]
    text = html_report(pawn)
    assert f"{LICHESS}threeCheck/" in text
    assert "the third check\ncounts as mate" in text


@pytest.fixture(scope="module")
def kpk(folders_by_metric):
    """Return a report that knows the 50-move rule, and its page."""
    analysis = analyse(folders_by_metric["both"] / "KPK.h5", butterfly=False)
    return analysis, Page(html_report(analysis))


@pytest.mark.thorough
def test_the_hardest_positions_have_boards(kpk, folders_by_metric):
    analysis, page = kpk
    with open_tablebase(folders_by_metric["both"]) as tables:
        for one in analysis.hardest:
            board = chess.Board(one.fen)
            side = "White" if board.turn else "Black"
            exact = difficulty(tables, board)
            assert tables.probe_wdl50(board) == {"win": 2, "draw": 0}[one.result]
            assert one.difficulty == pytest.approx(exact, abs=1e-4)
            assert f"{side} to {one.result}: difficulty {exact:.2f}." in page.text
            assert LICHESS + one.fen.replace(" ", "_") in page.outward
        for result, turn in (("win", True), ("draw", False)):
            found = [
                one.difficulty
                for one in analysis.hardest
                if (one.result, " w " in one.fen) == (result, turn)
            ]
            first = find(
                "KPK", folders_by_metric["both"],
                order="difficulty", turn=turn, result=result, limit=1,
            )  # fmt: skip
            assert len(found) == 3
            assert found == sorted(found, reverse=True)
            assert found[0] == pytest.approx(float(first.difficulty[0]), abs=1e-4)


@pytest.mark.thorough
def test_the_hardest_positions_are_left_out_where_they_are_not_known(
    folders_by_metric, monkeypatch, tmp_path
):
    folder = folders_by_metric["both"]
    assert analyse(folders_by_metric["dtm"] / "KPK.h5", butterfly=False).hardest is None
    for name in ("KPK", "KK"):
        shutil.copy(folder / f"{name}.h5", tmp_path)
    for name in ("KQK", "KRK", "KBK", "KNK"):
        shutil.copy(folders_by_metric["dtm"] / f"{name}.h5", tmp_path)
    without = analyse(tmp_path / "KPK.h5", butterfly=False)
    assert without.hardest is None
    assert "hardest" not in Page(html_report(without)).sections
    monkeypatch.setattr(study_analysis, "MOST_VALUES", 10_000)
    assert analyse(folder / "KPK.h5", butterfly=False).hardest is None


def test_every_picture_has_words(page):
    assert len(page.images) == 4 + 6  # figures and boards
    assert all(len(image["alt"]) > 10 for image in page.images)


@pytest.mark.thorough
@pytest.mark.parametrize("metric", few(["dtm", "both"], "both"))
def test_the_fifty_move_rule_has_a_section_if_tables_know_it(kpk, folders_by_metric, metric):
    analysis, page = kpk
    if metric == "dtm":
        analysis = analyse(folders_by_metric[metric] / "KPK.h5", butterfly=False)
        page = Page(html_report(analysis))
    # Zugzwangs have boards.
    assert "White to move draws, Black to move loses in 27 moves (54 plies)." in page.text
    known = metric == "both"
    assert ("zeroing" in page.sections) == known
    assert page.links[1:] == [f"#{name}" for name in page.sections]
    assert ("cursed win" in page.text) == known
    # Known: histogram, longest by DTZ, hardest to win and to hold.
    assert len(page.images) == 3 + 3 + 6 + (1 + 2 + 2 * 3) * known
    assert ("hardest" in page.sections) == known
    if known:
        counts = analysis.counts["white_to_move"]
        for count in counts["inequivalent"]["dtz_histogram"]["win"].values():
            assert f"{count:,}" in page.text
        longest = counts["dtz_longest_win"]
        assert longest["fen"] in page.text
        assert f"White to move, win: DTZ {longest['plies']} plies." in page.text


def test_bare_kings_have_a_report_too():
    page = Page(html_report(analyse("data/KK.h5")))
    assert "no position is won" in page.text
    assert "Distances" not in page.text


def test_the_index_lists_all_reports(kk, tmp_path):
    write_html(analyse("data/KNK.h5", butterfly=False), tmp_path)
    write_html(kk, tmp_path)
    page = Page(write_index(tmp_path).read_text())
    assert page.links == ["KK.html", "KNK.html"]
    assert "King and knight against king" in page.text
    (tmp_path / "KK.html").unlink()
    assert Page(write_index(tmp_path).read_text()).links == ["KNK.html"]


ROW = {"title": "x", "men": 3, "inequivalent": 1, "longest": "1", "zugzwangs": 0, "bytes": 1}


@pytest.mark.parametrize(
    "text",
    [
        b"\xff\xfe",
        *(
            pytest.param(text, marks=pytest.mark.slow)
            for text in (b"", b"[]", b'{"KQK": 1}', b'{"KQK": {"title": "x"}}')
        ),
        json.dumps({"KQK": ROW | {"zugzwangs": "<b>"}}).encode(),
        json.dumps({"javascript:alert(1)//": ROW}).encode(),
    ],
)
def test_what_others_put_there_is_left_alone(kk, tmp_path, text):
    (tmp_path / SUMMARIES).write_bytes(text)
    (tmp_path / "KQK.html").write_bytes(b'\xff <meta name="tablebase-report" content="!!">')
    (tmp_path / "javascript:alert(1)").mkdir()
    (tmp_path / "javascript:alert(1)" / ".html").write_text("")
    write_html(kk, tmp_path)
    assert Page(write_index(tmp_path).read_text()).links == ["KK.html"]
    assert (tmp_path / "KQK.html").read_bytes().startswith(b"\xff")


def test_words():
    assert title_of(Material.from_name("KRBK")) == "King, rook and bishop against king"


def test_pictures_survive_their_address():
    svg = '<svg a="#1%">é\n"</svg>'
    assert unquote(data_uri(svg).partition(",")[2]) == svg


def test_missing_jinja_is_one_line(monkeypatch, krk):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(TablebaseError, match=r"need jinja2: .* -m pip install jinja2$"):
        html_report(krk)


# --- the commands


def output(capsys, *arguments):
    assert main(arguments) == 0
    return capsys.readouterr().out


def test_report_command(capsys, tmp_path):
    printed = output(capsys, "report", "KK", "KNK", "--out", str(tmp_path), "--no-butterfly")
    names = ["KK.html", "KNK.html", "index.html"]
    assert printed.split() == [str(tmp_path / name) for name in names]
    assert all((tmp_path / name).exists() for name in names)


@pytest.mark.thorough
def test_the_list_of_reports_replaces_no_other_page(capsys, tmp_path):
    page = tmp_path / "index.html"
    page.write_text("<h1>my homepage</h1>")
    command = ["report", "KK", "--out", str(tmp_path), "--no-butterfly"]
    assert main(command) == 2
    assert capsys.readouterr().err == (
        f"tablebase: {page} is not a list of reports: name another folder with --out\n"
    )
    assert list(tmp_path.iterdir()) == [page]
    assert page.read_text() == "<h1>my homepage</h1>"
    assert main([*command, "--markdown"]) == 0  # has no list
    page.unlink()
    for _ in range(2):
        assert main(command) == 0
    assert "<h1>my" not in page.read_text()


def test_sub_tables_may_lie_in_other_folders(tmp_path):
    shutil.copy("data/KNK.h5", tmp_path)
    command = ["report", "KNK", "--dir", str(tmp_path), "--dir", "data", "--markdown"]
    assert main([*command, "--out", str(tmp_path)]) == 0
    assert (tmp_path / "KNK.md").exists()


def test_addresses_of_explorers(capsys, tmp_path):
    command = ["report", "KK", "--no-butterfly", "--out", str(tmp_path), "--explorer"]
    for address in ("localhost:8080", "javascript:alert(1)", "//host/", "", "http://", "../?fen="):
        with pytest.raises(SystemExit) as ended:
            main([*command, address])
        assert ended.value.code == 2
        assert "write it like http://127.0.0.1:8080/" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
    output(capsys, *command, "http://127.0.0.1:8080")
    links = Page((tmp_path / "KK.html").read_text()).outward
    assert links == ["http://127.0.0.1:8080/tables/material.html?material=KK"]


@pytest.mark.thorough
def test_boards_in_markdown_are_links(capsys, tmp_path):
    command = ("report", "KRK", "--markdown", "--no-butterfly", "--out", str(tmp_path))
    output(capsys, *command, "--explorer", "http://127.0.0.1:8080/")
    text = (tmp_path / "KRK.md").read_text()
    assert "[KRK in the explorer](http://127.0.0.1:8080/tables/material.html?material=KRK)" in text
    boards = re.findall(r"\[!\[Board: (.+?)\]\(KRK-pictures/.+?\.svg\)\]\((.+?)\)", text)
    assert len(boards) > 6
    for fen, link in boards:
        assert link == f"http://127.0.0.1:8080/?fen={fen.replace(' ', '_')}"
    assert "\n\n\n" not in text


@pytest.mark.thorough
def test_report_in_markdown(capsys, tmp_path, folders_by_metric):
    folder = str(folders_by_metric["dtm"])
    output(capsys, "report", "KPK", "--markdown", "--dir", folder, "--out", str(tmp_path))
    text = (tmp_path / "KPK.md").read_text()
    pictures = re.findall(r"!\[.+?\]\((.+?)\)", text)
    assert len(pictures) == 4 + 3 + 6
    for name in pictures:
        ET.parse(tmp_path / name)
    assert "| White to move, inequivalent | 62,480 | 19,184 | 0 | 2,348 |" in text
    assert "\n\n\n" not in text


@pytest.mark.slow
def test_both_metrics_in_markdown(capsys, tmp_path, folders_by_metric):
    folder = str(folders_by_metric["both"])
    output(
        capsys, "report", "KPK", "--markdown", "--no-butterfly", "--dir", folder,
        "--out", str(tmp_path),
    )  # fmt: skip
    text = (tmp_path / "KPK.md").read_text()
    assert "## The 50-move rule" in text
    assert "| | win | cursed win | draw | blessed loss | loss | illegal |" in text
    assert "| White to move, inequivalent | 62,480 | 0 | 19,184 | 0 | 0 | 2,348 |" in text
    assert "| 19 | " in text
    assert "\n\n\n" not in text
    for name in re.findall(r"!\[.+?\]\((.+?)\)", text):
        ET.parse(tmp_path / name)


def test_report_as_json_is_that_of_info(capsys, tmp_path):
    (report,) = json.loads(output(capsys, "report", "KRK", "--json", "--out", str(tmp_path)))
    info = json.loads(output(capsys, "info", "KRK", "--json"))
    for side in ("white_to_move", "black_to_move"):
        assert report[side] == info[side]
    assert report["placements"]["inequivalent"] == 28_056
    assert not list(tmp_path.iterdir())


def test_butterfly_command(capsys, tmp_path):
    printed = output(capsys, "butterfly", "KRK", "--out", str(tmp_path))
    assert "White's best moves" in printed
    with np.load(tmp_path / "KRK-butterfly.npz") as arrays:
        assert arrays["inequivalent"].shape == (2, 64, 64)
        assert arrays["inequivalent"].dtype == np.uint64
        counted = json.loads(
            output(capsys, "butterfly", "KRK", "--json", "--no-pictures", "--out", str(tmp_path))
        )
        assert counted["whole_board"] == arrays["whole_board"].tolist()
    for name in ("butterfly-sheet.svg", "KRK-butterfly.svg"):
        ET.parse(tmp_path / name)


@contextmanager
def little_room():
    """Let the system refuse to make any file longer than 100 bytes: a write ends in the middle."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def contents(folder):
    return {path: path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}


@pytest.mark.thorough
@pytest.mark.parametrize(
    "write", [write_html, write_markdown, lambda _, folder: write_index(folder)]
)
def test_a_page_is_complete_or_as_before(kk, tmp_path, write):
    old, new = tmp_path / "old", tmp_path / "new"
    write(kk, old)
    before = contents(old)
    for folder in (old, new):
        with little_room(), pytest.raises(OSError, match=rf"'{folder}/[^.].*'$"):
            write(kk, folder)
    assert contents(old) == before
    assert not contents(new)


def test_butterfly_boards_are_complete_or_absent(capsys, tmp_path):
    command = ["butterfly", "KK", "--out"]
    output(capsys, *command, str(tmp_path / "old"))
    before = contents(tmp_path / "old")
    with little_room():
        for folder in ("old", "new"):
            assert main([*command, str(tmp_path / folder)]) == 2
            assert re.search(rf"{folder}/KK-butterfly\.npz", capsys.readouterr().err)
    assert contents(tmp_path / "old") == before
    assert not contents(tmp_path / "new")


def test_what_a_file_lacks_is_one_line(capsys, tmp_path, folders_by_metric):
    folder = str(folders_by_metric["dtz"])
    assert main(["report", "KPK", "--out", str(tmp_path), "--dir", folder]) == 2
    message = capsys.readouterr().err
    assert "tablebase build --metric dtm " in message
    assert message.count("\n") == 1
