"""The games of a PGN: a fault of one game is named, and hides no other game."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TextIO, cast

import chess
import chess.pgn

from tablebase.core.ground.errors import UnsupportedPositionError
from tablebase.core.ground.words import quoted
from tablebase.core.positions.chess_position import ChessPosition
from tablebase.core.positions.chess_variants import (
    boards_of_games,
    drop_idle_rights,
    read_game_board,
)

_TAG = chess.pgn.TAG_REGEX
_ESCAPES = "%", ";"  # what a line begins with that is no part of the moves
_TOKENS = re.compile(
    r"^%[^\n]*|\{[^}]*\}?|;[^\n]*|[()*]|\$[0-9]+|[?!]{1,2}|[^\s(){};$?!*]+", re.MULTILINE
)
_NUMBER = re.compile(r"\A(?!0000\Z)(?:[0-9]*[.…]+|[0-9]+\Z)")
_MOVE = re.compile(
    r"(?:[PNBRQK]?[a-h]?[1-8]?[-x]?[a-h][1-8](?:=?[nbrqkNBRQK])?|[PNBRQK]?@[a-h][1-8]"
    r"|O-O(?:-O)?|0-0(?:-0)?)(?:e\.?p\.?)?\W*|--|Z0|0000|@@@@",
    re.ASCII,
)
_RESULTS = {"*", "1-0", "0-1", "1/2-1/2"}
# A draw; of a move before it: en passant; a novelty, a diagram or a remark, as programs write them.
_REMARKS = {"1/2", "½-½", "½", "e.p.", "ep", "N", "TN", "D", "RR"}
_MEANS_SOMETHING = re.compile(r"[^\W_]")
# Takes the place of a word that python-chess would overlook, or read a part of. No king is dropped.
_UNREADABLE = "K@a1"
_MOST_LETTERS = 20  # of such a word in a message
_MOST_DIGITS = 9  # of a mark


@dataclass
class GameText:
    """The text of a game, lines without line ends."""

    tags: list[str] = field(default_factory=list)
    moves: list[str] = field(default_factory=list)
    is_open: bool = False  # its last comment has no end

    def __str__(self) -> str:
        """Return the PGN of the game, as it came, but for a comment without end."""
        moves = "\n".join(self.moves).rstrip() + " }" * self.is_open
        return "\n\n".join(filter(None, ("\n".join(self.tags), moves)))


class _Lines:
    """The lines of a game as python-chess reads them, with each word of the moves on its own.

    `unreadable` is the word for which the last line stands if it is `_UNREADABLE`.
    """

    def __init__(self, game: GameText) -> None:
        self.unreadable = ""
        self._lines = self._each(game)

    def readline(self) -> str:
        """Return the next line, an empty text after the last line."""
        line = next(self._lines, None)
        return "" if line is None else f"{line}\n"

    def _each(self, game: GameText) -> Iterator[str]:
        yield from game.tags
        yield ""
        depth = 0  # of variations, which have no results
        for part in _TOKENS.findall("\n".join(game.moves) + "}" * game.is_open):
            depth = max(0, depth + (part == "(") - (part == ")"))
            word = _NUMBER.sub("", part)
            if word in _RESULTS:
                if not depth:
                    yield word
            elif len(part) > _MOST_DIGITS and part[0] == "$":
                self.unreadable = part[:_MOST_LETTERS]
                yield _UNREADABLE
            elif part[0] in "{()$?!" or _MOVE.fullmatch(word):
                yield word
            elif part[0] not in _ESCAPES and word not in _REMARKS and _MEANS_SOMETHING.search(word):
                self.unreadable = word[:_MOST_LETTERS]
                yield _UNREADABLE


class _Writer(chess.pgn.StringExporter):
    """Ends the moves with a result, whatever the tag has: ``{`` would begin a comment."""

    def visit_result(self, result: str) -> None:
        super().visit_result(result if result in _RESULTS else "*")


def split_games(lines: Iterable[str]) -> Iterator[GameText]:
    """Yield the games of a PGN, with any empty lines between tags and moves.

    A game ends with an empty line after its moves, or where the next tags begin; so does a comment
    without end, if an empty line comes before these tags.
    """
    game, is_blank = GameText(), False
    for one in lines:
        line = one.rstrip("\r\n").lstrip("\ufeff")
        text = line.strip()
        after_blank, is_blank = is_blank, not text
        is_tag = text.startswith("[") and bool(_TAG.match(text))
        if game.is_open and not (is_tag and after_blank):
            game.moves.append(line)
            game.is_open = _is_open_after(line, is_open=True)
        elif text.startswith(_ESCAPES):
            if game.moves:
                game.moves.append(text)
        elif is_tag or (text.startswith("[") and not game.moves):
            if game.moves or (after_blank and _name_of(text) in map(_name_of, game.tags)):
                yield game
                game = GameText()
            game.tags.append(text)
        elif is_blank:
            if game.moves:
                yield game
                game = GameText()
        elif game.tags and not (game.moves or after_blank or game.tags[-1].endswith("]")):
            game.tags[-1] += f" {text}"
        else:
            game.moves.append(line)
            game.is_open = _is_open_after(line, is_open=False)
    if game.tags or game.moves:
        yield game


def _is_open_after(line: str, *, is_open: bool) -> bool:
    """Return whether a comment is open at the end of a line, from whether one is at its start."""
    for sign in re.findall("[{};]", line):
        if sign == ";" and not is_open:
            return False
        is_open = sign == "{" or (sign == ";" and is_open)
    return is_open


def _name_of(tag: str) -> str:
    return tag.split(maxsplit=1)[0]


def read_game(text: GameText, *, most_moves: int | None = None) -> chess.pgn.Game:
    """Return a game; `ValueError` if it has more than `most_moves`, variations included.

    What cannot be read, words that are not PGN included, is in the game's ``errors``, and not in a
    log; its line ends there.
    """
    lines = _Lines(text)

    class Builder(chess.pgn.GameBuilder[chess.pgn.Game]):
        moves = 0
        has_begun = False  # its tags are read

        def visit_board(self, board: chess.Board) -> None:
            self.has_begun = True
            drop_idle_rights(board)
            super().visit_board(board)

        def handle_error(self, error: Exception) -> None:
            self.game.errors.append(
                error if self.has_begun else _fault_of(self.game.headers, error)
            )

        def visit_header(self, tagname: str, tagvalue: str) -> None:
            # Without its position, a game that begins elsewhere has no legal move.
            super().visit_header("FEN" if tagname.upper() == "FEN" else tagname, tagvalue)

        def parse_san(self, board: chess.Board, san: str) -> chess.Move:
            word = lines.unreadable if san == _UNREADABLE else san
            try:
                return super().parse_san(board, san)
            except chess.AmbiguousMoveError:
                fault = "may be several moves"
            except chess.IllegalMoveError:
                fault = "is not a legal move"
            except chess.InvalidMoveError:
                fault = "is not a move"
            raise ValueError(f"{quoted(word)} {fault} in {board.fen()}")

        def visit_move(self, board: chess.Board, move: chess.Move) -> None:
            self.moves += 1
            if most_moves is not None and self.moves > most_moves:
                message = f"the game has more than {most_moves} moves"
                raise ValueError(message)
            super().visit_move(board, move)

        def end_variation(self) -> None:
            # The reader also ends what an illegal move has begun to skip, be it the main line.
            if len(self.variation_stack) > 1:
                super().end_variation()

    game = chess.pgn.read_game(cast("TextIO", lines), Visitor=Builder) or chess.pgn.Game()
    wrong = [tag for tag in text.tags if not _TAG.match(tag)]
    game.errors[:0] = [ValueError(f"not a tag: {tag[:200]}") for tag in wrong]
    if text.is_open:
        game.errors.append(ValueError("a comment has no end"))
    return game


def _fault_of(headers: chess.pgn.Headers, error: Exception) -> Exception:
    """Return an error that names the tag of a game that python-chess refuses."""
    try:
        variant = headers.variant()
    except ValueError:
        message = f'{quoted(headers["Variant"])} is not a known variant: write [Variant "Standard"]'
        return ValueError(message)
    games = {board: rules for rules, board in boards_of_games().items()}
    try:
        read_game_board(headers.get("FEN", ""), games.get(variant, ChessPosition.rules))
    except UnsupportedPositionError as fault:
        return fault
    return error


def write_game(game: chess.pgn.Game) -> str:
    """Return a game as PGN."""
    return game.accept(_Writer(columns=None))
