"""Proofs: exact identities with the tables, python-chess forwards, and every kind of failure."""

from pathlib import Path

import chess
import numpy as np
import pytest
from support.few import few

from tablebase.core.answers.opening import open_tablebase
from tablebase.core.board.geometry import Color
from tablebase.core.ground.errors import MissingTableError
from tablebase.core.positions.any_position import as_position
from tablebase.core.positions.chess_board import board_of
from tablebase.core.reading.folders import find_rules
from tablebase.core.rules.material import Material
from tablebase.finding.dataset import load_table
from tablebase.finding.expressions import Expression, ValueKind
from tablebase.strategies import proving
from tablebase.strategies.after_moves import Rule, allowed_by, read_rule
from tablebase.strategies.game_graph import ends_of, uci_of
from tablebase.strategies.methods import read_method
from tablebase.strategies.proving import prove

DATA = Path(__file__).parents[2] / "data"
EVERY, BEST = "True", "the move that mates first, which no rule can say"
WON = {"KRK": 21_959, "KPK": 62_480}


@pytest.fixture(autouse=True)
def best_is_a_rule(monkeypatch):
    plies = Expression(kind=ValueKind.NUMBER, of=lambda found: found["after.mates_within"])
    best = Rule(BEST, read_rule("True", {}).condition, (plies,))
    monkeypatch.setattr(
        proving, "read_rule", lambda text, names: best if text is BEST else read_rule(text, names)
    )


def board_after(fen, moves):
    board = chess.Board(fen)
    for move in moves:
        board.push_uci(move)  # raises unless it is legal
    return board


@pytest.mark.parametrize("name", ["KRK", "KPK"])
def test_best_moves_take_the_distance_to_mate_everywhere(name):
    proof = prove(name, [BEST], DATA)
    assert proof.is_proven
    assert (proof.positions, proof.excess, proof.mean_excess) == (WON[name], 0, 0)
    longest = board_after(proof.longest_game.fen, proof.longest_game.moves)
    if name == "KRK":
        assert proof.longest == len(proof.longest_game.moves) == 31
        assert longest.is_checkmate()


@pytest.mark.parametrize("name", ["KRK", "KPK"])
def test_one_of_all_moves_takes_the_distance_to_mate_everywhere(name):
    proof = prove(name, [EVERY], DATA, any_of=True)
    assert proof.is_proven
    assert (proof.positions, proof.excess) == (WON[name], 0)
    assert prove(name, [EVERY], DATA).failures["slip"] == WON[name]


@pytest.mark.parametrize("name", ["KPKP", "KQKR", "KRKP"])
@pytest.mark.slow
def test_the_same_with_four_men(name, tables_dir):
    """But for captures en passant: no strategy is asked about them, because tables have none."""
    for rules, any_of in (([BEST], False), ([EVERY], True)):
        for side in Color:
            proof = prove(name, rules, tables_dir, any_of=any_of, side=side)
            assert proof.is_proven
            assert proof.excess == 0 if name != "KPKP" else proof.mean_excess < 0.1


def rules_of(folder, game):
    return next(one for one in find_rules([folder]).values() if one.name == game)


@pytest.mark.thorough
@pytest.mark.parametrize("game", few(["pawns", "shatranj"], "shatranj"))
def test_the_same_in_other_games(game, games_dir):
    """Pawns with a double step, and a game in which stalemate and a bare king lose."""
    with open_tablebase(games_dir, rules=rules_of(games_dir, game)) as tables:
        material = max(tables.available_materials, key=lambda one: one.piece_count)
    assert prove(material, [BEST], games_dir).excess == 0
    assert prove(material, [EVERY], games_dir, any_of=True).excess == 0


@pytest.mark.parametrize("goal", ["win", "promotion"])
def test_a_pawn_promotes_before_it_mates(goal):
    proof = prove("KPK", [BEST], DATA, goal=goal)
    assert proof.is_proven
    assert proof.excess is None
    last = proof.longest_game.moves[-1]
    assert len(last) == 5
    board = board_after(proof.longest_game.fen, proof.longest_game.moves)
    with open_tablebase(DATA) as tables:
        assert tables.probe_wdl(board) < 0


def test_any_move_that_holds_holds():
    proof = prove("KPK", [EVERY], DATA, goal="hold", any_of=True)
    assert proof.is_proven
    assert proof.longest is None
    assert proof.side is Color.BLACK
    data = load_table("KPK", DATA)
    black = data.positions(turn=False)
    # All that are not lost, without stalemates, in which Black has no move to choose.
    stalemates = sum(one.board().is_stalemate() for one in black[black.wdl == 0])
    assert proof.positions == int((black.wdl >= 0).sum()) - stalemates


@pytest.mark.thorough
def test_a_proof_holds_forwards_by_python_chess():
    """Of each position its plies are one more than the most after a move, in which all count."""
    rules = read_method(DATA.parent / "examples/strategies/krk_bratko.toml")
    proof = prove("KRK", rules, DATA)
    assert proof.is_proven
    follower, _ = proof._lines._arcs
    data, chance = load_table("KRK", DATA), np.random.default_rng(7)
    index, rules = data.table.index, data.material.rules
    for row in chance.choice(len(follower.slots), 300).tolist():
        squares = index.decode(int(follower.slots[row])).tolist()
        fen = board_of(data.material, squares, True).fen()  # noqa: FBT003
        moves = [
            uci_of(rules, *ends_of(int(follower.move[move])))
            for move in follower.of(int(follower.slots[row]))
        ]
        plies = [proof.plies(board_after(fen, [move])) for move in moves]
        assert proof.plies(fen) == 1 + max(plies)
    black = data.positions(turn=False)
    for found in black[chance.choice(np.flatnonzero(black.wdl < 0), 300)]:
        fen = found.board().fen()
        moves = [move.uci() for move in found.board().legal_moves]
        plies = [proof.plies(board_after(fen, [move])) for move in moves]
        assert None not in plies
        assert proof.plies(fen) == 1 + max(plies, default=-1)


def test_without_a_rule_that_fits_there_is_no_move():
    proof = prove("KRK", ["after.is_mate"], DATA)
    mates = load_table("KRK", DATA).positions(turn=True)
    assert proof.proven == int((mates.dtm == 1).sum())
    assert proof.failures == {"no move": 21_959 - proof.proven, "slip": 0, "loop": 0}
    line = proof.refutations["no move"]
    assert (line.moves, line.end) == ((), "no rule allows a move")
    assert str(proof).startswith("KRK, White mates: refuted in 21,")


def test_a_slip_shows_the_answer():
    rule = "minimise distance(after.white_rook, black_king)"
    proof = prove("KRK", [rule], DATA)
    line = proof.refutations["slip"]
    assert line.end == "a draw"
    board = board_after(line.fen, line.moves)
    assert board.is_insufficient_material()
    assert len(line.moves) == 2


def test_stalemate_is_a_slip():
    proof = prove("KRK", ["after.is_stalemate", BEST], DATA)
    assert proof.failures["loop"] == proof.failures["no move"] == 0
    line = proof.refutations["slip"]
    assert line.end == "stalemate"
    assert board_after(line.fen, line.moves).is_stalemate()
    assert prove("KRK", [BEST, "after.is_stalemate"], DATA).is_proven


def test_a_loop_comes_back():
    still = "after.white_rook == white_rook and after.mates_within(40)"
    proof = prove("KRK", [still, BEST], DATA)
    line = proof.refutations["loop"]
    assert line.end == "repeats"
    board, seen = chess.Board(line.fen), set()
    for move in line.moves:
        seen.add(board.epd())
        board.push_uci(move)
    assert board.epd() in seen
    assert line.query == f"?fen={line.fen.replace(' ', '_')}&moves={'_'.join(line.moves)}"


def test_the_kinds_of_failures_are_all_that_is_not_proven():
    proof = prove("KPK", read_method(DATA.parent / "examples/strategies/kpk.toml"), DATA)
    assert {kind for kind, count in proof.failures.items() if count} == {"slip", "loop"}
    assert sum(proof.failures.values()) == proof.positions - proof.proven
    for kind, line in proof.refutations.items():
        board_after(line.fen, line.moves)
        assert kind in str(proof)


def test_a_function_is_what_it_allows():
    def function(board):
        return [move for move in board.legal_moves if board.gives_check(move)]

    start = "black_king.rank > 6 and white_king == a1"
    proofs = [
        prove("KRK", strategy, DATA, start=start) for strategy in (["after.is_check"], function)
    ]
    assert proofs[0].positions == proofs[1].positions > 0
    assert proofs[0].failures == proofs[1].failures
    told = []
    proof = prove(
        "KRK", lambda board: next(iter(board.legal_moves)).uci(), DATA, start=start,
        progress=lambda *done: told.append(done),
    )  # fmt: skip
    assert proof.positions == proofs[0].positions
    assert told[-1][0] == told[-1][1]


@pytest.mark.thorough
def test_a_setup_may_be_asked_in_another_game(games_dir):
    material = Material.from_name("KQK", rules_of(games_dir, "shatranj"))
    proof = prove(material, lambda setup: [str(one.uci()) for one in setup.moves()], games_dir)
    assert proof.positions
    assert "Setup" not in str(proof)
    assert as_position(proof.refutations["slip"].fen, material.rules)


def test_where_takes_one_of_two_values():
    nearer = "where(black_king.file < 5, after.white_king.file, 9 - after.white_king.file)"
    proof = prove("KRK", [f"minimise {nearer} among after.mates_within(30)", BEST], DATA)
    assert proof.positions == 21_959


def test_the_first_rule_that_fits_decides():
    columns = Columns(
        {
            "a": np.array([1, 0, 0, 0, 0, 0, 0, 0]),
            "b": np.array([1, 1, 0, 3, 2, 2, 0, 0]),
            "c": np.array([1, 1, 0, 3, 3, 4, 9, 9]),
        }
    )
    names = {
        "a": Expression(kind=ValueKind.CONDITION, of=lambda found: found["a"] > 0),
        "b": Expression(kind=ValueKind.NUMBER, of=lambda found: found["b"]),
        "c": Expression(kind=ValueKind.NUMBER, of=lambda found: found["c"]),
    }
    rules = [read_rule(text, names) for text in ("a", "minimise b then -c among c < 9")]
    position = np.array([0, 0, 0, 1, 1, 1, 1, 2])
    allowed, decided = allowed_by(rules, columns, position)
    assert allowed.tolist() == [1, 0, 0, 0, 0, 1, 0, 0]
    assert decided.tolist() == [0, 1, -1]
    allowed, decided = allowed_by([], columns, position)
    assert not allowed.any()
    assert decided.tolist() == [-1, -1, -1]


class Columns(dict):
    def at(self, chosen):
        return Columns({name: column[chosen] for name, column in self.items()})


@pytest.mark.parametrize(
    ("strategy", "options", "words"),
    [
        (["after.is_mate"], {"goal": "draw"}, "there is no goal 'draw': choose from mate, win"),
        (["after.white_queen == a1"], {}, "no column 'after.white_queen'"),
        (["after.white_king.rank"], {}, "compare it"),
        (["minimise after.white_king"], {}, "is a square, of which nothing is the smallest"),
        (["minimise among after.is_check"], {}, "is no expression"),
        (["after.plies == 2"], {}, "but 2 is a number"),
        (["check"], {}, "no column 'check'"),
        (lambda _: "a1a1", {}, "allows 'a1a1', which is illegal: "),
        (lambda board: board.nothing, {}, "ends with AttributeError: "),
        (["after.is_mate"], {"start": "white_king.rank > 9"}, "no position of KRK to start from"),
        (["after.is_mate"], {"start": "white_queen.rank > 1"}, "white_queen"),
    ],
)
def test_what_makes_no_sense_is_refused(strategy, options, words):
    with pytest.raises(ValueError, match=words):
        prove("KRK", strategy, DATA, **options)


def test_other_refusals():
    with pytest.raises(TypeError, match=r"a rule is a text like 'after.is_check', not 5"):
        prove("KRK", [5], DATA)
    with pytest.raises(MissingTableError):
        prove("KQK", ["after.is_mate"], DATA / "nowhere")
    with pytest.raises(ValueError, match="is for KRK, not for KPK"):
        prove("KRK", [BEST], DATA).plies("8/8/8/8/8/4k3/1P6/K7 w - - 0 1")
