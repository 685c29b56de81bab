"""The moves of all placements of a castling set: quiet ones inside it, and those that lead out.

A *node* is a placement with a side to move: its number, plus the number of placements if Black is
to move. En passant captures are left out, since they depend on the move before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import chess
import numpy as np

from tablebase.core.board.geometry import Color, PieceType
from tablebase.core.board.movement import make_movement
from tablebase.core.jit.instructions import work_space
from tablebase.core.jit.kernels import hot_entry, inlined_kernel, kernel
from tablebase.core.jit.records import KernelRecord

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tablebase.core.castling.placements import CastlingSet

NODES_AT_ONCE = 1 << 15
# Of one node: three queens and a king, or a king and rooks that castle.
_MOST_MOVES = 128
_MOST_MEN = 8
_MOVEMENT = make_movement()
_RAYS, _ATTACKS = _MOVEMENT.rays, _MOVEMENT.attacks
_BETWEEN = _MOVEMENT.between[Color.WHITE, PieceType.QUEEN]
_ONE, _NO_MAN = np.uint64(1), np.int64(-1)
_PAWN, _KNIGHT, _QUEEN, _KING = map(
    int, (PieceType.PAWN, PieceType.KNIGHT, PieceType.QUEEN, PieceType.KING)
)


class _Men(NamedTuple):
    """The men of a set for kernels."""

    size: int  # placements
    kinds: NDArray[np.int64]  # [men]
    colors: NDArray[np.int64]  # [men]
    homes: NDArray[np.int64]  # [men]
    lost: NDArray[np.int64]  # [men] bits of the rights that end when it moves
    castlings: NDArray[np.int64]  # [rights, 4] men that castle, king and rook; where they go
    empty: NDArray[np.uint64]  # [rights] squares where no other man may stand
    path: NDArray[np.uint64]  # [rights] squares of the king before its last one


class NodeMoves(NamedTuple):
    """The legal moves of some nodes in a row."""

    is_legal: NDArray[np.bool_]  # [nodes] whether it is a legal position
    in_check: NDArray[np.bool_]  # [nodes]
    counts: NDArray[np.int32]  # [nodes] of edges
    targets: NDArray[np.int32]  # [edges] nodes, in the order of where they come from
    sources: NDArray[np.int32]  # [exits] nodes
    exits: NDArray[np.int32]  # [exits] packed, see `placements.Exit`
    squares: NDArray[np.uint8]  # [exits, men] after the move; a captured man keeps its square


def moves_of(placed: CastlingSet, first: int, stop: int) -> NodeMoves:
    """Return the moves of the nodes from `first` up to `stop`."""
    count = stop - first
    moves = NodeMoves(
        np.zeros(count, dtype=np.bool_),
        np.zeros(count, dtype=np.bool_),
        np.zeros(count, dtype=np.int32),
        np.empty(count * _MOST_MOVES, dtype=np.int32),
        np.empty(count * _MOST_MOVES, dtype=np.int32),
        np.empty(count * _MOST_MOVES, dtype=np.int32),
        np.empty((count * _MOST_MOVES, len(placed.homes)), dtype=np.uint8),
    )
    edges, exits = _list_moves(_men_of(placed), first, KernelRecord(moves))
    return moves._replace(
        targets=moves.targets[:edges].copy(),
        sources=moves.sources[:exits],
        exits=moves.exits[:exits],
        squares=moves.squares[:exits],
    )


@hot_entry
def _list_moves(men, first, moves):
    """Write the moves of nodes from `first` on; return how many edges and exits there are."""
    board = work_space(_MOST_MEN, np.int64)
    exits = moves.sources, moves.exits, moves.squares
    edges, at = np.int64(0), np.int64(0)
    for i in range(len(moves.is_legal)):
        node = first + i
        side = np.int64(node >= men.size)
        occupied = _place(men, node - side * men.size, board)
        if not occupied or _is_attacked(men, board, side, board[1 - side], occupied, _NO_MAN):
            continue
        moves.is_legal[i] = True
        moves.in_check[i] = _is_attacked(men, board, 1 - side, board[side], occupied, _NO_MAN)
        before = edges
        for man in range(len(men.colors)):
            if men.colors[man] != side:
                continue
            origin, kind = board[man], men.kinds[man]
            without = occupied & ~(_ONE << np.uint64(origin))
            is_pawn = kind == _PAWN
            for ray in range(_RAYS.shape[3] + is_pawn):
                is_ahead = ray == _RAYS.shape[3]
                for place in range(7):
                    target = _target(side, origin, kind, ray, place)
                    if target < 0:
                        break
                    captured = _man_at(men, board, target)
                    if captured >= 0 and (men.colors[captured] == side or is_ahead):
                        break
                    if captured < 0 and is_pawn and not is_ahead:
                        break
                    board[man] = target
                    left = without | _ONE << np.uint64(target)
                    if not _is_attacked(men, board, 1 - side, board[side], left, captured):
                        edges, at = _write_move(
                            men, board, np.int64(man), captured, node, moves, edges, at
                        )
                    board[man] = origin
                    if captured >= 0:
                        break
        at = _castle(men, board, side, occupied, node, exits, at)
        moves.counts[i] = edges - before
    return edges, at


@kernel
def _place(men, slot, board):
    """Write the squares of a placement to ``board`` int64 [men]; return them as a word, or 0."""
    occupied = np.uint64(0)
    for man in range(len(men.homes) - 1, -1, -1):
        square = men.homes[man]
        if square < 0:
            square = slot & 63
            slot >>= 6
        board[man] = square
        if (occupied >> np.uint64(square)) & _ONE:
            return np.uint64(0)
        occupied |= _ONE << np.uint64(square)
    return occupied


@inlined_kernel
def _is_attacked(men: Any, board: Any, by: Any, square: Any, occupied: Any, ignored: Any) -> Any:
    """Return whether a man of colour `by`, but for one man, attacks a square."""
    bit = _ONE << np.uint64(square)
    for man in range(len(men.colors)):
        if men.colors[man] != by or man == ignored:
            continue
        origin = board[man]
        if _ATTACKS[by, men.kinds[man], origin] & bit and not (_BETWEEN[origin, square] & occupied):
            return True
    return False


@inlined_kernel
def _target(side: Any, origin: Any, kind: Any, ray: Any, place: Any) -> Any:
    """Return a square along a ray, negative after its end; the last ray is a pawn's way ahead."""
    if ray < _RAYS.shape[3]:
        return np.int64(_RAYS[side, kind, origin, ray, place])
    is_home = origin >> 3 == 1 + 5 * side
    return origin + (place + 1) * (8 - 16 * side) if place < 1 + is_home else _NO_MAN


@kernel
def _man_at(men, board, square):
    """Return the man on a square, or `_NO_MAN`."""
    for man in range(len(men.homes)):
        if board[man] == square:
            return np.int64(man)
    return _NO_MAN


@kernel
def _write_move(men, board, man, captured, node, moves, edges, at):
    """Write the move that put a man where `board` has it; return the next edge and exit."""
    exits = moves.sources, moves.exits, moves.squares
    every = np.int64((1 << len(men.castlings)) - 1)
    rights = every & ~men.lost[man]
    if captured >= 0:
        rights &= ~men.lost[captured]
    target = board[man]
    if men.kinds[man] != _PAWN:
        if captured < 0 and rights == every:
            moves.targets[edges] = _node(men, board, 1 - men.colors[man])
            return edges + 1, at
        number = _packed(captured, _NO_MAN, np.int64(0), np.int64(0), rights)
        return edges, _write_exit(node, number, board, exits, at)
    if 8 <= target < 56:
        number = _packed(captured, man, target, np.int64(0), rights)
        return edges, _write_exit(node, number, board, exits, at)
    for new in range(_KNIGHT, _QUEEN + 1):
        number = _packed(captured, man, target, np.int64(new), rights)
        at = _write_exit(node, number, board, exits, at)
    return edges, at


@kernel
def _node(men, board, black_to_move):
    """Return the node of squares int64 [men] with a side to move."""
    slot = np.int64(0)
    for man in range(len(men.homes)):
        if men.homes[man] < 0:
            slot = slot << 6 | board[man]
    return slot + black_to_move * men.size


@inlined_kernel
def _packed(captured: Any, pawn: Any, target: Any, promotion: Any, rights: Any) -> Any:
    return captured + 1 | (pawn + 1) << 3 | target << 6 | promotion << 12 | rights << 15


@kernel
def _write_exit(node, number, board, exits, at):
    """Write a way out to row `at` of `exits`, arrays as in `NodeMoves`; return the next row."""
    sources, numbers, squares = exits
    sources[at] = node
    numbers[at] = number
    for man in range(squares.shape[1]):
        squares[at, man] = board[man]
    return at + 1


@kernel
def _castle(men, board, side, occupied, node, exits, at):
    """Write the castling moves of a side as `_write_exit` does; return the next row."""
    every = (1 << len(men.castlings)) - 1
    for right in range(len(men.castlings)):
        king, rook = men.castlings[right, 0], men.castlings[right, 1]
        if men.colors[rook] != side or men.empty[right] & occupied:
            continue
        from_king, from_rook = board[king], board[rook]
        left = occupied & ~(_ONE << np.uint64(from_king))
        is_free = True
        for square in range(64):
            if (men.path[right] >> np.uint64(square)) & _ONE and _is_attacked(
                men, board, 1 - side, square, left, _NO_MAN
            ):
                is_free = False
        to_king, to_rook = men.castlings[right, 2], men.castlings[right, 3]
        left = left & ~(_ONE << np.uint64(from_rook)) | _ONE << np.uint64(to_rook)
        if is_free and not _is_attacked(men, board, 1 - side, to_king, left, _NO_MAN):
            board[king], board[rook] = to_king, to_rook
            rights = every & ~men.lost[king]
            number = _packed(_NO_MAN, _NO_MAN, np.int64(0), np.int64(0), rights)
            at = _write_exit(node, number, board, exits, at)
            board[king], board[rook] = from_king, from_rook
    return at


def _men_of(placed: CastlingSet) -> KernelRecord:
    men, homes = placed.material.men, placed.homes
    lost = [0] * len(men)
    castlings, empty, path = [], [], []
    for bit, rook in enumerate(placed.rights):
        color = men[rook][0]
        king = int(color)
        lost[rook] |= 1 << bit
        lost[king] |= 1 << bit
        start = homes[rook] & ~7
        files = (2, 3) if homes[rook] < homes[king] else (6, 5)
        to_king, to_rook = (start + file for file in files)
        castlings.append((king, rook, to_king, to_rook))
        passed = chess.between(homes[king], to_king)
        squares = passed | chess.between(homes[rook], to_rook) | 1 << to_king | 1 << to_rook
        empty.append(squares & ~(1 << homes[king] | 1 << homes[rook]))
        path.append(passed | 1 << homes[king])
    return KernelRecord(
        _Men(
            size=placed.size,
            kinds=np.array([kind for _, kind in men], dtype=np.int64),
            colors=np.array([color for color, _ in men], dtype=np.int64),
            homes=np.array(homes, dtype=np.int64),
            lost=np.array(lost, dtype=np.int64),
            castlings=np.array(castlings, dtype=np.int64).reshape(-1, 4),
            empty=np.array(empty, dtype=np.uint64),
            path=np.array(path, dtype=np.uint64),
        )
    )
