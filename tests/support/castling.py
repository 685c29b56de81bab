"""Positions with castling rights, valued by brute force: python-chess's moves, and tables."""

from collections import Counter
from itertools import combinations, permutations

import chess
from support.zeroing import before, preference

HOMES = {"K": (chess.E1, chess.H1), "Q": (chess.E1, chess.A1),
         "k": (chess.E8, chess.H8), "q": (chess.E8, chess.A8)}  # fmt: skip


def positions_with_rights(white, black):
    """Yield all boards of men such as "R" and "BP" with some castling right, each once."""
    for count in range(1, 5):
        for rights in combinations(HOMES, count):
            yield from _with(rights, Counter(f"K{white.upper()}k{black.lower()}"))


def _with(rights, men):
    """Yield the boards with these rights and no others."""
    homes = {square for right in rights for square in HOMES[right]}
    fixed = {square: "rk"[chess.square_file(square) == 4] for square in homes}
    fixed = {square: sign.upper() if square < 32 else sign for square, sign in fixed.items()}
    if Counter(fixed.values()) - men:
        return
    left = sorted((men - Counter(fixed.values())).elements())
    free = [square for square in chess.SQUARES if square not in fixed]
    placements = {frozenset(zip(left, squares, strict=True)) for squares in
                  permutations(free, len(left))}  # fmt: skip
    for placed in sorted(map(sorted, placements)):
        board = chess.Board(None)
        every = fixed | {square: sign for sign, square in placed}
        board.set_piece_map({at: chess.Piece.from_symbol(sign) for at, sign in every.items()})
        board.castling_rights = sum(1 << HOMES[right][1] for right in rights)
        for turn in chess.COLORS:
            board.turn = turn
            if not board.pawns & chess.BB_BACKRANKS and not board.was_into_check():
                yield board.copy()


def key_of(board):
    """Return what two boards have in common if they are the same position."""
    ep_square = board.ep_square if board.has_legal_en_passant() else None
    return board.board_fen(), board.turn, board.castling_rights, ep_square


def values_by_force(boards, outcome_of, *, counts_zeroing):
    """Return the outcomes of boards and of all that they lead to with rights, by `key_of`.

    `outcome_of` gives those of boards without rights, and `counts_zeroing` says whether distances
    are to zeroing instead of to mate.

    Round by round each position gets the best that its moves had in the round before: after n
    rounds these are the values of the game that is a draw after n plies in the graph.
    """
    moves, exits, ends, parents = {}, {}, {}, {}
    waiting = list(boards)
    while waiting:
        board = waiting.pop()
        here = key_of(board)
        if here in moves:
            continue
        moves[here], exits[here] = [], []
        for move in board.legal_moves:
            zeroing = counts_zeroing and board.is_zeroing(move)
            board.push(move)
            if board.castling_rights:
                after = key_of(board)
                moves[here].append((after, zeroing))
                parents.setdefault(after, []).append(here)
                waiting.append(board.copy(stack=False))
            else:
                exits[here].append(before(outcome_of(board), zeroing=zeroing))
            board.pop()
        if not moves[here] and not exits[here]:
            ends[here] = -1 if board.is_check() else 0
    values = dict.fromkeys(moves, 0) | ends
    changed = set(moves) - set(ends)
    while changed:
        found = {}
        for here in changed:
            inside = [before(values[after], zeroing=zeroing) for after, zeroing in moves[here]]
            best = max(inside + exits[here], key=preference)
            if best != values[here]:
                found[here] = best
        values |= found
        changed = {one for here in found for one in parents.get(here, ())} - set(ends)
    return values
