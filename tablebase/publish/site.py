"""The pages as files, at the same addresses on any web host and on our server.

They read the folder of tables beside them; relative addresses work below any folder of a host.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import metadata
from pathlib import Path
from string import ascii_uppercase
from zlib import crc32

import chess
import chess.svg

from tablebase.report.pictures import draw_disc

STATIC = Path(__file__).parents[1] / "explorer"
MODULES = STATIC / "engine"  # of WebAssembly, which `scripts/make_modules.py` makes
TABLES_FOLDER = "tables"
LABORATORY = "laboratory"
FIRST_PAGE = "index.html"
PIECES = tuple(f"{color}{kind}" for color in "wb" for kind in "KQRBNP")
DISCS = tuple(f"{color}{letter}" for color in "wb" for letter in ascii_uppercase)
_WORKER = "offline.js"
_LICENSE = "LICENSE"


@cache
def page_texts() -> dict[str, str]:
    """Return the texts of the pages, the reader and the licence by their addresses on the site.

    All but those of pictures and of the service worker are files of the package, whose folder is
    laid out as the site is. The service worker keeps the pages on devices that have opened them.
    """
    texts = {
        path.relative_to(STATIC).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(STATIC.rglob("*"))
        if path.is_file() and path.name != _WORKER and path.parent != MODULES
    }
    men = {name: chess.Piece.from_symbol(_sign(name)) for name in PIECES}
    texts |= {f"pieces/{name}.svg": chess.svg.piece(man) for name, man in men.items()}
    texts |= {f"discs/{name}.svg": draw_disc(_sign(name)) for name in DISCS}
    version = crc32(json.dumps(texts, sort_keys=True).encode())
    names = json.dumps(sorted(texts), indent=1)
    worker = (STATIC / _WORKER).read_text(encoding="utf-8")
    # A browser takes another version of the pages as soon as a byte of this file differs.
    texts[_WORKER] = f'const VERSION = "{version:08x}";\nconst PAGES = {names};\n\n{worker}'
    texts[_LICENSE] = _license_text()
    return texts


def _sign(name: str) -> str:
    """Return the sign of a man in a FEN."""
    return name[1] if name[0] == "w" else name[1].lower()


def _license_text() -> str:
    """Return the licence, which an installed package has beside its metadata."""
    checkout = Path(__file__).parents[2] / _LICENSE
    try:
        installed = metadata.distribution("chess-tablebase").read_text(f"licenses/{_LICENSE}")
    except metadata.PackageNotFoundError:
        installed = None
    return installed or checkout.read_text(encoding="utf-8")
