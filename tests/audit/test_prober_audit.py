"""Honest probers pass, and an audit finds each planted error in a position that it asks about."""

import csv
import zlib
from pathlib import Path

import chess
import chess.gaviota
import chess.syzygy
import chess.variant
import numpy as np
import pytest
from support.few import few

import tablebase
from tablebase.audit import prober_audit, prober_rule
from tablebase.audit.prober_audit import audit_prober
from tablebase.audit.prober_positions import EDGES, RANDOM, Chosen, choose_positions
from tablebase.audit.prober_rule import ANY, DRAWN, MATED, Prober, losses_in, meaning, wins_in
from tablebase.core.ground.errors import CorruptTableError, InvalidRulesError
from tablebase.core.outcomes.metrics import DTM, DTZ
from tablebase.core.rules.material import Material
from tablebase.core.rules.rule_files import built_in_rules

THEIRS = Path(__file__).parents[1] / "data"
PROBES = ("probe_wdl", "probe_wdl50", "probe_dtz", "probe_dtm")


def material_of(name):
    return Material.from_name(name)


def audit(prober, name, sample=100, seed=3, **options):
    (found,) = audit_prober(prober, [material_of(name)], sample, seed, limit=10_000, **options)
    return found


class Changed:
    """A prober with the methods named, whose answers pass through a function."""

    def __init__(self, source, change, probes=PROBES):
        for name in probes:
            method = getattr(source, name, None)
            if method is not None:
                setattr(self, name, self._changed(method, name, change))

    @staticmethod
    def _changed(method, name, change):
        return lambda board: change(name, board, method)


def chance(board):
    """Return a number of a position, the same in every run."""
    return zlib.crc32(board.epd().encode())


@pytest.fixture(scope="module")
def ours(zeroing_dir):
    with tablebase.open_tablebase(zeroing_dir) as tables:
        yield tables


class Recorded:
    """Values around the 50-move rule: some positions of KNNKP, and those after their moves.

    They are of our table, whose numbers of positions by distance are those of Syzygy's statistics.
    """

    def __init__(self):
        with Path(__file__).with_name("boundary.csv").open(encoding="ascii", newline="") as file:
            self.rows = {row["epd"]: row for row in csv.DictReader(file)}

    def probe_wdl(self, board):
        return int(self.rows[board.epd()]["wdl50"])

    def probe_dtz(self, board):
        return int(self.rows[board.epd()]["dtz"])


@pytest.fixture
def cursed(monkeypatch):
    """Return a prober that knows some positions, the first of which are chosen."""
    prober = Recorded()
    first = [chess.Board(f"{epd} 0 1") for epd in list(prober.rows)[:6]]
    chosen = [Chosen(RANDOM, board) for board in first]
    monkeypatch.setattr(prober_audit, "choose_positions", lambda *_: chosen)
    return prober


# Honest probers


@pytest.mark.parametrize("name", few(["KBNK", "KQKR", "KPKP"], "KPKP"))
@pytest.mark.parametrize("probes", [PROBES, ("probe_wdl",), ("probe_dtz",), ("probe_dtm",)])
def test_our_tables_pass(name, probes, ours):
    prober = Changed(ours, lambda _, board, method: method(board), probes)
    found = audit(prober, name, 40, exact=True, reference=ours)
    assert found.passed, found.findings[0]
    assert found.asked == tuple(one for one in (PROBES[1], PROBES[0], *PROBES[2:]) if one in probes)
    every = 40 + found.positions.get("castling", 0)
    assert every == (45 if "R" in name else 40)
    assert (found.answered, found.compared) == (every, every)
    assert sum(found.positions.values()) == every
    assert sum(found.results.values()) == every
    assert found.probes > 200


@pytest.mark.thorough
@pytest.mark.parametrize("name", few(["KRK", "KQK", "KPK", "KBK", "KNK"], "KRK", "KPK"))
def test_python_chess_passes(name, ours):
    with chess.syzygy.open_tablebase(str(THEIRS / "syzygy")) as syzygy:
        found = audit(syzygy, name, reference=ours)
        assert found.passed, found.findings[0]
        assert found.asked == ("probe_wdl", "probe_dtz")
    with chess.gaviota.PythonTablebase() as gaviota:
        gaviota.add_directory(str(THEIRS / "gaviota"))
        found = audit(gaviota, name, reference=ours)
        assert found.passed, found.findings[0]
        assert found.asked == ("probe_wdl", "probe_dtm")


def test_cursed_wins_pass_on_both_sides_of_the_boundary(cursed):
    for exact in (True, False):
        found = audit(cursed, "KNNKP", 160, exact=exact)
        assert found.passed, found.findings[0]
        assert found.positions == {"random": 6, "boundary": 12, "line": 8}
        assert {"win", "cursed win", "blessed loss"} <= found.results.keys()
        assert found.longest["probe_dtz"] == 104


def test_rounded_distances_pass_unless_they_should_be_exact(cursed):
    def rounded(name, board, method):
        value = method(board)
        sign = (value > 0) - (value < 0)
        if name == "probe_wdl" or abs(value) in {0, 1, 100, 101} or board.is_checkmate():
            return value
        return value - sign * (chance(board) % 2)

    prober = Changed(cursed, rounded)
    assert audit(prober, "KNNKP", 160).passed
    assert audit(prober, "KNNKP", 160, exact=True).contradicting


class Alone:
    """Knows positions by themselves, and none after a move."""

    def __init__(self, value):
        self.value, self.known = value, None

    def probe_wdl(self, board):
        # A position is asked about before those after its moves.
        if self.known is None or board.epd() not in self.known:
            self.known = set()
            for move in board.legal_moves:
                board.push(move)
                self.known.add(board.epd())
                board.pop()
            return self.value
        raise KeyError(board.fen())


def test_answers_without_any_after_moves_are_not_judged():
    """All positions are called drawn, and only the rules tell that checkmates are not."""
    found = audit(Alone(0), "KQKQ", 60)
    over = sum(found.positions.get(kind, 0) for kind in ("checkmate", "stalemate"))
    assert found.contradicting == found.positions["checkmate"] > 0
    assert over <= found.judged < found.answered == 60
    found = audit(Alone(0), "KQKQ", 1)
    assert (found.answered, found.judged, found.passed, found.differs) == (1, 0, False, False)


def test_nothing_is_asked_where_there_is_no_table(ours):
    """But for checkmates and stalemates, which are known without."""
    found = audit(ours, "KRPPKRP", 30)
    assert (found.differs, found.compared, found.probes) == (False, 0, 30)
    assert sum(found.positions.values()) == 30 > found.answered
    assert set(found.longest.values()) <= {0, 1}  # plies of checkmate, as each metric has them


class OfMates:
    """Knows checkmates, and wins by a mate in one move, of any men and by atomic rules, too."""

    def __init__(self, variant=chess.Board):
        self.variant = variant

    def probe_dtz(self, board):
        assert type(board) is self.variant
        if board.is_checkmate() or board.is_variant_loss():
            return -1
        if board.is_game_over():
            return 0
        for move in board.legal_moves:
            after = board.copy(stack=False)
            after.push(move)
            if after.is_checkmate() or after.is_variant_loss():
                return 1
        raise KeyError(board.fen())


@pytest.mark.thorough
@pytest.mark.parametrize("variant", [chess.Board, chess.variant.AtomicBoard])
def test_any_number_of_men_and_variants(variant):
    found = audit(OfMates(variant), "KQRRKBN", 60)
    assert found.passed, found.findings[0]
    assert 0 < found.answered < 60

    def blind(_, board, method):
        return 3 if (value := method(board)) == 1 else value

    prober = Changed(OfMates(variant), blind)
    prober.variant = variant
    found = audit(prober, "KQRRKBN", 60)
    assert found.contradicting == found.results["win"] > 0
    assert "win in 1 ply" in found.findings[0].reason


# Planted errors


def sampled(name, sample=100):
    """Return the boards that `audit` chooses."""
    rng = np.random.default_rng([3, *name.encode()])
    return [one.board for one in choose_positions(material_of(name), sample, rng)]


def at_some(boards, change):
    """Return a change of the answers at some positions."""
    chosen = {board.epd() for board in boards}
    return lambda name, board, method: (
        change(name, method(board)) if board.epd() in chosen else method(board)
    )


def shifted(by):
    """Return a change of a distance by some plies."""

    def change(name, value):
        if name in {"probe_wdl", "probe_wdl50"} or not value:
            return value
        return value + by if value > 0 else value - by

    return change


LIES = {
    "results exchanged": (PROBES[:1], lambda _, value: -value or 1),
    "draws are wins": (PROBES[:1], lambda _, value: value or 1),
    "a ply more": (PROBES[3:], shifted(1)),
    "a ply less": (PROBES[3:], lambda _, value: value - 1 if value > 1 else value + 1),
    "a move more": (PROBES[3:], shifted(2)),
    "three plies more to zeroing": (PROBES[2:3], shifted(3)),
    "losses are wins": (PROBES[2:], lambda _, value: abs(value) or 2),
}


@pytest.mark.thorough
@pytest.mark.parametrize("lie", few(LIES, *list(LIES)[::2]))
@pytest.mark.parametrize("name", few(["KRK", "KPKP", "KRKN"], "KRKN"))
def test_lies_are_found_where_they_are_looked_at(lie, name, ours):
    probes, change = LIES[lie]
    boards = sampled(name)[::3]
    liar = Changed(ours, at_some(boards, change), probes)
    found = audit(liar, name)
    told, honest = Prober(liar), Prober(Changed(ours, lambda _, board, ask: ask(board), probes))
    lied = {board.fen() for board in boards if told.ask(board) != honest.ask(board)}
    assert lied
    assert not lied - {one.fen for one in found.findings}
    finding = next(one for one in found.findings if one.fen in lied)
    board = chess.Board(finding.fen)
    assert str(finding).startswith(finding.fen)
    if finding.moves:
        assert [one.san for one in finding.moves] == [board.san(one) for one in board.legal_moves]
        assert "its moves give" in finding.reason


@pytest.mark.thorough
@pytest.mark.parametrize("by", [-1, 1])
def test_off_by_one_is_found_where_distances_are_exact(by, ours):
    def change(name, value):
        return value if abs(value) < 2 else shifted(by)(name, value)

    prober = Changed(ours, at_some(sampled("KQKR")[::3], change), PROBES[2:3])
    found = audit(prober, "KQKR", exact=True)
    assert found.contradicting
    if by == 1:  # too long is never rounding: tables tell
        assert audit(prober, "KQKR", reference=ours).different


@pytest.mark.parametrize(
    "probes", few([PROBES[:1], PROBES[2:3], PROBES[3:], PROBES[::2]], PROBES[::2])
)
def test_values_of_the_wrong_side_are_found(probes, ours):
    def from_white(_, board, method):
        return method(board) if board.turn == chess.WHITE else -method(board)

    assert audit(Changed(ours, from_white, probes), "KRK").contradicting > 20


@pytest.mark.parametrize("probes", few([PROBES[:1], PROBES[2:3], PROBES[3:]], PROBES[2:3]))
def test_an_overlooked_capture_en_passant_is_found(probes, ours):
    def blind(_, board, method):
        other = board.copy(stack=False)
        other.ep_square = None
        return method(other)

    found = audit(Changed(ours, blind, probes), "KPKP", 300)
    assert found.contradicting
    # Wrong is the position with the right, or one from which a double push leads to it.
    for one in found.findings:
        board = chess.Board(one.fen)
        doubles = [
            move
            for move in board.legal_moves
            if board.piece_type_at(move.from_square) == chess.PAWN
            and abs(move.from_square - move.to_square) == 16
        ]
        assert board.ep_square is not None or doubles, one


def wrong_boundary(last):
    """Return a change of five results, by which wins of another length are in time."""

    def change(name, board, method):
        if name != "probe_wdl":
            return method(board)
        plies = method.__self__.probe_dtz(board)
        strength = 2 if abs(plies) <= last else 1
        return strength * ((plies > 0) - (plies < 0))

    return change


@pytest.mark.parametrize("last", few([98, 99, 101, 102], 99, 101))
def test_a_wrong_boundary_of_the_rule_is_found(last, cursed):
    prober = Changed(cursed, wrong_boundary(last), PROBES[::2])
    assert audit(prober, "KNNKP", 160).contradicting


def test_distances_across_the_boundary_are_found(cursed):
    def change(_, board, method):
        value = method(board)
        return {100: 101, -100: -101, 101: 100, -101: -100}.get(value, value)

    assert audit(Changed(cursed, change, PROBES[2:3]), "KNNKP", 160).contradicting


def test_distances_that_contradict_each_other_are_found(ours):
    def too_far(name, board, method):
        value = method(board)
        if name == "probe_dtz" and not board.is_game_over():
            return (value > 0) - (value < 0) and value + 40 * ((value > 0) - (value < 0))
        return value

    found = audit(Changed(ours, too_far, PROBES[2:]), "KRK")
    assert any(one.reason == "these distances contradict each other" for one in found.findings)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda *_: 1 / 0, "probe_wdl raises ZeroDivisionError: division by zero"),
        (lambda *_: "win", "probe_wdl returns 'win'"),
        (lambda *_: 7, "these values contradict each other"),
    ],
)
def test_what_is_no_value_is_found(change, problem, ours):
    found = audit(Changed(ours, change, PROBES[:1]), "KRK", 20)
    assert found.contradicting == found.answered == 22  # two with castling rights
    assert problem in str(found.findings[0])


def test_mates_and_stalemates_are_judged_by_the_rules(ours):
    def draw(_, board, method):
        return 0 if board.is_checkmate() else method(board)

    found = audit(Changed(ours, draw, PROBES[:1]), "KQK")
    assert any(one.reason == "it is checkmate by the rules" for one in found.findings)

    def lost(_, board, method):
        return -1 if board.is_stalemate() else method(board)

    found = audit(Changed(ours, lost, PROBES[:1]), "KQK")
    assert any(one.reason == "it is a draw by the rules" for one in found.findings)


def test_results_that_only_support_each_other_differ_from_tables(ours):
    """Draws are called wins for White with either side to move, and their neighbours unknown."""

    def change(_, board, method):
        if chance(board) % 7 or board.is_game_over():
            raise KeyError(board.fen())
        return method(board) or 1

    found = audit(Changed(ours, change, PROBES[:1]), "KRKN", 300, reference=ours)
    assert found.different
    assert "the tables have" in next(
        one.reason for one in found.findings if "moves" not in one.reason
    )


# The rest


def test_damaged_tables_are_no_findings(ours):
    def damaged(*_):
        raise CorruptTableError("KRK.h5 is damaged")

    with pytest.raises(CorruptTableError, match="is damaged"):
        audit(Changed(ours, damaged, PROBES[:1]), "KRK")


def test_what_cannot_be_audited(ours):
    with pytest.raises(TypeError, match=r"int has no probe_wdl, probe_dtz or probe_dtm"):
        audit(7, "KRK")
    with pytest.raises(InvalidRulesError, match="antichess cannot be audited"):
        audit(OfMates(chess.variant.AntichessBoard), "KRK")
    other = next(one for one in built_in_rules() if one != "chess")
    from tablebase.core.rules.rule_files import read_rules

    with pytest.raises(InvalidRulesError, match="name a material of chess"):
        audit_prober(ours, [Material((), (), read_rules(other))])


def test_the_seed_chooses_the_positions(ours):
    asked = []

    class Listening:
        def probe_wdl(self, board):
            asked[-1].append(board.fen())
            return ours.probe_wdl(board)

    for seed in (1, 1, 2):
        asked.append([])
        audit(Listening(), "KRK", 20, seed)
    assert asked[0] == asked[1] != asked[2]


def test_progress_and_findings_are_limited(ours):
    steps = []
    prober = Changed(ours, lambda *_: 2, PROBES[:1])
    (found,) = audit_prober(
        prober, [material_of("KRK")], 30, limit=3, progress=lambda *step: steps.append(step)
    )
    assert steps == [(number, 30) for number in range(1, 31)]
    assert len(found.findings) == 3 < found.contradicting


def test_chosen_positions_are_of_their_kinds():
    chosen = list(choose_positions(material_of("KPKP"), 120, np.random.default_rng(2)))
    assert len(chosen) == 120
    assert {"capture", "promotion", "en passant", "check", "random"} <= {one.kind for one in chosen}
    for kind, board in chosen:
        assert board.is_valid()
        assert kind == "random" or EDGES[kind].is_met(board)
    assert {board.turn for _, board in chosen} == {chess.WHITE, chess.BLACK}
    assert len({board.fen() for _, board in chosen}) > 110


def test_spans_in_words():
    assert meaning(ANY, DTM) == "between checkmate and win in 1 ply"
    assert meaning(DRAWN, DTM) == "draw"
    assert meaning(MATED, DTZ) == "checkmate"
    assert meaning(wins_in(3, 3), DTM) == "win in 3 plies"
    assert meaning(wins_in(120, prober_rule.FARTHEST), DTZ) == "cursed win in 120 plies or more"
    assert meaning(losses_in(0, prober_rule.FARTHEST), DTM) == "loss"
    assert meaning(losses_in(101, 102), DTM) == "loss in 101 to 102 plies"
