"""Gaviota files from our tables: written, read back, and only then given their name."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryFile

import numpy as np

from tablebase.core.board.geometry import Color
from tablebase.core.ground.errors import CorruptTableError
from tablebase.core.ground.parallel import map_on_threads
from tablebase.core.rules.material import Material
from tablebase.core.storage.atomic import complete_or_absent
from tablebase.export.gaviota_audit import Progress, block_ranges, compare_file, count_steps
from tablebase.export.gaviota_blocks import (
    BLOCK_CELLS,
    block_count,
    header_size,
    make_header,
    pack_block,
)
from tablebase.export.gaviota_index import Cells, gaviota_name
from tablebase.export.gaviota_reading import GaviotaFile
from tablebase.export.gaviota_values import Values, fill_illegal, gather, read_values
from tablebase.export.reports import Exported


def write_gaviota(
    material: Material,
    source: Path,
    folder: Path,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Exported:
    """Write the Gaviota file of a material, compressed by LZMA.

    Before the file gets its name it is read back, and every cell of a legal position is compared.

    Parameters
    ----------
    material
        The men, normalized.
    source
        Our file of the material, with distances to mate.
    folder
        Where to write ``krk.gtb.cp4`` or the like, over any file of that name.
    threads
        How many threads to use; by default one for each processor.
    progress
        Called with how many parts are done and how many there are, in order.

    Raises
    ------
    CorruptTableError
        If `source` is damaged, or what was written is not read back as it should be.
    InvalidMaterialError
        If there is no such Gaviota table, or `source` is that of another material.
    MissingTableError
        If `source` is not there, or has no distances to mate.
    OSError
        If the file cannot be written.
    """
    begin = time.perf_counter()
    path = folder / gaviota_name(material)
    cells = Cells(material)
    values = read_values(source, material, threads=threads)
    step = count_steps(2 * len(block_ranges(block_count(cells.count))), progress)
    with complete_or_absent(path) as partial:
        _write_blocks(partial, cells, values, threads=threads, step=step)
        with GaviotaFile(partial, material) as file:
            audit = compare_file(file, cells, values, threads=threads, step=step)
        if audit.first is not None:
            raise CorruptTableError(f"{path} is not read back as it was written: {audit.first}")
    return Exported(path, path.stat().st_size, time.perf_counter() - begin)


def _write_blocks(
    path: Path, cells: Cells, values: Values, *, threads: int | None, step: Callable[[], None]
) -> None:
    """Write a whole file over an empty one."""

    def pack(task: tuple[int, int]) -> list[list[bytes]]:
        return _pack_blocks(cells, values, *task)

    start = header_size(cells.count)
    sizes: tuple[list[int], list[int]] = ([], [])
    # All of White's blocks come first; both sides' are made together, since finding where in our
    # table a cell is takes as long as packing it.
    with path.open("r+b") as file, TemporaryFile(dir=path.parent) as black:
        file.seek(start)
        tasks = block_ranges(block_count(cells.count))
        for sides in map_on_threads(pack, tasks, threads, ahead=2):
            for color, output in zip(Color, (file, black), strict=True):
                output.writelines(sides[color])
                sizes[color].extend(map(len, sides[color]))
            step()
        black.seek(0)
        shutil.copyfileobj(black, file)
        offsets = start + np.cumsum([0, *sizes[Color.WHITE], *sizes[Color.BLACK]], dtype=np.int64)
        assert offsets[-1] < 1 << 32, "offsets have four bytes"
        file.seek(0)
        file.write(make_header(cells.count) + offsets.astype("<u4").tobytes())


def _pack_blocks(cells: Cells, values: Values, first: int, last: int) -> list[list[bytes]]:
    """Return some blocks with White and with Black to move."""
    start = first * BLOCK_CELLS
    slots = cells.slots(start, min(last * BLOCK_CELLS, cells.count))
    sides = []
    for color in Color:
        gathered = gather(values[color], slots)
        blocks = np.split(gathered, range(BLOCK_CELLS, len(gathered), BLOCK_CELLS))
        for block in blocks:
            fill_illegal(block)
        sides.append([pack_block(block) for block in blocks])
    return sides
