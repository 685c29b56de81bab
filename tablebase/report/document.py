"""Reports of tables that people read: pages of HTML that need nothing else, or Markdown."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import quote

import chess
import chess.svg

from tablebase.butterfly import drawing
from tablebase.core.board.geometry import SIDES, Color
from tablebase.core.ground.errors import InvalidMaterialError
from tablebase.core.ground.extras import require_packages
from tablebase.core.ground.remedies import option_of
from tablebase.core.ground.words import (
    counted,
    listed,
    moves_in_words,
    plies_in_words,
    side_in_words,
    winner_moves,
)
from tablebase.core.outcomes.metrics import DTM, DTZ, FIFTY_MOVES, Metric
from tablebase.core.positions.chess_variants import boards_of_games
from tablebase.core.rules.material import Material
from tablebase.core.rules.rules import CHESS, Rules
from tablebase.core.storage.atomic import sole_writer, write_text
from tablebase.core.tables.table import stored_sides
from tablebase.finding.choices import RESULT_NAMES
from tablebase.report import pictures
from tablebase.report.analysis import Analysis, HardPosition, Line, ZugzwangExample
from tablebase.report.survey import RESULTS, ZUGZWANGS

ZUGZWANG_NAMES = {
    "white_draws_black_loses": "White to move draws, Black to move loses",
    "white_loses_black_draws": "White to move loses, Black to move draws",
    "both_lose": "the side to move loses",
}
BOARD_COLORS = {
    "square light": "#f0e6d2",
    "square dark": "#b9a07c",
    "margin": "#ffffff",
    "coord": "#4a5563",
}
# What the list of all pages says of each, kept beside them: by material, fields and their types.
SUMMARIES = "reports.json"
_FIELDS = {
    "title": str,
    "men": int,
    "inequivalent": int,
    "longest": str,
    "zugzwangs": int,
    "bytes": int,
}

_LICHESS = "https://lichess.org/analysis/"
# Where it has positions of games, by their names in python-chess.
_GAMES_OF_LICHESS = {
    "chess": "",
    "atomic": "atomic/",
    "antichess": "antichess/",
    "kingofthehill": "kingOfTheHill/",
    "racingkings": "racingKings/",
    "3check": "threeCheck/",
}

# Where a picture is kept: name, SVG and description to what stands for it in the text.
Embed = Callable[[str, str, str], str]


@dataclass(frozen=True)
class _Boards:
    """Boards of a page, which link to their positions elsewhere."""

    rules: Rules
    explorer: str | None  # its address
    embed: Embed  # keeps a picture
    link: Callable[[str, str], str]  # from what stands for a picture, and an address, to a link

    def draw(self, name: str, fen: str) -> str:
        """Return the board of a position, with a link to it if it has an address."""
        board = self.embed(name, draw_board(fen, self.rules), f"Board: {fen}")
        address = position_address(fen, self.rules, self.explorer)
        return self.link(board, address) if address else board


def draw_board(fen: str, rules: Rules = CHESS) -> str:
    """Return a position as SVG; Black to move is written, not drawn.

    Men of chess are figurines. Those of games with other men are their letters on discs.
    """
    board = boards_of_games().get(rules)
    if board is None:
        return pictures.draw_letters(fen, BOARD_COLORS)
    return str(chess.svg.board(board(fen), size=260, colors=BOARD_COLORS))


def position_address(fen: str, rules: Rules = CHESS, explorer: str | None = None) -> str:
    """Return the address of a position in an `explorer`, else in lichess's analysis board.

    Without an explorer it is empty for games that lichess does not have.

    >>> position_address("8/8/8/8/8/2k5/1R6/K7 w - - 0 1")
    'https://lichess.org/analysis/8/8/8/8/8/2k5/1R6/K7_w_-_-_0_1'
    """
    written = quote(fen.replace(" ", "_"), safe="/-*+[]")
    if explorer:
        named = "" if rules == CHESS else f"rules={quote(rules.name)}&"
        return f"{explorer}?{named}fen={written}"
    board = boards_of_games().get(rules)
    game = _GAMES_OF_LICHESS.get(board.uci_variant or "") if board else None
    return "" if game is None else f"{_LICHESS}{game}{written}"


def write_html(
    analysis: Analysis, folder: str | os.PathLike[str], explorer: str | None = None
) -> Path:
    """Write the page of a table, named like ``KRK.html``, and return its path.

    Pages of other games than chess lie in a folder of their own within `folder`, as tables do. For
    `explorer` see `html_report`.
    """
    rules = analysis.material.rules
    path = Path(folder) / rules.folder / f"{analysis.material.name}.html"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, html_report(analysis, explorer))
    kept = path.parent / SUMMARIES
    with sole_writer(kept):
        summaries = _summaries(path.parent, rules) | {analysis.material.name: summarize(analysis)}
        write_text(kept, json.dumps(summaries, indent=1) + "\n")
    return path


def html_report(analysis: Analysis, explorer: str | None = None) -> str:
    """Return a page that holds all it shows; `TablebaseError` without matplotlib and jinja2.

    Boards link to an `explorer`, whose address (of ``serve`` or a ``publish`` folder) may be
    relative to the page, else to lichess.
    """

    def embed(_name: str, svg: str, alt: str) -> str:
        markup = import_module("markupsafe")
        image: str = markup.Markup('<img src="{}" alt="{}">').format(data_uri(svg), alt)
        return image

    def link(picture: str, address: str) -> str:
        markup = import_module("markupsafe")
        text: str = markup.Markup('<a href="{}">{}</a>').format(address, picture)
        return text

    boards = _Boards(analysis.material.rules, explorer, embed, link)
    page: str = environment().get_template("report.html.jinja").render(_context(analysis, boards))
    return page


def data_uri(svg: str) -> str:
    """Return a picture as an address that holds all of it."""
    # Far shorter than base64: most characters may stand as they are.
    return "data:image/svg+xml," + quote(svg, safe=" /:;,=()'.-+!*?&@$[]{}|^`")


def environment() -> Any:
    """Return the templates of pages; `TablebaseError` if Jinja is not installed."""
    require_packages("reports need", "jinja2")
    jinja2 = import_module("jinja2")
    found = jinja2.Environment(
        loader=jinja2.PackageLoader("tablebase.report"),
        autoescape=lambda name: ".html" in (name or ""),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {"number": "{:,}".format, "moves": moves_in_words}
    found.filters |= {"plies": plies_in_words, "share": _share}
    found.filters |= {"counted": counted, "winner_moves": winner_moves}
    return found


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.2%}" if whole else "none"


def _context(analysis: Analysis, boards: _Boards) -> dict[str, Any]:
    """Return all that a template shows."""
    whole, inequivalent = analysis.placements
    known = DTZ in analysis.metrics
    return {
        "name": analysis.material.name,
        "title": title_of(analysis.material),
        "game": analysis.material.rules.name if analysis.material.rules.mark else "",
        "options": option_of(analysis.material.rules.source),
        "kings_touch": analysis.material.rules.blast,
        "checking": analysis.material.rules.checking,
        "check_counting": analysis.material.rules.check_counting,
        "end": "mate" if analysis.material.rules.ends_by_mate else "the end of the game",
        "ends": "mates" if analysis.material.rules.ends_by_mate else "ends it",
        "counts": analysis.counts,
        "attributes": analysis.attributes,
        "bytes": analysis.size,
        "sides": {side: side_in_words(side) for side in SIDES},
        # Wins include cursed ones, losses blessed ones.
        "results": RESULT_NAMES if known else RESULTS,
        "whole": whole,
        "inequivalent": inequivalent,
        "orbits": analysis.survey.orbits,
        "symmetries": analysis.symmetries,
        "slots": _slots(analysis),
        "longest_wins": {side: analysis.longest_win(side) for side in SIDES},
        "lines": {
            side: [_line(line, boards, f"{side}-{i}") for i, line in enumerate(lines, 1)]
            for side, lines in analysis.longest.items()
        },
        "hardest": [
            _hard(one, boards, f"hardest-{i}") for i, one in enumerate(analysis.hardest or (), 1)
        ],
        "zugzwangs": [
            _zugzwang(one, boards, f"zugzwang-{i}") for i, one in enumerate(analysis.zugzwangs, 1)
        ],
        "zugzwang_counts": [
            (ZUGZWANG_NAMES[kind], analysis.survey.zugzwang_counts()[kind]) for kind in ZUGZWANGS
        ],
        "pictures": _pictures(analysis, boards.embed),
        "distances": _distances(analysis.counts, DTM),
        "zeroing": _distances(analysis.counts, DTZ) if known else [],
        "longest_to_zeroing": _longest_to_zeroing(analysis, boards) if known else [],
        "knows_rule": known,
        "butterfly": analysis.butterfly,
        "material_address": _material_address(analysis.material, boards.explorer),
    }


def title_of(material: Material) -> str:
    """Return a material in words.

    >>> title_of(Material.from_name("KNNKP"))
    'King and two knights against king and pawn'
    >>> title_of(Material.from_name("KQQQQK"))
    'King and four queens against king'
    """
    sides = []
    name_of = material.rules.name_of
    for color in Color:
        men = material.of(color)
        words = ["king"] if material.rules.royal else []
        for kind in sorted(set(men), reverse=True):
            name, number = name_of(kind), men.count(kind)
            words.append(name if number == 1 else f"{('two', 'three', 'four')[number - 2]} {name}s")
        sides.append(listed(words))
    return f"{sides[0][0].upper()}{sides[0][1:]} against {sides[1]}"


def _slots(analysis: Analysis) -> int:
    attributes = analysis.attributes
    slots: int = attributes["slices"] * attributes["ranks"] * attributes["king_pairs"]
    return slots


def _line(line: Line, boards: _Boards, name: str) -> dict[str, Any]:
    return {
        "fen": line.fen,
        "plies": abs(line.plies),
        "text": line.text,
        "board": boards.draw(name, line.fen),
    }


def _hard(one: HardPosition, boards: _Boards, name: str) -> dict[str, Any]:
    side = "White" if one.fen.split()[1] == "w" else "Black"
    return {
        "fen": one.fen,
        "text": f"{side} to {one.result}: difficulty {one.difficulty:.2f}",
        "board": boards.draw(name, one.fen),
    }


def _zugzwang(one: ZugzwangExample, boards: _Boards, name: str) -> dict[str, Any]:
    def outcome(plies: int) -> str:
        return f"loses in {moves_in_words(-plies)}" if plies else "draws"

    return {
        "fen": f"{one.placement} {one.checks}".rstrip(),
        "kind": ZUGZWANG_NAMES[one.kind],
        "white": f"White to move {outcome(one.white_to_move)}",
        "black": f"Black to move {outcome(one.black_to_move)}",
        "board": boards.draw(name, " ".join(f"{one.placement} w - - {one.checks} 0 1".split())),
    }


def _pictures(analysis: Analysis, embed: Embed) -> dict[str, str]:
    """Draw the figures; figures without anything to show are empty."""
    title = title_of(analysis.material)
    end = "mate" if analysis.material.rules.ends_by_mate else "the end"
    drawn = {
        "results": (
            pictures.draw_results(analysis.counts),
            f"{title}: shares of White's wins, draws and Black's wins",
        ),
        "distances": (
            pictures.draw_distances(
                analysis.counts, symmetric=analysis.material.is_symmetric, end=end
            ),
            f"{title}: number of positions by moves to {end}",
        ),
        "zeroing": (
            pictures.draw_distances(analysis.counts, DTZ, symmetric=analysis.material.is_symmetric)
            if DTZ in analysis.metrics
            else "",
            f"{title}: number of positions by plies to zeroing",
        ),
        "squares": (
            pictures.draw_squares(analysis),
            f"{title}: results and distances by the square of each piece",
        ),
        "butterfly": ("", ""),
    }
    boards = analysis.butterfly
    if boards is not None and boards.whole_board.any():
        drawn["butterfly"] = (
            drawing.draw_counters(boards.whole_board, analysis.material.name),
            f"{title}: how often each from-to pair is a best move; impossible pairs are black",
        )
    return {name: embed(name, svg, alt) if svg else "" for name, (svg, alt) in drawn.items()}


def _distances(counts: Mapping[str, Any], metric: Metric) -> list[dict[str, Any]]:
    """Return the rows of the list of all distances: plies, then counts by side and result."""
    histograms = [
        counts[side]["inequivalent"][f"{metric}_histogram"][result]
        for side in SIDES
        for result in ("win", "loss")
    ]
    plies = sorted({int(key) for histogram in histograms for key in histogram})
    return [
        {"plies": n, "counts": [histogram.get(str(n), 0) for histogram in histograms]}
        for n in plies
    ]


def _longest_to_zeroing(analysis: Analysis, boards: _Boards) -> list[dict[str, Any]]:
    """Return the positions furthest from zeroing, by side to move and result."""
    found = []
    for color in stored_sides(analysis.material):
        for result in ("win", "loss"):
            extreme = analysis.counts[SIDES[color]][f"{DTZ.prefix}longest_{result}"]
            if extreme:
                board = boards.draw(f"zeroing-{SIDES[color]}-{result}", extreme["fen"])
                by_rule = {"win": "cursed ", "loss": "blessed "}[result]
                kind = f"{by_rule if extreme['plies'] > FIFTY_MOVES else ''}{result}"
                words = f"{side_in_words(SIDES[color])}, {kind}"
                found.append({"text": words, "board": board, **extreme})
    return found


def _material_address(material: Material, explorer: str | None) -> str:
    """Return the address of the page of a material; empty if there is none."""
    if explorer is None or material.rules != CHESS:
        return ""
    folder = explorer[: explorer.rfind("/") + 1]
    return f"{folder}tables/material.html?material={material.name}"


def _summaries(folder: Path, rules: Rules) -> dict[str, dict[str, Any]]:
    """Return the summaries of the pages in a folder; unreadable ones are left out."""
    try:
        kept = json.loads((folder / SUMMARIES).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    if not isinstance(kept, dict):
        return {}
    return {
        name: row
        for name, row in kept.items()
        if _is_material(name, rules)
        and isinstance(row, dict)
        and row.keys() == _FIELDS.keys()
        and all(isinstance(row[field], kind) for field, kind in _FIELDS.items())
        and (folder / f"{name}.html").is_file()
    }


def _is_material(name: str, rules: Rules) -> bool:
    try:
        return Material.from_name(name, rules).normalized().name == name
    except InvalidMaterialError:
        return False


def summarize(analysis: Analysis) -> dict[str, Any]:
    """Return the row of a table in the list of reports."""
    longest = max(analysis.longest_win(side)[0] for side in SIDES)
    return {
        "title": title_of(analysis.material),
        "men": analysis.material.piece_count,
        "inequivalent": analysis.placements[1],
        "longest": moves_in_words(longest) if longest else "none",
        "zugzwangs": len(analysis.survey.zugzwangs),
        "bytes": analysis.size,
    }


def write_index(folder: str | os.PathLike[str], rules: Rules = CHESS) -> Path:
    """Write ``index.html``, the list of all reports of a game in a folder, and return its path."""
    inside = Path(folder) / rules.folder
    inside.mkdir(parents=True, exist_ok=True)
    rows = [row | {"material": name} for name, row in _summaries(inside, rules).items()]
    rows.sort(key=lambda row: (row["men"], row["material"]))
    template = environment().get_template("index.html.jinja")
    sheet = data_uri(drawing.draw_sheet())
    path = inside / "index.html"
    write_text(path, template.render(rows=rows, sheet=sheet))
    return path


def write_markdown(
    analysis: Analysis, folder: str | os.PathLike[str], explorer: str | None = None
) -> Path:
    """Write a report in Markdown, its pictures beside it, and return its path.

    For `explorer` and errors see `html_report`.
    """
    name = analysis.material.name
    inside = Path(folder) / analysis.material.rules.folder
    images = inside / f"{name}-pictures"
    images.mkdir(parents=True, exist_ok=True)

    def embed(picture: str, svg: str, alt: str) -> str:
        write_text(images / f"{picture}.svg", svg)
        return f"![{alt}]({images.name}/{picture}.svg)"

    def link(picture: str, address: str) -> str:
        return f"[{picture}]({address})"

    boards = _Boards(analysis.material.rules, explorer, embed, link)
    template = environment().get_template("report.md.jinja")
    path = inside / f"{name}.md"
    # The pictures are there before the page.
    write_text(path, template.render(**_context(analysis, boards)))
    return path
