"""Changes of bytes and texts by chance, whatever they mean."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

_ODD_BYTES = (
    b"\x00",
    b"\xff",
    b"\x1b[31m",
    b"\xc3\xa9",
    b"\xf0\x9f\x98\x80",
    b"\xed\xa0\x80",
    b"\r\n",
)
_NUMBERS = ("0", "-1", "1e9", "255", "256", "65536", "2147483648", "9" * 30, "NaN", "0x10")


def damage(rng: random.Random, data: bytes, others: Sequence[bytes]) -> tuple[str, bytes]:
    """Return how bytes were damaged, and the damaged bytes, perhaps with parts of `others`."""
    kind = rng.choice((flip_bits, overwrite, splice, cut, insert))
    return kind.__name__.replace("_", " "), kind(rng, data, others)


def flip_bits(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Change a few bits."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def overwrite(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Overwrite a run of bytes by one byte or by noise."""
    start, size = _span(rng, len(data))
    same = bytes([rng.choice((0, 255, rng.randrange(256)))]) * size
    return data[:start] + rng.choice((same, rng.randbytes(size))) + data[start + size :]


def _span(rng: random.Random, length: int) -> tuple[int, int]:
    """Return start and size of a run within some bytes, mostly a short one."""
    size = min(length, rng.choice((1, 2, 4, 8, 64, 512, 4096, 1 << 16)))
    start = rng.randrange(length - size + 1)
    return start, size


def splice(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """Overwrite a run of bytes by one of these or other bytes."""
    source = rng.choice([data, *others])
    start, size = _span(rng, min(len(data), len(source)))
    place = rng.randrange(len(source) - size + 1)
    return data[:start] + source[place : place + size] + data[start + size :]


def cut(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Leave out the end, or a run of bytes."""
    start, size = _span(rng, len(data))
    return data[:start] if rng.random() < 0.5 else data[:start] + data[start + size :]


def insert(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Put some bytes in."""
    start, size = _span(rng, len(data))
    new = rng.choice((rng.randbytes(min(size, 1000)), rng.choice(_ODD_BYTES), bytes(size)))
    return data[:start] + new + data[start:]


def change_text(rng: random.Random, text: bytes) -> bytes:
    """Return a text with something changed; what is left is mostly as it was."""
    numbers = list(re.finditer(rb"-?\d+", text))
    kind = rng.randrange(8)
    if numbers and kind < 3:
        one, other = rng.choice(numbers), rng.choice(numbers)
        new = (
            str(int(one[0]) + rng.choice((-1, 1, 2, 100))).encode(),
            rng.choice(_NUMBERS).encode(),
            other[0],
        )[kind]
        changed = text[: one.start()] + new + text[one.end() :]
        if kind == 2 and one.end() <= other.start():  # exchange both
            changed = text[: one.start()] + other[0] + text[one.end() : other.start()]
            changed += one[0] + text[other.end() :]
        return changed
    start = rng.randrange(len(text) + 1)
    if kind == 7:
        return text[:start] + rng.choice(_ODD_BYTES) + text[start:]
    end = min(len(text), start + rng.choice((0, 1, 1, 3, 20)))
    new = rng.choice((
        b"", bytes([rng.randrange(256)]), rng.choice(_ODD_BYTES), text[start:end] * 2,
        rng.choice((b"[", b"{", b"(", b" ", b"/", b"-", b'"')) * rng.choice((1, 3, 3000, 50_000)),
    ))  # fmt: skip
    return text[:start] + new + text[end:]
