"""The data card of a Parquet file: its columns and its origin, for those who get the file."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from tablebase.core.storage.atomic import write_text

_MEANINGS = {
    "material": "the pieces, White's first",
    "white_to_move": "whether White is to move",
    "dtm": "distance to mate in plies: positive if the side to move wins, negative if it loses, "
    "0 for a draw or a checkmate",
    "wdl": "result for the side to move: 1 for a win, 0 for a draw, -1 for a loss",
    "dtz": "distance to zeroing in plies: to the next capture, pawn move or mate; signed like dtm, "
    "-1 in checkmate, and 100 more for what the 50-move rule turns into a draw",
    "wdl50": "result under the 50-move rule: 2 for a win, 1 for a cursed win, 0 for a draw, -1 for "
    "a blessed loss, -2 for a loss",
    "difficulty": "how hard the position is for the side to move, from 0 to 1",
    "orbit": "number that the position shares with its mirror images and exchanged colours alone",
    "split": "train, valid or test, by the orbit",
    "keeping": "moves that keep the result, without the 50-move rule",
    "fastest": "moves among them that mate fastest, or are mated latest",
    "help_white": "plies of White's shortest helpmate, -1 if White can never mate",
    "help_black": "plies of Black's shortest helpmate, -1 if Black can never mate",
    "checks_white": "checks that White has left to give",
    "checks_black": "checks that Black has left to give",
    "fen": "the position as a FEN",
}


def card_path(path: Path) -> Path:
    """Return the path of the card of a Parquet file."""
    return path.with_name(f"{path.name}.md")


def write_card(path: Path, rows: int) -> None:
    """Write the card of a Parquet file of positions beside it, from its schema."""
    schema = import_module("pyarrow.parquet").read_schema(path)
    origin = {key.decode(): value.decode() for key, value in schema.metadata.items()}
    columns = [f"| `{one.name}` | {_type_of(one.type)} | {_meaning(one.name)} |" for one in schema]
    stated = [f"| `{key}` | {value} |" for key, value in origin.items()]
    name = f"{origin['material']} of {origin['rules_name']}"
    lines = [
        f"# {name}: positions with exact values",
        "",
        f"{rows:,} positions, computed and not estimated.",
        "",
        *("| column | type | meaning |", "|---|---|---|", *columns, ""),
        "Where the values come from:",
        "",
        *("| key | value |", "|---|---|", *stated, ""),
        "Please cite chess-tablebase, as `CITATION.cff` of its source says.",
    ]
    write_text(card_path(path), "\n".join(lines) + "\n")


def _type_of(kind: Any) -> str:
    """Return a type of Arrow without the encoding of its words."""
    is_list, is_encoded = hasattr(kind, "value_field"), hasattr(kind, "index_type")
    if is_list:
        return f"list of {_type_of(kind.value_type)}"
    return str(kind.value_type if is_encoded else kind)


def _meaning(column: str) -> str:
    return _MEANINGS.get(column, f"square of the {column.replace('_', ' ')}")
