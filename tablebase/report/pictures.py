"""Pictures of what a table holds, drawn by matplotlib and returned as SVG."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.butterfly.drawing import figure_with, svg_of
from tablebase.core.board.geometry import SIDES
from tablebase.core.board.shape import WALL, BoardShape
from tablebase.core.ground.words import side_in_words, winner_moves
from tablebase.core.outcomes.metrics import DTM, FIFTY_MOVES, Metric
from tablebase.report.analysis import Analysis
from tablebase.report.survey import RESULTS, kinds_of

_WHITE_WINS, _DRAWN, _BLACK_WINS = "#2b6cb0", "#cbd2da", "#c2571a"
# Counts this far apart need a logarithmic axis to be seen together.
_LOGARITHMIC_FROM = 500
_TO_ZEROING = f"plies to zeroing (more than {FIFTY_MOVES}: too late for the 50-move rule)"
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
    with figure_with(1, 1, size=(7.6, 2.9)) as (figure, axes):
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
        return svg_of(figure)


def _by_winner(counts: Mapping[str, int], side: int) -> list[int]:
    """Return the numbers of White's wins, draws and Black's wins."""
    figures = [counts[result] for result in RESULTS]
    return figures if side == 0 else figures[::-1]


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


def draw_distances(
    counts: Mapping[str, Any], metric: Metric = DTM, *, symmetric: bool = False, end: str = "mate"
) -> str:
    """Draw the numbers of inequivalent positions won and lost at each distance, as SVG.

    Distances to mate, or to another `end` of games, are in moves, to zeroing in plies. `symmetric`
    sides need only White to move. The text is empty if no position is decisive.
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
    with figure_with(len(series), 1, size=(7.6, 0.6 + 1.75 * len(series)), sharex=True) as (
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
        over = "checkmate" if end == "mate" else "the game is over"
        to_end = f"moves to {end} (0: {over})"
        axes[-1, 0].set_xlabel(_TO_ZEROING if metric.counts_zeroing else to_end)
        return svg_of(figure)


def draw_squares(analysis: Analysis) -> str:
    """Draw how results and distances depend on the square of each man, as SVG.

    It has a row for each result, a board for each kind of men; it is empty if nothing is decisive.
    """
    rows = _maps(analysis)
    if not rows:
        return ""
    names = kinds_of(analysis.material)
    width, height = 1.6 + 1.75 * len(names), 0.3 + 1.85 * len(rows)
    with figure_with(len(rows), len(names), size=(width, height), sharex=True, sharey=True) as (
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
        return svg_of(figure)


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
