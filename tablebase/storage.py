"""Tables on disk: one self-describing HDF5 file for each material.

A file appears under its name only when it is complete: it is written under a temporary name in
the same folder, flushed to the disk and renamed. Everything inside is covered by checksums: the
values by fletcher32, and the metadata by HDF5 itself (files in the format of HDF5 1.10, attributes
inside the root's object header). ``docs/format.md`` describes the content for strangers.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import re
import socket
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import cache, cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import deflate
import h5py
import numpy as np
from numpy.typing import NDArray

from tablebase import __version__
from tablebase.census import SIDES, Census, take_census
from tablebase.errors import CorruptTableError, MissingTableError
from tablebase.filling import fill
from tablebase.geometry import Color
from tablebase.index import TableIndex, table_index
from tablebase.legality import is_legal, mark_slots
from tablebase.material import Material
from tablebase.slots import LOOK, TO_FILE, TO_MEMORY, slot_order, walk
from tablebase.table import Table, exchange_colors, slot_count, stored_sides

FORMAT = "chess-tablebase"
FORMAT_VERSION = 2
SUFFIX = ".h5"
CHUNK_SIZE = 65_536
# Of libdeflate. Level 10 takes ten times as long as 5 and saves a tenth: worth it for small
# tables, which many people will have. Level 12 takes four times longer still for 0.2 %.
COMPRESSION_LEVEL, COMPRESSION_LEVEL_OF_LARGE_TABLES = 10, 5
LARGE_TABLE_MEN = 5
CHECKSUM_SIZE = 4
MAX_ATTRIBUTE_SIZE = 1 << 16
DATASETS: tuple[str, ...] = tuple(f"{side}/dtm" for side in SIDES)

ENCODING = (
    "Each byte is the distance to mate of one position with one side to move, in plies (single "
    "moves), with best play: an odd number n means the side to move wins in n plies, an even "
    "number n that it loses in n (0: it is checkmated), 255 is a draw. Illegal positions, with "
    "the side not to move in check, have no value of their own: their bytes mean nothing. The "
    "50-move rule, castling and en passant are left out."
)
INDEX_SCHEME = (
    "slot = (slice * king_pairs + first) * ranks + rank * count + king_pair - first, where the "
    "pairs with the black king on the same square as king_pair's are the `count` ones from "
    "`first` on. Squares a1 = 0, b1 = 1, ..., h8 = 63. king_pair: without pawns, the 462 pairs "
    "(white king, black king) that do not touch, white king in the triangle a1-d1-d4 and, if it "
    "stands on the diagonal a1-h8, black king not above it, ordered by black king, then white "
    "king, ascending; with pawns all 3612 pairs that do not touch, in the same way but squares "
    "file by file, up and down in turn: a1 ... a8, b8 ... b1, c1 ... c8, .... rank: for "
    "the groups of identical pieces in the order queens, rooks, bishops, knights, White's before "
    "Black's, mixed radix, first group most significant; each group is the combination of its "
    "squares, numbered among the squares free of pawns and of earlier groups (kings do not "
    "count) in the combinatorial number system: sum of binomial(square number, 1 + place). "
    "slice: the sets of pawns' squares up to exchange of left and right, by the smaller of both "
    "keys, ascending; key = sum of (square - 8) * 48**i over the pawns, White's first, each "
    "side's squares ascending. A position that is its own mirror image but for some men has two "
    "slots; that of the smaller rank counts, then of the smaller king_pair."
)
BOARD = "8x8"

_PARTIAL = re.compile(r"\.[\w-]+\.h5\.(?:(?P<host>.+)\.)?(?P<process>\d+)\.partial")
_DIGEST = re.compile(r"[0-9a-f]{64}")
# What h5py raises on files that are damaged or built to do harm.
_DAMAGE = (
    OSError,
    RuntimeError,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    OverflowError,
    MemoryError,
    deflate.DeflateError,
)
_T = TypeVar("_T")
_R = TypeVar("_R")


def table_path(directory: str | os.PathLike[str], material: Material) -> Path:
    """Return where the table of a material lies in a directory."""
    return Path(directory) / f"{material.normalized().name}{SUFFIX}"


# --- checksums and chunks ---------------------------------------------------------------


def fletcher32(data: bytes | memoryview) -> int:
    """Return HDF5's variant of Fletcher's checksum of some bytes.

    The bytes are read as big-endian 16-bit words, an odd last one padded with zero.
    """
    words = np.frombuffer(data, dtype=">u2", count=len(data) // 2).astype(np.int64)
    if len(data) % 2:
        words = np.append(words, data[-1] << 8)
    first = int(words.sum())
    second = int(words @ np.arange(len(words), 0, -1))
    return _fold(second) << 16 | _fold(first)


def _fold(total: int) -> int:
    """Return a sum modulo 65535, with 65535 instead of 0 unless nothing was added."""
    return (total - 1) % 0xFFFF + 1 if total else 0


def _pack(codes: NDArray[np.uint8], chunk_size: int, level: int) -> bytes:
    """Return codes compressed, with their checksum; a short last chunk is filled up."""
    if len(codes) < chunk_size:
        codes = np.pad(codes, (0, chunk_size - len(codes)), mode="edge")
    data = bytes(deflate.zlib_compress(codes.data, level))
    return data + fletcher32(data).to_bytes(CHECKSUM_SIZE, "little")


def _unpack(data: bytes, chunk_size: int) -> bytes:
    """Return the codes of a chunk; `ValueError` or `DeflateError` if it is damaged."""
    content, checksum = memoryview(data)[:-CHECKSUM_SIZE], data[-CHECKSUM_SIZE:]
    if fletcher32(content) != int.from_bytes(checksum, "little"):
        message = "the checksum does not match"
        raise ValueError(message)
    codes = bytes(deflate.zlib_decompress(content, chunk_size))
    if len(codes) != chunk_size:
        message = f"a chunk does not have {chunk_size} codes"
        raise ValueError(message)
    return codes


def _map_ahead(
    pool: Executor, function: Callable[[_T], _R], items: Iterator[_T], ahead: int
) -> Iterator[_R]:
    """Yield results in order, with a bounded number of them under way."""
    waiting: deque[Future[_R]] = deque()
    for item in items:
        waiting.append(pool.submit(function, item))
        if len(waiting) > ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


# --- writing ----------------------------------------------------------------------------


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":  # elsewhere folders cannot be opened
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def partial_path(path: Path) -> Path:
    """Return the temporary name of this process for a file; see `remove_leftovers`."""
    return path.with_name(f".{path.name}.{socket.gethostname()}.{os.getpid()}.partial")


@contextmanager
def _complete_or_absent(path: Path) -> Iterator[Path]:
    """Give a temporary name to write to; what was written replaces `path` if all went well."""
    partial = partial_path(path)
    try:
        yield partial
        with partial.open("rb+") as file:
            os.fsync(file.fileno())
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def remove_leftovers(directory: str | os.PathLike[str]) -> list[Path]:
    """Remove the unfinished files of processes that are no more, and return their paths.

    Those of other machines, which may share the folder, stay: whether a process runs there is not
    known here.
    """
    removed = []
    for path in sorted(Path(directory).glob(".*.partial")):
        match = _PARTIAL.fullmatch(path.name)
        if match is None or match["host"] not in {None, socket.gethostname()}:
            continue
        process = int(match["process"])
        if process == os.getpid() or not _is_running(process):
            with suppress(OSError):
                path.unlink()
                removed.append(path)
    return removed


def _describe(table: Table, census: Census, subtables: Mapping[str, str]) -> dict[str, str | int]:
    """Return the attributes of the root, the digest not filled in."""
    material, index = table.material, table.index
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "material": material.name,
        "metric": "dtm",
        "unit": "ply",
        "encoding": ENCODING,
        "index_scheme": INDEX_SCHEME,
        "board": BOARD,
        "symmetry": "left-right mirror" if material.has_pawns else "all eight of the square",
        "men": json.dumps(
            [f"{color.name.lower()} {man.name.lower()}" for color, man in material.men]
        ),
        "king_pairs": index.king_pairs,
        "ranks": index.ranks,
        "slices": index.slices,
        "counts": json.dumps(census.as_dict(), separators=(",", ":")),
        "longest_wins": json.dumps(
            {side: counts["longest_win"] for side, counts in census.as_dict().items()}
        ),
        "sha256": "0" * 64,
        "subtables": json.dumps(dict(sorted(subtables.items()))),
        "generator_version": __version__,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _write_attributes(file: h5py.File, attributes: Mapping[str, str | int]) -> None:
    for name, value in attributes.items():
        if isinstance(value, int):
            file.attrs.create(name, value, dtype=np.int64)
        else:
            # Of fixed length: text of any length would lie in a heap without checksum.
            text = value.encode()
            file.attrs.create(name, text, dtype=h5py.string_dtype("utf-8", len(text)))


def _create_codes(group: h5py.Group, size: int, level: int) -> h5py.Dataset:
    """Return a new, empty data set for the values of one side to move."""
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_chunk((min(CHUNK_SIZE, size),))
    properties.set_deflate(min(level, 9))  # what a reader may know of levels
    properties.set_fletcher32()
    properties.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
    properties.set_obj_track_times(False)
    space = h5py.h5s.create_simple((size,))
    return h5py.h5d.create(group.id, b"dtm", h5py.h5t.STD_U8LE, space, properties)


def _write_codes(
    group: h5py.Group,
    table: Table,
    color: Color,
    marks: NDArray[np.uint8] | None,
    digest: Any,
    threads: int,
) -> None:
    """Write the values of one side to move, and add them to a digest.

    Slots without a legal position are filled if `marks` tell which they are.
    """
    order, size = slot_order(table.material), table.index.size
    chunk_size = min(CHUNK_SIZE, size)
    level = COMPRESSION_LEVEL_OF_LARGE_TABLES if marks is None else COMPRESSION_LEVEL
    dataset = _create_codes(group, size, level)
    rows = np.ones(size // order.king_pairs, dtype=np.bool_)

    def part(of: NDArray[np.uint8], slot: int) -> NDArray[np.uint8]:
        chunk = np.empty(min(chunk_size, size - slot), dtype=np.uint8)
        walk(order, slot, len(chunk), rows, TO_FILE, of.ctypes.data, chunk.ctypes.data)
        return chunk

    def pack(slot: int) -> tuple[NDArray[np.uint8], bytes]:
        chunk = part(table.codes[color], slot)
        if marks is not None:
            fill(chunk, is_legal(part(marks, slot), color))
        return chunk, _pack(chunk, chunk_size, level)

    with ThreadPoolExecutor(threads) as pool:
        packed = _map_ahead(pool, pack, iter(range(0, size, chunk_size)), 4 * threads)
        for number, (chunk, data) in enumerate(packed):
            digest.update(chunk.data)
            dataset.write_direct_chunk((number * chunk_size,), data)


@cache
def _file_access() -> Any:
    """Return the properties with which files are opened and created."""
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    access.set_libver_bounds(h5py.h5f.LIBVER_V110, h5py.h5f.LIBVER_V110)
    access.set_fclose_degree(h5py.h5f.CLOSE_STRONG)
    return access


def _create(path: Path) -> h5py.File:
    """Return a new file whose metadata is all checksummed: attributes stay in the header."""
    creation = h5py.h5p.create(h5py.h5p.FILE_CREATE)
    creation.set_attr_phase_change(64, 0)
    flags = h5py.h5f.ACC_EXCL
    return h5py.File(h5py.h5f.create(os.fsencode(path), flags, creation, _file_access()))


def write_table(
    table: Table,
    path: str | os.PathLike[str],
    *,
    census: Census | None = None,
    subtables: Mapping[str, str] | None = None,
    threads: int | None = None,
) -> str:
    """Write a table to a file that is complete as soon as it has its name.

    Parameters
    ----------
    table
        The solved table.
    path
        The file; one that exists is replaced.
    census
        The table's counts, taken now if not given.
    subtables
        The SHA-256 of the values of each sub-table by the name of its material.
    threads
        How many threads to use; by default one for each processor.

    Returns
    -------
    str
        SHA-256 of the stored values.

    Raises
    ------
    OSError
        If the file cannot be written; then nothing is left of it.
    """
    target = Path(path)
    threads = threads or os.cpu_count() or 1
    census = census or take_census(table, threads=threads)
    digest = hashlib.sha256()
    is_large = table.material.piece_count >= LARGE_TABLE_MEN
    marks = None if is_large else mark_slots(table.index, threads=threads)
    try:
        with _complete_or_absent(target) as partial:
            partial.unlink(missing_ok=True)
            with _create(partial) as file:
                # First, so that they lie together; the digest is known last.
                _write_attributes(file, _describe(table, census, subtables or {}))
                for color in stored_sides(table.material):
                    group = file.create_group(SIDES[color])
                    _write_codes(group, table, color, marks, digest, threads)
                file.attrs.modify("sha256", digest.hexdigest().encode())
    except OSError as error:
        if error.errno is None:
            raise
        # HDF5 tells at length about the temporary file.
        raise OSError(error.errno, os.strerror(error.errno), str(target)) from error
    except RuntimeError as error:  # what h5py makes of a disk that is full on closing
        raise OSError(f"{target} could not be written: {error}") from error
    return digest.hexdigest()


# --- reading ----------------------------------------------------------------------------


def _require(condition: object, message: str) -> None:
    if not condition:
        raise ValueError(message)


class TableFile:
    """An open table file; use `open_table`.

    Attributes
    ----------
    path : Path
        The file.
    material : Material
        Its men, normalized.
    chunk_size : int
        Number of codes in a chunk; the last one may hold fewer.
    size : int
        Number of codes for each side to move.

    Raises
    ------
    CorruptTableError
        If the file is no complete table.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        try:
            self._file = h5py.h5f.open(os.fsencode(self.path), h5py.h5f.ACC_RDONLY, _file_access())
        except FileNotFoundError:
            raise MissingTableError(f"there is no file {self.path}") from None
        except PermissionError:
            raise
        except OSError as error:
            raise CorruptTableError(f"{self.path} is no complete HDF5 file: {error}") from None
        self._datasets: dict[Color, Any] = {}
        try:
            with self._naming_damage():
                self._check_header()
                self._descriptor = self._file.get_vfd_handle()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; nothing happens if it is closed."""
        self._datasets.clear()
        if self._file.valid:
            self._file.close()

    @contextmanager
    def _naming_damage(self) -> Iterator[None]:
        try:
            yield
        except (CorruptTableError, MissingTableError):
            raise
        except _DAMAGE as error:
            reason = str(error) or type(error).__name__
            raise CorruptTableError(f"{self.path} is damaged or no table: {reason}") from error

    def _attribute(self, name: str) -> str | int:
        attribute = h5py.h5a.open(self._file, name.encode())
        kind = attribute.get_type()
        size = kind.get_size()
        _require(
            attribute.shape == () and size <= MAX_ATTRIBUTE_SIZE, f"attribute {name} is too long"
        )
        if kind.get_class() == h5py.h5t.STRING and not kind.is_variable_str():
            text = np.empty((), dtype=f"S{size}")
            attribute.read(text, mtype=kind)
            return bytes(text[()]).decode()
        _require(kind.get_class() == h5py.h5t.INTEGER, f"attribute {name} is of another type")
        number = np.empty((), dtype=np.int64)
        attribute.read(number)
        return int(number)

    def _check_header(self) -> None:
        _require(self._attribute("format") == FORMAT, "the attribute `format` is another one")
        version = self._attribute("format_version")
        if version != FORMAT_VERSION:
            message = f"format version {version} is not {FORMAT_VERSION}, which this program reads"
            raise ValueError(message)
        name = str(self._attribute("material"))
        self.material = Material.from_name(name)
        _require(
            self.material.is_normalized and self.material.name == name,
            f"{name} is not how a material is named",
        )
        self.size = slot_count(self.material)
        self.chunk_size = min(CHUNK_SIZE, self.size)

    def _open_codes(self, color: Color) -> Any:
        """Return the dataset of a side to move after checking all that reading relies on."""
        if color in self._datasets:
            return self._datasets[color]
        metric = self._attribute("metric"), self._attribute("unit")
        _require(metric == ("dtm", "ply"), f"the metric is {metric}")
        group_name, name = SIDES[color].encode(), b"dtm"
        hard = h5py.h5l.TYPE_HARD
        _require(self._file.links.get_info(group_name).type == hard, "a group lies elsewhere")
        group = h5py.h5g.open(self._file, group_name)
        _require(group.links.get_info(name).type == hard, "the values lie elsewhere")
        dataset = h5py.h5d.open(group, name)
        properties = dataset.get_create_plist()
        _require(
            dataset.shape == (self.size,), f"there are {dataset.shape} values, not {self.size}"
        )
        _require(dataset.dtype == np.dtype(np.uint8), f"values are of type {dataset.dtype}")
        _require(properties.get_layout() == h5py.h5d.CHUNKED, "values are not stored in chunks")
        _require(properties.get_external_count() == 0, "values lie in another file")
        _require(properties.get_chunk() == (self.chunk_size,), "chunks have another size")
        filters = [properties.get_filter(i)[0] for i in range(properties.get_nfilters())]
        _require(
            filters == [h5py.h5z.FILTER_DEFLATE, h5py.h5z.FILTER_FLETCHER32],
            f"filters are {filters}",
        )
        self._datasets[color] = dataset
        return dataset

    @cached_property
    def sha256(self) -> str:
        """Digest of the stored values as the file states it, in hexadecimal."""
        with self._naming_damage():
            digest = str(self._attribute("sha256"))
            _require(_DIGEST.fullmatch(digest), "the attribute `sha256` is no digest")
        return digest

    @property
    def index(self) -> TableIndex:
        """The numbering of the positions."""
        return table_index(self.material)

    def check(self) -> None:
        """Check everything but the values, which are checked as they are read.

        Raises
        ------
        CorruptTableError
            If the file is no complete table.
        """
        with self._naming_damage():
            for color in stored_sides(self.material):
                self._open_codes(color)
        _ = self.sha256, self.attributes

    @property
    def chunk_count(self) -> int:
        """The number of chunks of each stored side to move."""
        return -(-self.size // self.chunk_size)

    def side_stored(self, color: Color) -> bool:
        """Return whether the values of a side to move are in the file.

        If both sides have the same men, only those with White to move are.
        """
        return color in stored_sides(self.material)

    @cached_property
    def attributes(self) -> dict[str, Any]:
        """The attributes of the file by name; those in JSON as Python objects."""
        found: dict[str, Any] = {}
        with self._naming_damage():
            for number in range(h5py.h5a.get_num_attrs(self._file)):
                name = h5py.h5a.open(self._file, index=number).name.decode()
                found[name] = self._attribute(name)
            for name in ("counts", "longest_wins", "subtables", "men"):
                found[name] = json.loads(found[name])
        return found

    def _read(self, color: Color, number: int) -> bytes:
        """Return a chunk as it lies in the file."""
        info = self._open_codes(color).get_chunk_info_by_coord((number * self.chunk_size,))
        return self._read_at(number, info.byte_offset, info.size, info.filter_mask)

    def _read_at(self, number: int, offset: int | None, size: int, mask: int) -> bytes:
        """Return a chunk as it lies in the file at `offset`."""
        # Data that cannot be compressed grow by less than this.
        most = self.chunk_size + self.chunk_size // 1000 + 64
        if offset is None or mask or not CHECKSUM_SIZE < size <= most:
            message = f"chunk {number} is not stored as it should be"
            raise ValueError(message)
        data = os.pread(self._descriptor, size, offset)
        _require(len(data) == size, f"chunk {number} is cut short")
        return data

    def chunk(self, color: Color, number: int) -> NDArray[np.uint8]:
        """Return the codes of a chunk.

        Parameters
        ----------
        color
            Side to move; its values must be stored.
        number
            Slot of the first code, divided by `chunk_size`.

        Returns
        -------
        NDArray[np.uint8]
            Stored codes, read-only.

        Raises
        ------
        CorruptTableError
            If the chunk is damaged.
        ValueError
            If the file is closed.
        """
        if not self._file.valid:
            message = f"{self.path} is closed"
            raise ValueError(message)
        with self._naming_damage():
            codes = _unpack(self._read(color, number), self.chunk_size)
        return np.frombuffer(codes, dtype=np.uint8)[: self.size - number * self.chunk_size]

    def codes(
        self,
        color: Color,
        *,
        rows: NDArray[np.bool_] | None = None,
        threads: int | None = None,
    ) -> NDArray[np.uint8]:
        """Return the codes of a stored side to move.

        Parameters
        ----------
        color
            Side to move; its values must be stored.
        rows
            Which rows to read (a row is the codes of all pairs of kings); by default all. What
            is not read takes no memory, and its codes mean nothing.
        threads
            How many threads to use; by default one for each processor.

        Returns
        -------
        NDArray[np.uint8]
            Stored codes, shape [size].

        Raises
        ------
        CorruptTableError
            If the file is damaged.
        """
        return self._codes(color, rows, threads or os.cpu_count() or 1)

    def _codes(
        self, color: Color, rows: NDArray[np.bool_] | None, threads: int, digest: Any = None
    ) -> NDArray[np.uint8]:
        """Return codes, and add the values as they lie in the file to a digest."""
        places = self._chunk_places(color)
        order = slot_order(self.material)
        if rows is None:
            codes = np.empty(self.size, dtype=np.uint8)
            rows = np.ones(self.size // order.king_pairs, dtype=np.bool_)
        else:
            # NumPy would ask for huge pages, and a few codes in each would fill them all.
            codes = np.frombuffer(mmap.mmap(-1, self.size), dtype=np.uint8)

        def fill(number: int) -> bytes:
            slot = number * self.chunk_size
            size = min(self.chunk_size, self.size - slot)
            if digest is None and not walk(order, slot, size, rows, LOOK, 0, 0):
                return b""
            with self._naming_damage():
                data = _unpack(self._read_at(number, *places[number]), self.chunk_size)
            chunk = np.frombuffer(data, dtype=np.uint8)
            walk(order, slot, size, rows, TO_MEMORY, codes.ctypes.data, chunk.ctypes.data)
            return data[:size]

        with ThreadPoolExecutor(threads) as pool:
            for data in _map_ahead(pool, fill, iter(range(self.chunk_count)), 16 * threads):
                if digest is not None:
                    digest.update(data)
        return codes

    def _chunk_places(self, color: Color) -> list[tuple[int | None, int, int]]:
        """Return offset in the file, size and filter mask of all chunks in order."""
        nowhere: tuple[int | None, int, int] = (None, 0, 0)
        places = [nowhere] * self.chunk_count

        def note(info: Any) -> None:
            number = info.chunk_offset[0] // self.chunk_size
            if number < len(places):
                places[number] = (info.byte_offset, info.size, info.filter_mask)

        with self._naming_damage():
            self._open_codes(color).chunk_iter(note)
        return places

    def read(self, *, threads: int | None = None) -> Table:
        """Return the whole table; see `read_table`."""
        digest = hashlib.sha256()
        threads = threads or os.cpu_count() or 1
        sides = stored_sides(self.material)
        codes = [self._codes(color, None, threads, digest) for color in sides]
        if digest.hexdigest() != self.sha256:
            raise CorruptTableError(f"{self.path} is damaged: its values do not have their SHA-256")
        if self.material.is_symmetric:
            codes.append(exchange_colors(self.material, codes[0], threads=threads))
        return Table(self.material, *codes)


def open_table(path: str | os.PathLike[str]) -> TableFile:
    """Open a table file to read parts of it; a context manager.

    Only what reading relies on is checked now; values are checked as they are read.

    Raises
    ------
    MissingTableError
        If there is no such file.
    CorruptTableError
        If it is damaged, cut short, or something else than a table.
    """
    return TableFile(path)


def read_table(path: str | os.PathLike[str], *, threads: int | None = None) -> Table:
    """Read a table into memory and compare its values with their SHA-256.

    Parameters
    ----------
    path
        The file.
    threads
        How many threads to use; by default one for each processor.

    Returns
    -------
    Table
        The values of both sides to move.

    Raises
    ------
    MissingTableError
        If there is no such file.
    CorruptTableError
        If it is damaged, cut short, or something else than a table.
    """
    with open_table(path) as file:
        return file.read(threads=threads)
