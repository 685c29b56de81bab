"""The explorer as files of any web host, beside published tables.

The pages are those of the server: `page_texts` marks them with the address of their tables, from
which they then answer by themselves.
"""

from __future__ import annotations

import json
import re
from importlib import metadata
from pathlib import Path
from urllib.parse import quote
from zlib import crc32

import chess
import chess.svg

from tablebase.study import draw_disc
from tablebase.web.bundle import bundled

STATIC = Path(__file__).parent / "static"
READER = STATIC / "reader"
READER_FOLDER, TABLES_FOLDER, WEB_FOLDER = "reader", "tables", "web"
# The first page, and what marks it as one that answers from published tables.
FIRST_PAGE, MARK = "index.html", f'data-tables="{TABLES_FOLDER}/"'
PIECES = tuple(f"{color}{kind}" for color in "wb" for kind in "KQRBNP")
# Pages by their address, and what leads from each to the folder of the site.
_PAGES = {FIRST_PAGE: ("index.html", ""), "tables/material.html": ("material.html", "../")}
_WORKER, _ENDING = "offline.js", "ending.js"
# What asks the server is of no use without one, and others lie elsewhere on the site.
_LEFT_OUT = {"server.js", _WORKER, _ENDING, "endingstyle.js", "variant.js", "variant.css"}
# Elements of pages that need a server; none contains another one of its kind.
_SERVED = re.compile(r'\s*<(\w+)[^>]*\bclass="(?:\w+ )*served"[^>]*>.*?</\1>', re.DOTALL)
_LICENSE = "LICENSE"
_HEAD = "// chess-tablebase, GPL-3.0-or-later. All modules of the element in one file.\n"
_MANIFEST = {
    "name": "Endgame explorer",
    "short_name": "Endgames",
    "description": "Chess endgames with best play, also without a network.",
    "start_url": "index.html",
    "scope": "./",
    "display": "standalone",
    "background_color": "#f6f5f3",
    "theme_color": "#f6f5f3",
    "icons": [{"src": "pieces/wK.svg", "sizes": "any", "type": "image/svg+xml"}],
}


def page_texts() -> dict[str, str]:
    """Return the texts of the explorer, the reader and the licence by their addresses on the site.

    Addresses in them are relative, so that the pages work below any folder of a host. A service
    worker keeps the pages on devices that have opened them.
    """
    texts = _explorer_texts()
    version = crc32(json.dumps(texts, sort_keys=True).encode())
    names = json.dumps(sorted(texts), indent=1)
    worker = (STATIC / _WORKER).read_text(encoding="utf-8")
    # A browser takes another version of the pages as soon as a byte of this file differs.
    texts[_WORKER] = f'const VERSION = "{version:08x}";\nconst PAGES = {names};\n\n{worker}'
    texts[_LICENSE] = _license_text()
    return texts


def _explorer_texts() -> dict[str, str]:
    """Return the texts that the service worker keeps."""
    texts = {
        f"{READER_FOLDER}/{path.name}": path.read_text(encoding="utf-8")
        for path in sorted(READER.iterdir())
    }
    for path in sorted(STATIC.iterdir()):
        if path.suffix in {".js", ".css", ".svg"} and path.name not in _LEFT_OUT:
            texts[f"{WEB_FOLDER}/{path.name}"] = path.read_text(encoding="utf-8")
    for address, (name, root) in _PAGES.items():
        texts[address] = _marked((STATIC / name).read_text(encoding="utf-8"), root)
    texts |= {f"pieces/{name}.svg": draw_piece(name) for name in PIECES}
    texts |= {f"discs/{name}.svg": draw_disc(_sign(name)) for name in PIECES}
    texts[_ENDING] = _ending(texts)
    texts["manifest.webmanifest"] = json.dumps(_MANIFEST, indent=2) + "\n"
    return texts


def _license_text() -> str:
    """Return the licence, which an installed package has beside its metadata."""
    checkout = Path(__file__).parents[2] / _LICENSE
    try:
        installed = metadata.distribution("chess-tablebase").read_text(f"licenses/{_LICENSE}")
    except metadata.PackageNotFoundError:
        installed = None
    return installed or checkout.read_text(encoding="utf-8")


def _ending(texts: dict[str, str]) -> str:
    """Return the script of ``<chess-ending>``, which is one file with its pieces in it."""
    own = {
        f"{WEB_FOLDER}/{name}": (STATIC / name).read_text(encoding="utf-8")
        for name in (_ENDING, "endingstyle.js")
    }
    pieces = {
        name: "data:image/svg+xml," + quote(texts[f"pieces/{name}.svg"], safe=" =:/'(),")
        for name in PIECES
    }
    # Pieces are at no address beside a script that may lie anywhere.
    own[f"{WEB_FOLDER}/addresses.js"] = (
        f"export const PIECES = {json.dumps(pieces)};\n"
        "export const pieceAddress = (man) => PIECES[man];\n"
        "export const letterAddress = pieceAddress;\n"
    )
    return _HEAD + bundled(f"{WEB_FOLDER}/{_ENDING}", texts | own)


def draw_piece(name: str) -> str:
    """Return the picture of a man as SVG, by its colour and letter, like ``wK``."""
    return chess.svg.piece(chess.Piece.from_symbol(_sign(name)))


def _sign(name: str) -> str:
    """Return the sign of a man in a FEN."""
    return name[1] if name[0] == "w" else name[1].lower()


def _marked(page: str, root: str) -> str:
    """Return a page of the server as one that answers from published tables.

    Elements of the class ``served`` are left out, such as links into the API. Folders are named by
    their pages, since some hosts show no page for a folder.
    """
    page = _SERVED.sub("", page)
    marks = {
        '<html lang="en">': f'<html lang="en" {MARK}>',
        "</head>": f'<link rel="manifest" href="{root}manifest.webmanifest">\n</head>',
    }
    for folder in ('href="../"', 'href="../#'):
        marks[folder] = folder.replace("../", "../index.html")
    for sign, marked in marks.items():
        page = page.replace(sign, marked)
    return page
