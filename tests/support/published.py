"""Published tables, read by the reader in JavaScript, in node."""

import json
import subprocess
from pathlib import Path
from shutil import copyfile, which

import chess
import h5py
import numpy as np
import pytest
from support.random_positions import random_board

from tablebase.core.board.geometry import PieceType
from tablebase.core.positions.chess_position import ChessPosition
from tablebase.core.rules.rules import CHESS
from tablebase.core.storage.reading import open_table
from tablebase.publish import publication
from tablebase.publish.game_data import numbering_record
from tablebase.publish.own_files import checked_text
from tablebase.publish.publication import publish_tables
from tablebase.publish.table_index import index_record
from tablebase.publish.table_records import list_record

SCRIPTS = Path(__file__).parent
needs_node = pytest.mark.skipif(which("node") is None, reason="needs node, 20 or later")


def publish(sources, target, **options):
    """Publish table files with the pages; return the folder of publication."""
    publish_tables(sources, target, **options)
    return target


def publish_tables_alone(folder, target, rules=CHESS, *, check=False):
    """Write what the reader needs of a folder of tables, quickly; return its address.

    There are no pages, figures and exercises. Without `check` the indexes state no checksums of
    files, as those of a server.
    """
    target.mkdir(parents=True)
    summaries = []
    for path in sorted((Path(folder) / rules.folder).glob("[A-Z]*.h5")):
        with open_table(path) as file:
            index, parts = index_record(file, check=check)
            names = [metric.name for metric in file.metrics]
        summaries.append({"material": path.stem, "bytes": path.stat().st_size, "metrics": names})
        copyfile(path, target / path.name)
        for name, record in (parts | {f"{path.stem}.json": index}).items():
            write_checked(target / name, record)
    write_checked(target / "numbering.json", numbering_record(rules))
    write_checked(target / "tables.json", list_record(summaries, rules))
    return f"{target.resolve().as_uri()}/"


def publish_values(sources, target, **options):
    """Publish table files without what takes passes over them or probes them."""
    with pytest.MonkeyPatch.context() as patch:
        none = {"material": "", "survey": None, "difficult": None, "levels": [[]]}
        patch.setattr(publication, "survey_record", lambda path, _: none | {"material": path.stem})
        patch.setattr(publication, "exercises_record", lambda _, men: none | {"material": men.name})
        return publish(sources, target, **options)


def write_checked(path, content):
    """Write a record with its checksum, as a file of publication has it."""
    path.write_text(checked_text(content), encoding="utf-8")


def tables_in(folder):
    return [path for path in sorted(Path(folder).glob("[A-Z]*.h5")) if path.stem != "KK"]


def built_later(path):
    """Replace a table file by one of the same size but another time of build; return its bytes."""
    data = path.read_bytes()
    path.unlink()  # others may be links to it
    path.write_bytes(data)
    with h5py.File(path, "r+") as file:
        created = file.attrs["created"]
        file.attrs.modify("created", np.bytes_(b"9%b" % created[1:]))
    assert path.stat().st_size == len(data)
    return path.read_bytes()


def in_node(script, *arguments, lines=()):
    """Run a script in node on lines of input; return its output."""
    done = subprocess.run(
        ["node", SCRIPTS / script, *arguments],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def address_of(folder):
    """Return the address of the tables in a folder of publication, as a file."""
    return f"{(Path(folder) / 'tables').resolve().as_uri()}/"


def probed(address, fens, **options):
    """Return the answers of the reader to some FENs."""
    lines = in_node("probe_published.mjs", address, json.dumps(options), lines=fens)
    return [json.loads(line) for line in lines]


def as_the_reader_answers(board, known):
    """Return what the reader has to answer, from what Python knows of a position."""

    def of(one):
        wdl50 = None if one.wdl50 is None else int(one.wdl50)
        return {"wdl": int(one.wdl), "wdl50": wdl50, "dtm": one.dtm, "dtz": one.dtz}

    moves = [
        {
            "uci": one.move.uci(),
            "san": board.san(one.move),
            "mate": one.mate,
            "zeroing": one.zeroing,
            **of(one),
        }
        for one in known.moves
    ]
    return {
        "fen": board.fen(),
        "check": board.is_check(),
        "checkmate": board.is_checkmate(),
        "stalemate": board.is_stalemate(),
        "end": ChessPosition(board).end,
        **of(known),
        "moves": moves,
    }


def random_boards(rng, materials, count):
    """Return random positions of materials, either side the stronger one, with halfmove clocks.

    One in eight has a legal en passant capture where the materials allow it.
    """
    both = [one for one in materials if all(PieceType.PAWN in side for side in sides_of(one))]
    boards = []
    for number in range(count):
        passing = bool(both) and number % 8 == 0
        material = rng.choice(both if passing else materials)
        draw = board_with_passing if passing else random_board
        board = draw(rng, rng.choice((material, material.swapped())))
        board.halfmove_clock = 0 if passing else rng.choice((0, 0, 0, 20, 60, 99, 100, 120))
        boards.append(board)
    return boards


def sides_of(material):
    return material.white, material.black


def board_with_passing(rng, material):
    """Return a random position with a legal en passant capture."""
    men = [chess.Piece(kind, color == 0) for color, kind in material.men]
    while True:
        board = chess.Board(None)
        board.turn = rng.random() < 0.5
        file, side = rng.randrange(8), rng.choice((-1, 1))
        if not 0 <= file + side < 8:
            continue
        rank = 4 if board.turn else 3
        pawns = {
            chess.square(file, rank): chess.Piece(chess.PAWN, not board.turn),
            chess.square(file + side, rank): chess.Piece(chess.PAWN, board.turn),
        }
        others = men.copy()
        for man in pawns.values():
            others.remove(man)
        free = [square for square in chess.SQUARES if square not in pawns]
        pawns |= dict(zip(rng.sample(free, len(others)), others, strict=True))
        board.set_piece_map(pawns)
        board.ep_square = chess.square(file, rank + (1 if board.turn else -1))
        if board.is_valid() and board.has_legal_en_passant():
            return board


def kinds_of(boards):
    """Return how many of some positions have each property that is easily forgotten."""
    return {
        "en passant": sum(board.has_legal_en_passant() for board in boards),
        "promotion": sum(any(one.promotion for one in board.legal_moves) for board in boards),
        "checkmate": sum(board.is_checkmate() for board in boards),
        "stalemate": sum(board.is_stalemate() for board in boards),
    }
