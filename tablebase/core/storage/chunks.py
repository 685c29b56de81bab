"""Chunks of codes: compressed as gzip does, with HDF5's checksum of the compressed bytes."""

from __future__ import annotations

import deflate
import numpy as np
from numpy.typing import NDArray

from tablebase.core.storage.damage import FlawError

# What a reader takes; files have smaller ones, see `writing`.
MAX_CHUNK_SIZE = 1 << 20
CHECKSUM_SIZE = 4


def pack(codes: NDArray[np.uint8], chunk_size: int, level: int) -> bytes:
    """Return codes compressed, with their checksum; a short last chunk is filled up."""
    if len(codes) < chunk_size:
        codes = np.pad(codes, (0, chunk_size - len(codes)), mode="edge")
    data = bytes(deflate.zlib_compress(codes.data, level))
    return data + fletcher32(data).to_bytes(CHECKSUM_SIZE, "little")


def fletcher32(data: bytes | memoryview) -> int:
    """Return HDF5's variant of Fletcher's checksum of some bytes.

    The bytes are read as big-endian 16-bit words, an odd last one padded with zero.
    """
    words = np.frombuffer(data, dtype=">u2", count=len(data) // 2).astype(np.uint64)
    if len(data) & 1:
        words = np.append(words, np.uint64(data[-1] << 8))
    sums = np.cumsum(words)
    return _fold(int(sums.sum())) << 16 | _fold(int(words.sum()))


def _fold(total: int) -> int:
    """Return a sum modulo 65535, with 65535 instead of 0 unless nothing was added."""
    return (total - 1) % 0xFFFF + 1 if total else 0


def unpack(data: bytes, chunk_size: int) -> bytes:
    """Return the codes of a chunk; `ValueError` or `DeflateError` if it is damaged."""
    content = check_sum(data)
    codes = bytes(deflate.zlib_decompress(content, chunk_size))
    if len(codes) != chunk_size:
        raise FlawError(f"a chunk does not have {chunk_size} codes")
    return codes


def check_sum(data: bytes) -> memoryview:
    """Return the compressed part of a chunk; `ValueError` if its checksum does not match."""
    content, checksum = memoryview(data)[:-CHECKSUM_SIZE], data[-CHECKSUM_SIZE:]
    if fletcher32(content) != int.from_bytes(checksum, "little"):
        raise FlawError("the checksum does not match")
    return content
