"""Pictures of what a table holds, drawn by matplotlib and returned as SVG."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from tablebase.core.board import SIDES, WALL, BoardShape, from_to_pairs
from tablebase.core.extras import require_packages
from tablebase.core.outcomes import DTM, FIFTY_MOVES, Metric
from tablebase.core.words import side_in_words, winner_moves
from tablebase.study.analysis import Analysis
from tablebase.study.butterfly import butterflies
from tablebase.study.survey import RESULTS, kinds_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WHITE_WINS, _DRAWN, _BLACK_WINS = "#2b6cb0", "#cbd2da", "#c2571a"
_STYLE = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#8a93a0",
    "axes.titlesize": 10,
    "svg.hashsalt": "tablebase",  # the same picture in every run
}
# Counts this far apart need a logarithmic axis to be seen together.
_LOGARITHMIC_FROM = 500
_UNITS = {
    "dtm": "moves to mate (0: checkmate)",
    "dtz": f"plies to zeroing (more than {FIFTY_MOVES}: too late for the 50-move rule)",
}
# A result rarer than this has no map of its own.
_RARE = 0.002


def draw_disc(sign: str) -> str:
    """Return a man by its sign in a FEN as SVG: its letter on a disc of its colour."""
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 28 28" font-family="sans-serif" '
        f'text-anchor="middle">{_disc(sign, 14, 14)}</svg>'
    )


def _disc(sign: str, x: int, y: int) -> str:
    """Return a man by its sign in a FEN as a letter on a disc around a point."""
    fill, ink = ("#ffffff", "#222222") if sign.isupper() else ("#222222", "#ffffff")
    return (
        f'<circle cx="{x}" cy="{y}" r="12" fill="{fill}" stroke="#222222"/>'
        f'<text x="{x}" y="{y + 6}" fill="{ink}" font-size="16">{sign.upper()}</text>'
    )


def draw_letters(fen: str, colors: Mapping[str, str], size: int = 260) -> str:
    """Return a position of any game as SVG: each man is its letter on a disc of its colour.

    `colors` are by ``square light``, ``square dark`` and ``coord``; `size` is in pixels.
    """
    cell, edge = 28, 18
    parts = []
    rows = [
        "".join("." * int(sign) if sign.isdigit() else sign for sign in row)
        for row in fen.split(maxsplit=1)[0].split("/")
    ]
    most = max(len(rows), len(rows[0]))
    for top, signs in enumerate(rows):
        y = top * cell
        for left, sign in enumerate(signs):
            x = edge + left * cell
            dark = (len(rows) - 1 - top + left) % 2 == 0
            shade = colors["square dark" if dark else "square light"]
            if sign == WALL:
                shade = colors["coord"]
            parts.append(f'<rect x="{x}" y="{y}" width="{cell}" height="{cell}" fill="{shade}"/>')
            if sign in f".{WALL}":
                continue
            parts.append(_disc(sign, x + cell // 2, y + cell // 2))
        parts.append(
            f'<text x="{edge // 2}" y="{y + 18}" fill="{colors["coord"]}" font-size="11">'
            f"{len(rows) - top}</text>"
        )
    for left, file in enumerate("abcdefgh"[: len(rows[0])]):
        parts.append(
            f'<text x="{edge + left * cell + cell // 2}" y="{len(rows) * cell + 13}" '
            f'fill="{colors["coord"]}" font-size="11">{file}</text>'
        )
    whole = most * cell + edge
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole} {whole}" width="{size}" '
        f'height="{size}" font-family="sans-serif" text-anchor="middle">{"".join(parts)}</svg>'
    )


def draw_results(counts: Mapping[str, Any]) -> str:
    """Draw the shares of results for both sides to move, of legal positions, as SVG.

    `counts` are by side to move, as ``tablebase info --json`` gives them.
    """
    bars = [
        (
            f"{side_in_words(side)}\n{where}",
            _by_winner(counts[side] if where == "whole board" else counts[side]["inequivalent"], i),
        )
        for i, side in enumerate(SIDES)
        for where in ("whole board", "inequivalent")
    ]
    with _figure(1, 1, size=(7.6, 2.9)) as (figure, axes):
        axis = axes[0, 0]
        for row, (_, figures) in enumerate(bars):
            _stack(axis, row, np.array(figures) / max(1, sum(figures)))
        axis.set_yticks(range(len(bars)), [name for name, _ in bars])
        axis.invert_yaxis()
        axis.set_xlim(0, 1)
        axis.xaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
        axis.set_xlabel("share of the legal positions")
        patches = import_module("matplotlib.patches")
        handles = [
            patches.Patch(color=color, label=label)
            for color, label in (
                (_WHITE_WINS, "White wins"),
                (_DRAWN, "draw"),
                (_BLACK_WINS, "Black wins"),
            )
        ]
        figure.legend(handles=handles, loc="outside upper center", ncols=3, frameon=False)
        return _svg(figure)


def _by_winner(counts: Mapping[str, int], side: int) -> list[int]:
    """Return the numbers of White's wins, draws and Black's wins."""
    figures = [counts[result] for result in RESULTS]
    return figures if side == 0 else figures[::-1]


@contextmanager
def _figure(*shape: int, size: tuple[float, float], **options: Any) -> Iterator[tuple[Any, Any]]:
    """Give a figure with some rows and columns of axes, closed afterwards."""
    pyplot = _pyplot()
    with pyplot.rc_context(_STYLE):
        figure, axes = pyplot.subplots(
            *shape, figsize=size, squeeze=False, layout="constrained", **options
        )
        try:
            yield figure, axes
        finally:
            pyplot.close(figure)


def _pyplot() -> Any:
    """Return matplotlib, set up to draw without a screen; `TablebaseError` if it is missing."""
    require_packages("pictures need", "matplotlib")
    import_module("matplotlib").use("svg")
    return import_module("matplotlib.pyplot")


def _stack(axis: Any, row: int, shares: NDArray[np.float64]) -> None:
    """Draw one bar in three parts, with percentages where there is room."""
    left = 0.0
    for share, color in zip(shares, (_WHITE_WINS, _DRAWN, _BLACK_WINS), strict=True):
        axis.barh(row, share, left=left, color=color, height=0.72)
        if share > 0.07:
            text = "#1c2733" if color == _DRAWN else "white"
            middle = left + share / 2
            axis.text(middle, row, f"{share:.1%}", ha="center", va="center", color=text)
        left += share


def _svg(figure: Any) -> str:
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", dpi=160, metadata={"Date": None, "Creator": None})
    # A hundredth of a point cannot be seen; numbers below 1 may be scales, which must be exact.
    return re.sub(r"\b([1-9]\d*\.\d\d)\d+", r"\1", buffer.getvalue())


def draw_distances(
    counts: Mapping[str, Any], metric: Metric = DTM, *, symmetric: bool = False
) -> str:
    """Draw the numbers of inequivalent positions won and lost at each distance, as SVG.

    Distances to mate are in moves, to zeroing in plies. `symmetric` sides need only White to move.
    The text is empty if no position is decisive.
    """
    series = []
    for i, side in enumerate(SIDES[: 1 + (not symmetric)]):
        histogram = counts[side]["inequivalent"][f"{metric}_histogram"]
        for result in ("win", "loss"):
            if histogram[result]:
                plies = list(map(int, histogram[result]))
                # Mates are odd, losses even: both round to moves of the winner.
                distances = plies if metric.counts_zeroing else list(map(winner_moves, plies))
                white_wins = (result == "win") == (i == 0)
                series.append((i, white_wins, distances, list(histogram[result].values())))
    if not series:
        return ""
    with _figure(len(series), 1, size=(7.6, 0.6 + 1.75 * len(series)), sharex=True) as (
        figure,
        axes,
    ):
        for axis, (side_number, white_wins, distances, values) in zip(
            axes[:, 0], series, strict=True
        ):
            color, winner = (_WHITE_WINS, "White") if white_wins else (_BLACK_WINS, "Black")
            axis.bar(distances, values, color=color, width=0.82)
            axis.set_title(f"{side_in_words(SIDES[side_number])}, {winner} wins", loc="left")
            axis.set_ylabel("positions")
            if max(values) > _LOGARITHMIC_FROM * min(values):
                axis.set_yscale("log")
                axis.set_ylim(bottom=0.7)
                axis.set_ylabel("positions (log)")
            else:
                axis.yaxis.set_major_formatter(lambda count, _: f"{count:,.0f}")
            if metric.counts_zeroing and max(distances) > FIFTY_MOVES:
                axis.axvline(FIFTY_MOVES + 0.5, color="#8a93a0", linestyle="--")
            axis.xaxis.get_major_locator().set_params(integer=True)
            axis.margins(x=0.01)
        axes[-1, 0].set_xlabel(_UNITS[metric.name])
        return _svg(figure)


def draw_squares(analysis: Analysis) -> str:
    """Draw how results and distances depend on the square of each man, as SVG.

    It has a row for each result, a board for each kind of men; it is empty if nothing is decisive.
    """
    rows = _maps(analysis)
    if not rows:
        return ""
    names = kinds_of(analysis.material)
    width, height = 1.6 + 1.75 * len(names), 0.3 + 1.85 * len(rows)
    with _figure(len(rows), len(names), size=(width, height), sharex=True, sharey=True) as (
        figure,
        axes,
    ):
        for axis, name in zip(axes[0], names, strict=True):
            axis.set_title(name)
        for line, (title, unit, maps) in zip(axes, rows, strict=True):
            shown = np.concatenate(maps)
            low, high = np.nanmin(shown), np.nanmax(shown)
            for axis, values in zip(line, maps, strict=True):
                image = _draw_board(axis, values, low, high, analysis.material.rules.board)
            bar = figure.colorbar(image, ax=line.tolist(), shrink=0.86, pad=0.02, aspect=14)
            bar.outline.set_visible(False)
            bar.ax.tick_params(labelsize=8)
            bar.set_label(unit, fontsize=8)
            text = title.replace(": ", ",\n").replace(", moves", ",\nmoves")
            line[0].set_ylabel(text, rotation=0, ha="right", va="center", fontsize=9)
        return _svg(figure)


def _maps(analysis: Analysis) -> list[tuple[str, str, list[NDArray[np.float64]]]]:
    """Return the rows of maps worth drawing: title, unit, and a map for each kind of men."""
    kinds = range(len(kinds_of(analysis.material)))
    rows = []
    # With the same men on both sides, Black's maps are White's upside down.
    for i, side in enumerate(SIDES[: 1 + (not analysis.material.is_symmetric)]):
        legal = sum(analysis.counts[side][result] for result in RESULTS)
        for result, winner in (("win", i), ("loss", 1 - i)):
            share = analysis.counts[side][result] / max(1, legal)
            if share <= _RARE:
                continue
            who = f"{side_in_words(side)}: {('White', 'Black')[winner]} wins"
            if share < 1 - _RARE:
                maps = [analysis.survey.shares_by_square(i, result, kind) for kind in kinds]
                rows.append((who, "%", [100 * one for one in maps]))
            maps = [analysis.survey.moves_by_square(i, result, kind) for kind in kinds]
            rows.append((f"{who}, moves to mate", "moves", maps))
    return rows


def _draw_board(
    axis: Any, values: NDArray[np.float64], low: float, high: float, board: BoardShape
) -> Any:
    """Draw the values of the 64 squares; of a smaller board only its own squares, by its names."""
    ranks = slice(board.first_rank, board.last_rank + 1)
    files = slice(board.first_file, board.first_file + board.files)
    axis.set_facecolor("#e4e7ec")  # where the man cannot stand
    image = axis.imshow(
        np.ma.masked_invalid(values.reshape(8, 8)[ranks, files]),
        origin="lower",
        interpolation="nearest",
        cmap="viridis",
        vmin=low,
        vmax=high if high > low else low + 1,
    )
    axis.set_xticks(range(board.files), "abcdefgh"[: board.files], fontsize=8)
    axis.set_yticks(range(board.ranks), range(1, board.ranks + 1), fontsize=8)
    axis.tick_params(length=0, pad=1.5)
    for spine in axis.spines.values():
        spine.set_visible(False)
    return image


def draw_sheet() -> str:
    """Draw which from-to pairs are moves of some man, with the seven butterflies, as SVG."""
    _pyplot()
    shades = _colors_of(["white", "black", "#d9480f"])
    pixels = np.where(from_to_pairs(), 0, 1)
    for shape in butterflies():
        pixels[shape] = 2
    with _figure(1, 1, size=(6.4, 6.4)) as (figure, axes):
        possible = int(from_to_pairs().sum())
        _draw_sheet(axes[0, 0], shades[pixels], f"{possible:,} possible from-to pairs (white)")
        return _svg(figure)


def _colors_of(names: Sequence[str]) -> NDArray[np.float64]:
    colors = import_module("matplotlib.colors")
    found: NDArray[np.float64] = colors.to_rgba_array(names)[:, :3]
    return found


def _draw_sheet(axis: Any, pixels: NDArray[Any], title: str, **options: Any) -> Any:
    """Draw a sheet of 64 x 64 from-to pairs, ranks marked."""
    image = axis.imshow(pixels, origin="lower", interpolation="nearest", **options)
    ranks = np.arange(8) * 8
    axis.set_xticks(ranks + 3.5, [f"rank {rank}" for rank in range(1, 9)], fontsize=7)
    axis.set_yticks(ranks + 3.5, [f"rank {rank}" for rank in range(1, 9)], fontsize=7)
    axis.tick_params(length=0)
    for edge in ranks[1:] - 0.5:
        axis.axhline(edge, color="#8a93a0", linewidth=0.3)
        axis.axvline(edge, color="#8a93a0", linewidth=0.3)
    axis.set_xlabel("to (a to h within each rank)", fontsize=8)
    axis.set_ylabel("from", fontsize=8)
    axis.set_title(title, loc="left")
    return image


def draw_counters(boards: NDArray[np.integer[Any]], name: str) -> str:
    """Draw butterfly boards [2, 64, 64] as heat maps, impossible pairs black, as SVG.

    There is a sheet for each colour that has a counter above 0; `name` says what was counted.
    """
    shown = [color for color in range(2) if boards[color].any()] or [0]
    pyplot = _pyplot()
    colormap = pyplot.get_cmap("YlOrRd").with_extremes(bad="black", under="white")
    colors = import_module("matplotlib.colors")
    with _figure(1, len(shown), size=(5.4 * len(shown), 5.0)) as (figure, axes):
        for axis, color in zip(axes[0], shown, strict=True):
            counts = np.ma.masked_where(~from_to_pairs(), boards[color].astype(np.float64))
            # Large counters would leave the others pale.
            norm = colors.PowerNorm(0.5, vmin=0.5, vmax=max(1.0, float(counts.max())))
            title = f"{name}, {('White', 'Black')[color]}'s best moves"
            image = _draw_sheet(axis, counts, title, cmap=colormap, norm=norm)
            bar = figure.colorbar(image, ax=axis, shrink=0.7, aspect=24)
            bar.ax.tick_params(labelsize=7)
            bar.ax.yaxis.set_major_formatter(lambda count, _: f"{count:,.0f}")
            bar.outline.set_visible(False)
        return _svg(figure)
