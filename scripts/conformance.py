"""Make the conformance suite: positions on which readers of tablebases went wrong, and the answers.

Usage: python scripts/conformance.py --dir TABLES [--men N]

Writes data/conformance/positions.jsonl and positions.epd, or with --men prints the lines of up to N
men. TABLES has all tables of up to five men, with both distances. Hand-picked positions are in
conformance.tsv, all others are the first that the searches below find, each with a seed of its own.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import chess

from tablebase import Tablebase, open_tablebase
from tablebase.core.answers.known import look_up
from tablebase.core.ground.streams import reader_may_leave
from tablebase.core.positions.any_position import as_position
from tablebase.core.positions.chess_board import material_of
from tablebase.core.rules.material import generation_order

Boards = Callable[[str, random.Random], chess.Board]
FOLDER = Path(__file__).parents[1] / "data" / "conformance"
PICKED = Path(__file__).with_suffix(".tsv")
RESULTS = {2: "win", 1: "cursed-win", 0: "draw", -1: "blessed-loss", -2: "loss"}
WITHOUT_VALUE = "no-value"
EXCHANGED = "colours-exchanged"
ODD = "fen-oddity"
MOST_TRIED = 1_000_000
MOST_OF_TABLES = 5


class Case:
    """A position and what tables know of it, asked for once."""

    def __init__(self, tables: Tablebase, board: chess.Board) -> None:
        self.tables = tables
        self.board = board

    @cached_property
    def known(self) -> Any:
        """All values of the position and of its moves."""
        return look_up(self.tables, as_position(self.board))

    @cached_property
    def keeping(self) -> list[chess.Move]:
        """Moves that keep the result without the 50-move rule."""
        return [one.move for one in self.known.moves if one.wdl == self.known.wdl]

    @cached_property
    def keeping_rule50(self) -> list[chess.Move]:
        """Moves that keep one of the five results under the rule."""
        return [one.move for one in self.known.moves if one.result == self.known.wdl50]

    @cached_property
    def en_passant(self) -> list[chess.Move]:
        """Captures en passant."""
        return [move for move in self.board.legal_moves if self.board.is_en_passant(move)]

    def after(self, move: chess.Move) -> chess.Board:
        """Return the position after a move."""
        board = self.board.copy(stack=False)
        board.push(move)
        return board

    def without_rights(self) -> Any:
        """Return the values without castling and en passant."""
        board = self.board.copy(stack=False)
        board.ep_square, board.castling_rights = None, chess.BB_EMPTY
        return Case(self.tables, board).known

    def mates_by_zeroing(self) -> bool:
        """Whether a capture or a pawn move mates."""
        board = self.board
        moves = [move for move in board.legal_moves if board.is_zeroing(move)]
        return any(self.after(move).is_checkmate() for move in moves)


def anywhere(men: str, rng: random.Random) -> chess.Board:
    """Return men on squares by chance, like "KR k"; the position may be illegal."""
    board = chess.Board(None)
    for letter in men.replace(" ", ""):
        squares = range(8, 56) if letter in "Pp" else range(64)
        free = [square for square in squares if not board.piece_at(square)]
        board.set_piece_at(rng.choice(free), chess.Piece.from_symbol(letter))
    board.turn = rng.random() < 0.5
    return board


def passed(men: str, rng: random.Random) -> chess.Board:
    """Return men by chance, with a pawn of each side where White may capture en passant."""
    file = rng.randrange(8)
    left, right = file - 1, file + 1
    beside = rng.choice([one for one in (left, right) if 0 <= one < 8])
    board = anywhere(men.replace("P", "", 1).replace("p", "", 1), rng)
    board.turn = chess.WHITE
    for square, letter in ((file + 32, "p"), (beside + 32, "P")):
        board.set_piece_at(square, chess.Piece.from_symbol(letter))
    board.ep_square = file + 40
    taken = board.piece_at(file + 40) or board.piece_at(file + 48)
    return chess.Board(None) if taken else board


def cornered(men: str, rng: random.Random) -> chess.Board:
    """Return men as `passed` does, with Black's king on the last rank."""
    board = passed(men.replace("k", ""), rng)
    board.set_piece_at(rng.randrange(56, 64), chess.Piece.from_symbol("k"))
    return board


def blocked(men: str, rng: random.Random) -> chess.Board:
    """Return men as `passed` does, with Black's king in front of White's pawn."""
    board = passed(men.replace("K", "").replace("k", ""), rng)
    for square in chess.scan_forward(board.pieces_mask(chess.PAWN, chess.WHITE)):
        board.set_piece_at(square + 8, chess.Piece.from_symbol("k"))
    board.set_piece_at(rng.randrange(8), chess.Piece.from_symbol("K"))
    return board


def promoting(men: str, rng: random.Random) -> chess.Board:
    """Return men by chance, with White to move and a white pawn on the seventh rank."""
    board = anywhere(men.replace("P", "", 1), rng)
    board.turn = chess.WHITE
    square = rng.randrange(48, 56)
    taken = board.piece_at(square)
    board.set_piece_at(square, chess.Piece.from_symbol("P"))
    return chess.Board(None) if taken else board


def castled(men: str, rng: random.Random) -> chess.Board:
    """Return men by chance, with White's king and a rook at home and the right to castle."""
    board = anywhere(men.replace("K", "", 1).replace("R", "", 1), rng)
    home = rng.choice((chess.A1, chess.H1))
    board.set_piece_at(chess.E1, chess.Piece.from_symbol("K"))
    board.set_piece_at(home, chess.Piece.from_symbol("R"))
    board.castling_rights = 1 << home
    return board


def shuffled(men: str, rng: random.Random) -> chess.Board:
    """Return men as `castled` does, on other squares of the first rank, as in Chess960."""
    board = anywhere(men.replace("K", "", 1).replace("R", "", 1), rng)
    board.chess960 = True
    king = rng.randrange(1, 7)
    rook = rng.choice([file for file in range(8) if file != king])
    board.set_piece_at(king, chess.Piece.from_symbol("K"))
    board.set_piece_at(rook, chess.Piece.from_symbol("R"))
    board.castling_rights = 1 << rook
    return board


@dataclass(frozen=True)
class Search:
    """The first positions of some men, by chance, that are as wanted."""

    kind: str
    men: str  # several sets, each searched
    count: int  # of each set
    wanted: Callable[[Case], bool]
    why: str
    boards: Boards = anywhere
    clock: int = 0
    status: chess.Status = field(default=chess.STATUS_VALID)

    def found(self, tables: Tablebase, men: str) -> Iterator[Case]:
        """Yield the positions of one set of men, never the same twice."""
        seed = f"{self.kind} {men} {self.clock} {self.why}"
        letters = men.replace(" ", "")
        rng, seen = random.Random(seed), set()
        for _ in range(MOST_TRIED):
            board = self.boards(men, rng)
            board.halfmove_clock = self.clock
            # A man may have been put on another one.
            if board.status() & ~self.status or len(board.piece_map()) != len(letters):
                continue
            case = Case(tables, board)
            if self.wanted(case) and key_of(board) not in seen:
                seen.add(key_of(board))
                yield case
                if len(seen) == self.count:
                    return
        raise ValueError(f"found {len(seen)} of {self.count}: {seed}")


def decides(case: Case) -> bool:
    """Whether a right changes the result."""
    return bool(case.without_rights().wdl != case.known.wdl)


def is_pinned(case: Case) -> bool:
    """Whether each en passant capture would leave the king in check."""
    moves = list(case.board.generate_pseudo_legal_ep())
    return bool(moves) and not case.en_passant and not case.board.is_check()


def is_promotion_to(letters: str) -> Callable[[Case], bool]:
    """Return whether each move that keeps a win or draw promotes to one of some pieces."""
    pieces = {chess.Piece.from_symbol(letter).piece_type for letter in letters}

    def is_it(case: Case) -> bool:
        board = case.board
        seventh = chess.BB_RANK_7 if board.turn else chess.BB_RANK_2
        if not board.pieces_mask(chess.PAWN, board.turn) & seventh or board.is_game_over():
            return False
        return case.known.wdl >= 0 and {move.promotion for move in case.keeping} <= pieces

    return is_it


def has(wdl50: int, dtz: int) -> Callable[[Case], bool]:
    """Return whether a position has a result under the rule and a distance to zeroing."""
    return lambda case: case.known.dtz == dtz and case.known.wdl50 == wdl50


def both_sides_decided(case: Case) -> bool:
    """Whether the result is no draw, whichever side is to move."""
    other = case.board.copy(stack=False)
    other.turn = not other.turn
    if not other.is_valid() or case.known.wdl == 0:
        return False
    return bool(Case(case.tables, other).known.wdl)


def same_colour(case: Case) -> bool:
    """Whether all bishops stand on squares of one colour."""
    bishops = case.board.bishops
    return not bishops & chess.BB_DARK_SQUARES or not bishops & chess.BB_LIGHT_SQUARES


PINNED = "The capture en passant would leave the king in check, so the right has no effect."
STORED = "A reader of a table that stores one side to move must look one move ahead for the other."
SYMMETRIC = "Both sides have the same men: the colours have to be exchanged before the look-up."
ROUNDED = "The distance has the parity of the other side's zeroing move; a file that counts in moves, or a reader that adds a ply, gives another number."  # noqa: E501
SEARCHES = [
    Search("en-passant-two-captures", "KPP kp", 8, lambda c: len(c.en_passant) == 2,
           "Both pawns may capture en passant; each capture has a value of its own.", passed),
    Search("en-passant-pinned", "KP krp|KP kqp|KP kbp", 3, is_pinned, PINNED, passed),
    Search("en-passant-out-of-check", "KP kp", 10,
           lambda c: c.board.is_check() and len(c.en_passant) > 0,
           "The pawn that gives check may be captured en passant.", passed),
    Search("en-passant-mate", "KQP kp|KRP kp", 3,
           lambda c: any(c.after(move).is_checkmate() for move in c.en_passant),
           "The capture en passant mates.", cornered),
    Search("en-passant-stalemate", "KPP kp|KQP kp|KRP kp", 2,
           lambda c: any(c.after(move).is_stalemate() for move in c.en_passant),
           "The capture en passant leaves the other side stalemated.", cornered),
    Search("en-passant-only-move", "KP kqp", 8,
           lambda c: c.board.legal_moves.count() == len(c.en_passant) == 1,
           "The capture en passant is the only legal move; a reader that forgets it sees checkmate or stalemate.",  # noqa: E501
           blocked),
    Search("en-passant-decides", "KP kp", 14, lambda c: bool(c.en_passant) and decides(c),
           "With the right the result is another than without it.", passed),
    Search("en-passant-decides", "KRP kp|KP krp|KPP kp", 2,
           lambda c: bool(c.en_passant) and decides(c),
           "With the right the result is another than without it.", passed),
    Search("castling", "KR k", 6,
           lambda c: c.without_rights().dtm != c.known.dtm,
           "The right to castle changes the distance to mate.", castled),
    Search("castling", "KR kb|KR kn|KR kq|KR kr|KR kp", 3, decides,
           "The right to castle changes the result.", castled),
    Search("chess960", "KR k", 4, lambda c: c.without_rights().dtm != c.known.dtm,
           "The right to castle changes the distance; a castle move is king takes rook.", shuffled),
    Search("chess960", "KR kb|KR kn|KR kp", 2, decides,
           "The right to castle changes the result; a castle move is king takes rook.", shuffled),
    *(Search("fifty-moves", men, 2, has(*value), why, clock=clock) for clock, men, value, why in (
        (97, "KR k|KQ k|KRN k", (2, 3), "3 plies and a clock of 97 make 100, which is in time."),
        (97, "KR k|KQ k", (-1, -4), "4 plies and a clock of 97 make 101: a ply too late."),
        (98, "KR k|KQ k|KP k", (-2, -2), "2 plies and a clock of 98 make 100, which is in time."),
        (98, "KR k|KQ k", (1, 3), "3 plies and a clock of 98 make 101: a ply too late."),
        (99, "KR k|KQ k|KP k", (2, 1), "The 100th ply mates or sets the clock to 0, in time."),
        (99, "KR k|KQ k", (-1, -2), "2 plies and a clock of 99 make 101: a ply too late."),
        (100, "KR k|KP k", (1, 1), "At a clock of 100 a draw can be claimed before the move."),
        (100, "KR k|KQ k", (-2, -1), "Checkmate on the board comes before the 50-move rule."),
        (101, "KR k|KQ k", (1, 1), "At a clock of 100 or more a draw can be claimed at once."),
        (101, "KRN k|KQ k", (-2, -1), "Checkmate on the board comes before the 50-move rule."),
    )),
    Search("fifty-moves", "KP k|KP kp", 4,
           lambda c: not c.board.is_game_over() and len(c.keeping_rule50) < len(c.keeping),
           "Other moves win as well, but after them the 50-move rule comes first.", clock=98),
    Search("mate-and-zeroing", "KP k|KR kn|KQ kr|KR kp|KP kp", 2, Case.mates_by_zeroing,
           "A move mates and sets the clock to 0: distance 1 by both counts, in time even at 99.",
           clock=99),
    Search("dtz-rounding", "KR kp|KQ kp", 6,
           lambda c: c.known.wdl > 0 and c.known.dtz % 2 == 0, ROUNDED),
    Search("dtz-rounding", "KR kp|KQ kp", 3,
           lambda c: c.known.wdl < 0 and c.known.dtz % 2 == 1 and c.known.dtz < -1, ROUNDED),
    Search("one-sided-table", "KR k|KQ k|KRN k|KBN k|KQ kr|KR kn", 2, both_sides_decided, STORED),
    Search("symmetric-table", "KP kp|KR kr|KQ kq", 4, both_sides_decided, SYMMETRIC),
    Search("underpromotion", "KP k", 3, is_promotion_to("R"),
           "Only a rook wins: a queen stalemates.", promoting),
    Search("underpromotion", "KP kr", 2, is_promotion_to("N"),
           "Each move that keeps the result promotes to a knight.", promoting),
    Search("insufficient-material", "KB kb", 2, same_colour,
           "Bishops on squares of one colour never mate."),
    Search("insufficient-material", "KNN k|KB kn|KN kn", 2,
           lambda c: c.known.wdl == 0 and c.board.legal_moves.count() > 0,
           "Mates exist, so the material does not suffice by force only: a draw by the table."),
    Search("checkmate", "KR k|KQ k|KRN k|KQ kr", 2, lambda c: c.board.is_checkmate(),
           "The side to move is checkmated, and no table is needed."),
    Search("stalemate", "KR k|KQ k|KP k|KRN k", 2, lambda c: c.board.is_stalemate(),
           "The side to move has no move and is not in check: a draw, and no table is needed."),
    Search("impossible-history", "KRR k|KQQ k", 4,
           lambda c: c.board.status() != chess.STATUS_VALID and c.board.legal_moves.count() > 0,
           "No last move can give this check, but the position is in the tables and has a value.",
           status=chess.STATUS_IMPOSSIBLE_CHECK),
    Search("promoted-pieces", "KBB k", 4, same_colour,
           "Bishops on squares of one colour cannot mate, however many there are."),
    Search("promoted-pieces", "KQQ k|KNNN k|KRRR k|KBBB k", 2,
           lambda c: c.known.wdl != 0 and c.known.dtm != 0,
           "One of these pieces was a pawn; the value does not depend on it."),
]  # fmt: skip


def key_of(board: chess.Board) -> tuple[Any, ...]:
    """Return what all images of a position share; the clock counts, but no number of moves."""
    images: list[chess.Board] = []
    for one in (board, board.mirror()):
        images.append(one)
        if one.castling_rights:
            continue
        flips = [chess.flip_horizontal]
        if not one.pawns:
            flips += [chess.flip_vertical, chess.flip_diagonal]
        for flip in flips:
            for image in images[:]:
                images.append(image.transform(flip))
                if image.ep_square is not None:
                    images[-1].ep_square = image.ep_square ^ 7
    return min((one.board_fen(), one.turn, one.castling_xfen(), str(one.ep_square),
                one.halfmove_clock) for one in images)  # fmt: skip


def needs(board: chess.Board) -> list[str]:
    """Return the materials whose tables a reader may need; none where the rules decide."""
    if board.is_checkmate() or board.is_stalemate():
        return []
    return [one.name for one in generation_order([material_of(board)]) if one.name != "KK"]


def ucis(moves: Iterable[chess.Move], board: chess.Board) -> list[str]:
    """Return moves in UCI notation, sorted."""
    return sorted(board.uci(move) for move in moves)


def row(kind: str, case: Case, *, fen: str, source: str, why: str) -> dict[str, Any]:
    """Return a line of the suite, without its number."""
    board, men = case.board, chess.popcount(case.board.occupied)
    line: dict[str, Any] = {"id": "", "kind": kind, "fen": fen, "men": men, "needs": [],
        "legal": None, "wdl": None, "wdl50": None, "dtm": None, "dtz": None, "keeping": None,
        "keeping_rule50": None, "fastest_dtm": None, "fastest_dtz": None,
        "source": source, "why": why}  # fmt: skip
    if kind == WITHOUT_VALUE:
        return line
    line["legal"] = ucis(board.legal_moves, board)
    if men > MOST_OF_TABLES:
        line |= by_rules(board)
        return line
    known = case.known
    line |= {
        "needs": needs(board), "wdl": RESULTS[2 * known.wdl], "wdl50": RESULTS[known.wdl50],
        "dtm": known.dtm, "dtz": known.dtz, "keeping": ucis(case.keeping, board),
        "keeping_rule50": ucis(case.keeping_rule50, board),
    }  # fmt: skip
    if known.wdl and known.moves:
        for name in ("dtm", "dtz"):
            best = getattr(known, name)
            line[f"fastest_{name}"] = ucis(
                (one.move for one in known.moves if getattr(one, name) == best), board
            )
    return line


def by_rules(board: chess.Board) -> dict[str, Any]:
    """Return what the rules alone say of a position: it is over, drawn, or has a mate in one."""
    moves = list(board.legal_moves)
    mates = [move for move in moves if Case.after(Case(None, board), move).is_checkmate()]
    if mates:
        return {"wdl": "win", "wdl50": "win", "dtm": 1, "dtz": 1, "fastest_dtm": ucis(mates, board)}
    if board.is_checkmate():
        return {"wdl": "loss", "wdl50": "loss", "dtm": 0, "dtz": -1,
                "keeping": [], "keeping_rule50": []}  # fmt: skip
    if board.is_stalemate() or board.is_insufficient_material():
        kept = ucis(moves, board)
        return {"wdl": "draw", "wdl50": "draw", "dtm": 0, "dtz": 0,
                "keeping": kept, "keeping_rule50": kept}  # fmt: skip
    raise ValueError(f"the rules do not decide {board.fen()}")


def read(text: str, kind: str) -> chess.Board:
    """Return the board that a FEN means; rights that cannot be are dropped."""
    board = chess.Board(text, chess960=kind == "chess960")
    board.castling_rights = board.clean_castling_rights()
    if board.ep_square is not None and not board.has_pseudo_legal_en_passant():
        board.ep_square = None
    return board


def fen_of(board: chess.Board) -> str:
    """Return the FEN of a position, that of Chess960 with the rooks' files."""
    return board.shredder_fen() if board.chess960 else board.fen(en_passant="fen")


def rows(tables: Tablebase, men: int) -> list[dict[str, Any]]:
    """Return the lines of up to some men: kinds in order, in each few men before many."""
    found: dict[str, list[dict[str, Any]]] = {}

    def add(line: dict[str, Any]) -> None:
        found.setdefault(line["kind"], []).append(line)

    for text in PICKED.read_text(encoding="utf-8").splitlines():
        if text.startswith("#") or not text:
            continue
        kind, fen, source, why = text.split("\t")
        if len(chess.Board(fen).piece_map()) <= men:
            case = Case(tables, read(fen, kind))
            add(row(kind, case, fen=fen, source=source, why=why))
    for search in SEARCHES:
        for letters in search.men.split("|"):
            if len(letters.replace(" ", "")) > men:
                continue
            for case in search.found(tables, letters):
                fen = fen_of(case.board)
                add(row(search.kind, case, fen=fen, source="own", why=search.why))
    lines = []
    for kind in [*found]:
        different: dict[Any, dict[str, Any]] = {}
        for line in sorted(found[kind], key=lambda line: int(line["men"])):
            is_text = kind in {ODD, WITHOUT_VALUE}
            different.setdefault(line["fen"] if is_text else key_of(read(line["fen"], kind)), line)
        lines += different.values()
    lines += list(exchanged(tables, lines))
    lines.sort(key=lambda line: str(line["kind"]))
    numbers: dict[str, int] = {}
    for line in lines:
        kind = line["kind"]
        numbers[kind] = numbers.get(kind, 0) + 1
        line["id"] = f"{kind}-{numbers[kind]:02}"
    return lines


def exchanged(tables: Tablebase, lines: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the first position of each kind with the colours exchanged."""
    seen, kinds = set(), {ODD, WITHOUT_VALUE, "chess960"}
    for line in lines:
        if line["kind"] in kinds or line["men"] > MOST_OF_TABLES:
            continue
        kinds.add(line["kind"])
        board = read(line["fen"], line["kind"]).mirror()
        if key_of(board) not in seen:
            seen.add(key_of(board))
            why = f"The same with the colours exchanged. {line['why']}"
            case = Case(tables, board)
            yield row(EXCHANGED, case, fen=fen_of(board), source=line["source"], why=why)


def epd_of(line: dict[str, Any]) -> str:
    """Return a line as EPD, with the values as comments and what keeps the result as best moves."""
    fields = line["fen"].split()
    clocks = [int(one) for one in [*fields[4:], "0", "1"][:2]] if len(fields) != 5 else [0, 1]
    operations = [f"hmvc {clocks[0]};", f"fmvn {clocks[1]};", f'id "{line["id"]}";']
    shown = (line["kind"], line["wdl"], line["wdl50"], line["dtm"], line["dtz"])
    operations += [f'c{i} "{one}";' for i, one in enumerate(shown) if one is not None]
    kept = line["keeping_rule50"]
    if kept and kept != line["legal"] and line["kind"] != "chess960":
        board = read(line["fen"], line["kind"])
        best = " ".join(sorted(board.san(board.parse_uci(move)) for move in kept))
        operations.insert(0, f"bm {best};")
    return " ".join([*fields[:4], *operations])


@reader_may_leave()
def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dir", type=Path, required=True, help="folder of tables")
    parser.add_argument(
        "--men", type=int, metavar="N", help="print the lines of positions with at most N men"
    )
    arguments = parser.parse_args()
    with open_tablebase(arguments.dir) as tables:
        lines = rows(tables, arguments.men or 64)
    texts = "".join(f"{json.dumps(line)}\n" for line in lines)
    if arguments.men:
        sys.stdout.write(texts)
        return 0
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "positions.jsonl").write_text(texts, encoding="utf-8")
    epds = "".join(f"{epd_of(line)}\n" for line in lines)
    (FOLDER / "positions.epd").write_text(epds, encoding="utf-8")
    print(f"{len(lines)} positions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
