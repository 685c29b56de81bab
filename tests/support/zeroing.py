"""Distances to zeroing by their definition, sharing nothing with the package.

An *outcome* is n > 0 for a win in n plies, ~n (-n - 1) for a loss in n, 0 for a draw. A *result* is
one of five, from 2 (win) and 1 (cursed win) to -2 (loss), as in python-chess.
"""

LAST_IN_TIME = 100
_FAR = 1000
# What a capture or a move of a pawn is worth, by the result for the opponent after it.
_AFTER_ZEROING = {-2: 1, -1: 101, 0: 0, 1: ~101, 2: ~1}


def plies_of(outcome):
    """Return the distance of an outcome."""
    return ~outcome if outcome < 0 else outcome


def result_of(outcome):
    """Return the result of an outcome when the clock is at 0."""
    if outcome == 0:
        return 0
    strength = 2 if plies_of(outcome) <= LAST_IN_TIME else 1
    return strength if outcome > 0 else -strength


def preference(outcome):
    """Return a number that is larger for the better of two outcomes."""
    if outcome == 0:
        return 0
    return _FAR - outcome if outcome > 0 else ~outcome - _FAR


def before(outcome, *, zeroing):
    """Return the outcome of a move, by that of the position after it."""
    if zeroing:
        return _AFTER_ZEROING[result_of(outcome)]
    if outcome == 0:
        return 0
    return ~(outcome + 1) if outcome > 0 else ~outcome + 1


def minimax_outcome(board, outcome_of):
    """Return the outcome that follows from those of the positions after every legal move."""
    outcomes = []
    for move in list(board.legal_moves):
        zeroing = board.is_zeroing(move)
        board.push(move)
        outcomes.append(before(outcome_of(board), zeroing=zeroing))
        board.pop()
    if not outcomes:
        return ~0 if board.is_check() else 0
    return max(outcomes, key=preference)


def with_en_passant(board, outcome, outcome_of):
    """Return the outcome of a board from the one that it has without en passant.

    If there is no other move, the latter (a draw: stalemate) counts for nothing.
    """
    captures = []
    for move in list(board.generate_legal_ep()):
        board.push(move)
        captures.append(before(outcome_of(board), zeroing=True))
        board.pop()
    if not captures:
        return outcome
    if board.legal_moves.count() > len(captures):
        captures.append(outcome)
    return max(captures, key=preference)


def agrees_with_syzygy(outcome, theirs):
    """Return whether what a reader of Syzygy tables gives can mean an outcome.

    The official tables round distances down to odd ones; a reader gives -1 for checkmate.
    """
    if outcome == ~0:
        return theirs == -1
    if outcome == 0 or theirs == 0:
        return outcome == theirs
    rounded_down = plies_of(outcome) - abs(theirs)
    return (outcome > 0) == (theirs > 0) and rounded_down in (0, 1)
