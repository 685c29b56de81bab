"""Moves, results, times and sizes in words, and foreign texts in quotation marks."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

# Larger units in seconds, each with the smaller unit that is added to it.
_TIMES = ((86_400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s"))


# Characters of a text that messages repeat: any FEN has fewer.
MOST_REPEATED = 100


def quoted(value: object) -> str:
    """Return a text, or another value, in quotation marks for a message; see `shortened`.

    >>> quoted("KRK"), quoted(1000 * "K")[95:]
    ("'KRK'", "KKKKKK'... (1,000 characters)")
    """
    if not isinstance(value, str):
        return shortened(repr(value))
    shown = shortened(value)
    return repr(value[:MOST_REPEATED]) + shown[MOST_REPEATED:]


def shortened(text: str) -> str:
    """Return a text for a message; of a long text the beginning and its length.

    >>> shortened("KRK"), shortened(1000 * "K")[95:]
    ('KRK', 'KKKKK... (1,000 characters)')
    """
    if len(text) <= MOST_REPEATED:
        return text
    return f"{text[:MOST_REPEATED]}... ({len(text):,} characters)"


def result_in_words(
    dtm: int, *, white: bool, checkmate: bool, drawn_by_rule: bool = False, by_mate: bool = True
) -> str:
    """Return the result of a position by its signed distance to mate in plies.

    `white` is to move; the 50-move rule may make a draw of it (`drawn_by_rule`). Not all games are
    won `by_mate`.

    >>> result_in_words(31, white=True, checkmate=False)
    'White wins: mate in 16 moves (31 plies)'
    >>> result_in_words(-30, white=True, checkmate=False, drawn_by_rule=True)
    'Black would mate in 15, but the 50-move rule draws'
    """
    mover, other = ("White", "Black") if white else ("Black", "White")
    if checkmate:
        return f"{mover} is checkmated"
    if dtm == 0:
        return "Draw"
    winner = mover if dtm > 0 else other
    if drawn_by_rule:
        mate = "mate" if by_mate else "win"
        return f"{winner} would {mate} in {winner_moves(dtm)}, but the 50-move rule draws"
    return f"{winner} wins{': mate' if by_mate else ''} in {moves_in_words(dtm)}"


def winner_moves(plies: int) -> int:
    """Return the moves of who makes the last one of `plies`, of either sign: of the mating side.

    >>> winner_moves(31), winner_moves(-30), winner_moves(0)
    (16, 15, 0)
    """
    return (abs(plies) + 1) // 2


def moves_in_words(plies: int) -> str:
    """Return a distance in plies, of either sign, as moves and plies.

    >>> moves_in_words(31)
    '16 moves (31 plies)'
    """
    moves = winner_moves(plies)
    return f"{counted(moves, 'move')} ({plies_in_words(plies)})"


def listed(words: Iterable[str]) -> str:
    """Return a list as a sentence has it.

    >>> listed(["king"]), listed(["king", "rook"]), listed(["king", "rook", "pawn"])
    ('king', 'king and rook', 'king, rook and pawn')
    """
    *others, last = words
    return " and ".join(filter(None, (", ".join(others), last)))


def counted(number: int, what: str) -> str:
    """Return a number of things.

    >>> counted(1, "move"), counted(1200, "move")
    ('1 move', '1,200 moves')
    """
    return f"{number:,} {what}{'s' * (number != 1)}"


def did_you_mean(text: str, words: Iterable[str]) -> str:
    """Return a suggestion of similar words, an empty text if there is none.

    >>> did_you_mean("prob", ["probe", "plan"])
    ': did you mean probe?'
    """
    near = difflib.get_close_matches(text, words, cutoff=0.65)
    return (
        f": did you mean {', '.join(near[:-1])}{' or ' * (len(near) > 1)}{near[-1]}?"
        if near
        else ""
    )


def plies_in_words(plies: int) -> str:
    """Return a distance in plies, of either sign.

    >>> plies_in_words(31), plies_in_words(-1)
    ('31 plies', '1 ply')
    """
    plies = abs(plies)
    return f"{plies} pl{'y' if plies == 1 else 'ies'}"


def side_in_words(side: str) -> str:
    """Return the words for one of `tablebase.core.board.geometry.SIDES`.

    >>> side_in_words("white_to_move")
    'White to move'
    """
    return side.replace("_", " ").capitalize()


def time_in_words(seconds: float) -> str:
    """Return a time.

    >>> time_in_words(0.31), time_in_words(75), time_in_words(9000), time_in_words(200_000)
    ('0.31 s', '1 min 15 s', '2 h 30 min', '2 d 8 h')
    """
    if seconds < 59.995:
        return f"{seconds:.2f} s"
    larger = (time for time in _TIMES if round(seconds / time[2]) >= time[0] // time[2])
    size, unit, small, small_unit = next(larger)
    large, rest = divmod(round(seconds / small), size // small)
    return f"{large:,} {unit} {rest} {small_unit}"


def bytes_in_words(size: float) -> str:
    """Return a number of bytes, in units of 1000.

    >>> bytes_in_words(24_778), bytes_in_words(1_500_000_000), bytes_in_words(7e12)
    ('24.8 kB', '1.5 GB', '7.0 TB')
    """
    if size < 999.5:
        return f"{size:.0f} B"
    for unit in ("kB", "MB", "GB"):
        size /= 1000
        if size < 999.95:
            return f"{size:.1f} {unit}"
    return f"{size / 1000:,.1f} TB"
