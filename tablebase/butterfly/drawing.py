"""Sheets of from-to pairs, drawn by matplotlib as SVG, and the figure that they are drawn on."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tablebase.butterfly.boards import butterflies
from tablebase.core.board.movement import from_to_pairs
from tablebase.core.ground.extras import require_packages

_STYLE = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#8a93a0",
    "axes.titlesize": 10,
    "svg.hashsalt": "tablebase",  # the same picture in every run
}


def draw_sheet() -> str:
    """Draw which from-to pairs are moves of some man, with the seven butterflies, as SVG."""
    pyplot_for_svg()
    shades = _colors_of(["white", "black", "#d9480f"])
    pixels = np.where(from_to_pairs(), 0, 1)
    for shape in butterflies():
        pixels[shape] = 2
    with figure_with(1, 1, size=(6.4, 6.4)) as (figure, axes):
        possible = int(from_to_pairs().sum())
        _draw_sheet(axes[0, 0], shades[pixels], f"{possible:,} possible from-to pairs (white)")
        return svg_of(figure)


def draw_counters(boards: NDArray[np.integer[Any]], name: str) -> str:
    """Draw butterfly boards [2, 64, 64] as heat maps, impossible pairs black, as SVG.

    There is a sheet for each colour that has a counter above 0; `name` says what was counted.
    """
    shown = [color for color in range(2) if boards[color].any()] or [0]
    pyplot = pyplot_for_svg()
    colormap = pyplot.get_cmap("YlOrRd").with_extremes(bad="black", under="white")
    colors = import_module("matplotlib.colors")
    with figure_with(1, len(shown), size=(5.4 * len(shown), 5.0)) as (figure, axes):
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
        return svg_of(figure)


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


def _colors_of(names: Sequence[str]) -> NDArray[np.float64]:
    colors = import_module("matplotlib.colors")
    found: NDArray[np.float64] = colors.to_rgba_array(names)[:, :3]
    return found


@contextmanager
def figure_with(
    *shape: int, size: tuple[float, float], **options: Any
) -> Iterator[tuple[Any, Any]]:
    """Give a figure with some rows and columns of axes, closed afterwards."""
    pyplot = pyplot_for_svg()
    with pyplot.rc_context(_STYLE):
        figure, axes = pyplot.subplots(
            *shape, figsize=size, squeeze=False, layout="constrained", **options
        )
        try:
            yield figure, axes
        finally:
            pyplot.close(figure)


def pyplot_for_svg() -> Any:
    """Return matplotlib, set up to draw without a screen; `TablebaseError` if it is missing."""
    require_packages("pictures need", "matplotlib")
    import_module("matplotlib").use("svg")
    return import_module("matplotlib.pyplot")


def svg_of(figure: Any) -> str:
    """Return a figure as SVG, with coordinates rounded to a hundredth of a point."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", dpi=160, metadata={"Date": None, "Creator": None})
    # A hundredth of a point cannot be seen; numbers below 1 may be scales, which must be exact.
    return re.sub(r"\b([1-9]\d*\.\d\d)\d+", r"\1", buffer.getvalue())
