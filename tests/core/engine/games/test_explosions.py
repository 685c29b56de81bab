"""Atomic chess: every value by published counts, by python-chess alone, and without the rules."""

import json
from pathlib import Path

import chess
import chess.variant
import numpy as np
import pytest
from support.explosions import ATOMIC, canonical, solve_explosions
from support.few import few, slow
from support.noise import noise_table
from support.syzygy_counts import count_as_syzygy
from support.zeroing import before

from tablebase.core.board.geometry import Color, PieceType
from tablebase.core.checking.verify import check_table
from tablebase.core.engine.driver import solve
from tablebase.core.engine.out import children
from tablebase.core.jit.records import KernelRecord
from tablebase.core.outcomes.metrics import DTM, DTZ, METRICS
from tablebase.core.rules import material
from tablebase.core.rules.material import Material, MoveOut
from tablebase.core.rules.rule_files import parse_rules

DATA = Path(__file__).parents[3] / "data"
PUBLISHED = json.loads((DATA / "atomic_dtz.json").read_text(encoding="utf-8"))
FOUR = [name for name in PUBLISHED if len(name) <= 4]
FEW = ["KQK", "KPK", "KQKR"]
SMALL = parse_rules("[small:atomic]\nmaxFile = e\nmaxRank = 5\ndoubleStep = false\n")["small"]
FIVE = [name for name in PUBLISHED if len(name) == 5]


def named(name):
    return Material.from_name(name, ATOMIC)


@pytest.fixture
def solved(solve_with_parts):
    """Return what solves a material by name and metric."""
    return lambda name, metric=DTZ: solve_with_parts(name, ATOMIC, metric)[named(name)]


@pytest.mark.parametrize("name", [*few(FOUR, *FEW), *few(FIVE)])
def test_every_count_is_the_published_one(solved, name):
    counts = count_as_syzygy(solved(name))
    found = [
        [counts[side]["win"], counts[side]["loss"], counts[side]["draws"]]
        for side in ("white_to_move", "black_to_move")
    ]
    assert found == PUBLISHED[name]


@pytest.mark.parametrize("name", few(["KQK", "KRK", "KBK", "KNK"]))
def test_every_value_is_that_of_a_slow_solver(solved, name):
    table, man = solved(name), PieceType("?PNBRQK".index(name[1]))
    expected = solve_explosions(man, lambda _: 0)
    assert_values_are(table, expected)


@pytest.mark.slow
def test_every_value_of_a_pawn_is_that_of_a_slow_solver(solved):
    found = {
        man: solve_explosions(man, lambda _: 0)
        for man in (chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)
    }

    def outcome_of(board):
        (at,) = chess.scan_forward(board.occupied & ~board.kings)
        man = board.piece_type_at(at)
        kings = board.king(chess.WHITE), board.king(chess.BLACK)
        return found[man][canonical(man, (*kings, at, board.turn))]

    found[chess.PAWN] = {}
    for rank in range(6, 0, -1):
        found[chess.PAWN] |= solve_explosions(chess.PAWN, outcome_of, rank)
    assert_values_are(solved("KPK"), found[chess.PAWN])


def assert_values_are(table, expected):
    """Compare all values with those of canonical positions: kings, man, and side to move."""
    for side, turn in enumerate((chess.WHITE, chess.BLACK)):
        positions = [position[:3] for position in expected if position[3] == turn]
        slots = table.index.encode_many(np.array(positions, dtype=np.uint8))
        outcomes = table.outcomes[side][table.codes[side][slots]].tolist()
        assert outcomes == [expected[*position, turn] for position in positions]
        assert len(positions) > 20_000


def noise_below(men, metric):
    """Return noise in place of a material's sub-tables; bare kings draw."""
    bare = Material((), (), men.rules)
    noise = {one: noise_table(one, seed, metric) for seed, one in enumerate(men.dependencies())}
    assert not any(one.is_symmetric for one in noise if one.groups)  # half of it is not read
    if bare in noise:
        noise[bare] = solve(bare, {}, metric=metric)
    return noise


@pytest.mark.thorough
@pytest.mark.parametrize("name", few(["KPKP", "KPPKN", "KQPKR", "KQKRP", "KPKRP"], "KPKP"))
@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_whatever_the_subtables_say_every_value_follows_from_its_moves(name, metric):
    """By the walk, which knows explosions by itself."""
    men = named(name).normalized()
    noise = noise_below(men, metric)
    table = solve(men, noise, metric=metric)
    report = check_table(table, noise)
    assert report.passed, report.differences


@pytest.mark.slow
@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_every_value_follows_from_the_moves_of_python_chess(solved, metric):
    """Pawns that pass pawns, and kings beside a man that can be taken."""
    seen = {chess.variant.AtomicBoard.is_variant_loss: 0, passing: 0}
    for name, is_chosen in (("KPKP", may_pass), ("KQKP", may_explode)):
        table = solved(name, metric)
        slots = np.random.default_rng(8).integers(table.index.size, size=50_000)
        squares, valid = table.index.decode_many(slots)
        for row in squares[valid & is_chosen(*squares.T.astype(np.int64))][:50]:
            for color in Color:
                board = board_of_row(named(name), row, color)
                if not board.was_into_check():
                    stored = outcome_of_board(solved, board, metric)
                    assert stored == minimax(solved, board, metric, seen), board.fen()
    assert all(count > 10 for count in seen.values())


def may_pass(_white, _black, one, other):
    """Return where White's pawn can pass Black's."""
    return (one // 8 == 1) & (other // 8 == 3) & (abs(one % 8 - other % 8) == 1)


def may_explode(_white, black, one, other):
    """Return where Black's king stands beside its man, which White's may take on a file."""
    beside = np.maximum(abs(black % 8 - other % 8), abs(black // 8 - other // 8)) == 1
    return beside & (one % 8 == other % 8)


def board_of_row(men, row, color):
    board = chess.variant.AtomicBoard(None)
    for (side, man), square in zip(men.men, row.tolist(), strict=True):
        board.set_piece_at(square, chess.Piece(man, side is Color.WHITE))
    board.turn = color is Color.WHITE
    return board


def outcome_of_board(solved, board, metric):
    """Return the stored outcome of a board, en passant left out."""
    if board.is_variant_loss():
        return ~0
    men = board.copy(stack=False)
    names = [
        "".join(
            chess.piece_symbol(kind).upper() * len(men.pieces(kind, color))
            for kind in range(6, 0, -1)
        )
        for color in (chess.WHITE, chess.BLACK)
    ]
    table = solved(named("".join(names)).normalized().name, metric)
    if named("".join(names)) != table.material or (
        table.material.is_symmetric and men.turn == chess.BLACK
    ):
        men.apply_mirror()
    squares = [
        square
        for color, kind, _ in [
            (Color.WHITE, PieceType.KING, 1),
            (Color.BLACK, PieceType.KING, 1),
            *table.material.groups,
        ]
        for square in men.pieces(kind, color is Color.WHITE)
    ]
    slot = table.index.encode(np.array(squares, dtype=np.uint8))
    side = Color.WHITE if men.turn else Color.BLACK
    return int(table.outcomes[side][table.codes[side][slot]])


def minimax(solved, board, metric, seen):
    """Return the outcome by the moves of python-chess, en passant in the second ply included."""
    outcomes = []
    for move in list(board.legal_moves):
        zeroing = board.is_zeroing(move)
        board.push(move)
        for happens in seen:
            seen[happens] += bool(happens(board))
        outcome = outcome_of_board(solved, board, metric)
        if passing(board):
            outcome = with_en_passant(solved, board, metric, outcome)
        outcomes.append(one_ply_before(outcome, metric, zeroing=zeroing))
        board.pop()
    if not outcomes:
        return ~0 if board.is_checkmate() else 0
    return max(outcomes, key=preference)


def passing(board):
    """Return the legal captures en passant; python-chess's own list is that of chess."""
    if board.ep_square is None:
        return []
    return [move for move in board.legal_moves if board.is_en_passant(move)]


def with_en_passant(solved, board, metric, outcome):
    captures = []
    for move in passing(board):
        board.push(move)
        after = outcome_of_board(solved, board, metric)
        captures.append(one_ply_before(after, metric, zeroing=True))
        board.pop()
    if board.legal_moves.count() > len(captures):
        captures.append(outcome)
    return max(captures, key=preference)


def one_ply_before(outcome, metric, *, zeroing):
    return before(outcome, zeroing=zeroing and metric == DTZ)


def preference(outcome):
    """Return a number that is larger for the better of two outcomes."""
    if outcome == 0:
        return 0
    return 10_000 - outcome if outcome > 0 else ~outcome - 10_000


def change_law(monkeypatch, **changed):
    """Give the engine a law of its own."""
    law_of = children.make_law

    def wrong_law(one):
        return KernelRecord(law_of(one).fields._replace(**changed))

    monkeypatch.setattr(children, "make_law", wrong_law)


def pawns_explode(monkeypatch):
    """Let explosions take pawns, too."""
    monkeypatch.setattr(material, "SPARED", frozenset())
    change_law(monkeypatch, spared=0)


def kings_take(monkeypatch):
    """Let a king take a man, and nothing explode then."""
    explosions = Material.moves_out

    def moves_out(self):
        found = explosions(self)
        for number, (color, man) in enumerate(self.men[2:]):
            found[MoveOut(color.opponent, 1 << number)] = self.without(color, man)
        return found

    monkeypatch.setattr(Material, "moves_out", moves_out)
    change_law(monkeypatch, king_takes=True)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("rules", "name", "mutate"),
    [
        (ATOMIC, "KPKP", kings_take),
        (SMALL, "KPPKP", pawns_explode),
        slow(ATOMIC, "KQPKR", pawns_explode),
    ],
    ids=["kings take", "pawns explode on a small board", "pawns explode"],
)
def test_wrong_rules_are_found(rules, name, mutate, monkeypatch):
    """A third pawn stands beside the two of a capture, which is quick to solve on a small board."""
    men = Material.from_name(name, rules)
    with monkeypatch.context() as patch:
        mutate(patch)
        noise = noise_below(men, DTM)
        table = solve(men, noise, metric=DTM)
    right = {one: noise[one] for one in men.dependencies()}
    report = check_table(table, right)
    assert not report.passed
    assert report.differences
