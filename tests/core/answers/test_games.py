"""Every question to a tablebase, of any game: the answers are those that follow from the moves."""

import copy
import pickle
import random
import shutil
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise

import chess
import numpy as np
import pytest
from support import oracle
from support.few import few
from support.forks import in_child, needs_fork, threads_may_fork
from support.games import (
    EACH,
    GAMES,
    by_definition,
    outcome_before,
    outcome_by_moves,
    random_setups,
    source_of,
)

from tablebase import open_tablebase
from tablebase.core.answers.known import best_line, look_up, rank_by_tables
from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.board.geometry import Color
from tablebase.core.board.symmetry import D4
from tablebase.core.ground.errors import MissingTableError, UnsupportedPositionError
from tablebase.core.index.numbering import table_index
from tablebase.core.outcomes.codes import Wdl
from tablebase.core.outcomes.metrics import DTM, DTZ, Wdl50
from tablebase.core.positions.any_position import as_position, position_of, read_position
from tablebase.core.positions.setup import Setup
from tablebase.core.positions.setup_fens import read_setup
from tablebase.core.rules.material import Material
from tablebase.core.rules.rule_files import built_in_rules, read_rules
from tablebase.core.rules.rules import CHESS

MATED = ~0


@pytest.fixture(scope="module")
def opened(made_games, zeroing_dir):
    """Return the tables of each game."""
    found = {
        name: Tablebase(
            [zeroing_dir if name == "chess" else made_games], rules=source_of(name, made_games)
        )
        for name in GAMES
    }
    yield found
    for tables in found.values():
        tables.close()


@pytest.fixture(params=EACH)
def playing(request):
    return request.param


@pytest.fixture
def game(playing):
    return GAMES[playing]


@pytest.fixture
def tables(playing, opened):
    return opened[playing]


@pytest.fixture
def setups(game, tables):
    """Return legal positions of the game, some with a right to capture en passant."""
    return setups_of(game, tables.rules)


@cache
def setups_of(game, rules):
    found = [setup for name in game.names for setup in random_setups(name, rules, 6, seed=1)]
    if game.passing:
        found += random_setups(game.passing, rules, 12, seed=2, passing=True)
        assert sum(any(one.en_passant()) for one in found) > 3
    return found


def asked(setup, clock=0):
    """Return what the tables of a game are asked with: a board in chess, else a setup."""
    if setup.rules == CHESS:
        board = chess.Board(setup._replace(clock=clock).fen)
        board.ep_square = setup.ep_square
        return board
    return setup._replace(clock=clock)


def expected_of(tables, setup, metric=DTM):
    """Return the outcome that follows from the moves."""
    return outcome_by_moves(
        metric, setup, lambda after: tables.probe_outcome(asked(after, after.clock), metric)
    )


def signed(outcome, mated=0):
    """Return an outcome as a probe gives it."""
    return mated if outcome == MATED else outcome if outcome >= 0 else outcome + 1


def sign(outcome):
    return (outcome > 0) - (outcome < 0)


def result50(outcome, clock=0):
    """Return the result under the 50-move rule by the outcome to zeroing."""
    plies = ~outcome if outcome < 0 else outcome
    in_time = outcome == MATED or plies + clock <= 100
    return sign(outcome) * (2 if in_time else 1)


# One position


@pytest.mark.thorough
def test_values_follow_from_the_moves(tables, setups):
    for setup in setups:
        board = asked(setup)
        outcome = expected_of(tables, setup)
        assert tables.probe_outcome(board) == outcome, setup
        assert tables.probe_dtm(board) == tables.get_dtm(board) == signed(outcome)
        assert tables.probe_wdl(board) == tables.get_wdl(board) == sign(outcome)


@pytest.mark.thorough
def test_distances_to_zeroing_follow_from_the_moves(game, tables, setups):
    for setup in setups:
        board = asked(setup, clock=90)  # which values disregard
        if DTZ in game.metrics:
            outcome = expected_of(tables, setup, DTZ)
            assert tables.probe_outcome(board, DTZ) == outcome, setup
            assert tables.probe_dtz(board) == tables.get_dtz(board) == signed(outcome, mated=-1)
            assert tables.probe_wdl50(board) == tables.get_wdl50(board) == result50(outcome)
        elif any(setup.moves()):
            for probe in (tables.probe_dtz, tables.probe_wdl50):
                with pytest.raises(MissingTableError, match="no DTZ of"):
                    probe(board)
            assert tables.get_dtz(board, 7) == tables.get_wdl50(board, 7) == 7


def test_fens_mean_their_positions(tables, setups):
    for setup in setups:
        for fen in (setup.fen, setup.fen.replace(" ", "_"), f"{setup.fen[:-4]} hmvc 3;"):
            if tables.rules == CHESS:
                with pytest.raises(TypeError, match=r"expected a chess\.Board"):
                    tables.probe_dtm(fen)
            else:
                assert tables.probe_dtm(fen) == tables.probe_dtm(setup)


def test_the_end_of_a_game_needs_no_table(game, tables, tmp_path):
    """Checkmate, stalemate and a king on its goal are what they are without files."""
    assert game.ends
    with Tablebase([tmp_path], rules=tables.rules) as empty:
        for fen, wdl in game.ends:
            setup = read_setup(fen, tables.rules)
            assert not any(setup.moves())
            for board in (asked(setup), asked(setup, clock=120)):
                for one in (empty, tables):
                    assert (one.probe_dtm(board), one.probe_wdl(board)) == (0, wdl)
                    assert (one.probe_dtz(board), one.probe_wdl50(board)) == (wdl, 2 * wdl)
                    assert one.rank_moves(board) == []
                    assert one.best_move(board) is None
                    assert one.mainline(board) == []
                    known = look_up(one, as_position(board))
                    assert (known.wdl, known.dtm, known.moves) == (wdl, 0, [])
                    for values, valid, single in ask_many(one, [board, fen]):
                        assert valid == [True, True]
                        assert values == [single(board)] * 2
            rows = [setup.squares]
            for values, valid, _ in ask_many(
                empty, np.array(rows), setup.material, setup.color is Color.WHITE
            ):
                assert valid == [True]
                assert values in ([wdl], [2 * wdl], [0])


# Many positions


def ask_many(tables, *given, metrics=(DTM, DTZ), **how):
    """Return the answers of all questions about many positions, and which are valid."""
    found = [
        (tables.probe_dtm_many, np.int16, tables.probe_dtm),
        (tables.probe_wdl_many, np.int8, tables.probe_wdl),
    ]
    if DTZ in metrics:
        found += [
            (tables.probe_dtz_many, np.int16, tables.probe_dtz),
            (tables.probe_wdl50_many, np.int8, tables.probe_wdl50),
        ]
    for many, kind, single in found:
        values, valid = many(*given, **how)
        assert values.dtype == kind
        assert valid.dtype == np.bool_
        yield values.tolist(), valid.tolist(), single


def test_many_positions_have_the_values_of_each(game, tables, setups):
    boards = [asked(setup) for setup in setups]
    fens = [setup.fen for setup in setups]
    mixed = [
        one if i % 2 else other for i, (one, other) in enumerate(zip(boards, fens, strict=True))
    ]
    forms = [boards, fens, mixed, np.array(fens, dtype=object), tuple(boards)]
    for given in (*forms, tables.read_positions(fens)):
        how = {"metrics": game.metrics, "threads": 2, "skip_missing": given is fens}
        for values, valid, single in ask_many(tables, given, **how):
            assert all(valid)
            assert values == [single(board) for board in boards]
    for values, valid, _ in ask_many(tables, [], metrics=game.metrics):
        assert values == valid == []


def squares_of(tables, name, count=30):
    """Return squares, legal or not, and whether White is to move."""
    rng = random.Random(name)
    material = Material.from_name(name, tables.rules)
    rows = [
        [rng.choice([*tables.rules.board.squares, *tables.rules.board.squares, 64, 255, -1, 0])
         for _ in material.men]
        for _ in range(4 * count)
    ]  # fmt: skip
    rows += [setup.squares for setup in random_setups(name, tables.rules, count, seed=4)]
    on_edges = [square for square in range(64) if square // 8 in {0, 3, 4, 7}]
    rows += [rng.sample(on_edges, len(material.men)) for _ in range(count)]
    return material, rows, [rng.random() < 0.5 for _ in rows]


def legal(material, row, white):
    """Return the position of a row of squares if it is one, else None."""
    rules = material.rules
    if not set(row) <= set(rules.board.squares) or len(set(row)) < len(row):
        return None
    setup = Setup(material, tuple(row), Color.WHITE if white else Color.BLACK)
    try:
        return read_setup(setup.fen, rules)
    except UnsupportedPositionError:
        return None


@pytest.mark.thorough
def test_squares_have_the_values_of_their_positions(game, tables):
    for name in game.names:
        material, rows, turns = squares_of(tables, name)
        known = [legal(material, row, white) for row, white in zip(rows, turns, strict=True)]
        assert 30 <= sum(map(bool, known)) < len(rows)
        for kind in (np.int64, np.int16):
            squares = np.array(rows, dtype=kind)
            for men in (material, name):
                how = {"metrics": game.metrics}
                for values, valid, single in ask_many(tables, squares, men, turns, **how):
                    assert valid == [one is not None for one in known]
                    assert values == [0 if one is None else single(asked(one)) for one in known]


def test_squares_that_do_not_fit_are_refused(game, tables):
    name = game.names[0]
    men = len(Material.from_name(name, tables.rules).men)
    fens = [setup.fen for setup in random_setups(name, tables.rules, 1)]
    for wrong, message in (
        (([[1] * (men + 1)], name, True), r"expected squares of shape"),
        (([[0.5] * men], name, True), "squares are integers"),
        (([list(range(men))], name, [True, False]), "turn has shape"),
        (([list(range(men))], name, "white"), "turn is True for White"),
        (([list(range(men))],), "squares need a material"),
        ((fens, name, True), "boards and FENs include their material"),
    ):
        with pytest.raises(ValueError, match=message):
            tables.probe_dtm_many(*wrong)


def test_missing_tables_are_skipped_or_named(game, tables, setups):
    (setup,) = random_setups(game.missing, tables.rules, 1)
    assert any(setup.moves())
    board, known = asked(setup), asked(setups[0])
    name = setup.material.normalized().name
    for probe in (tables.probe_dtm, tables.probe_wdl, tables.rank_moves, tables.mainline):
        with pytest.raises(MissingTableError, match=rf"no table of {name} in") as raised:
            probe(board)
        assert raised.value.materials == (name,)
    assert tables.get_dtm(board) is tables.get_wdl(board) is tables.get_dtz(board) is None
    for given in ([known, board], [setups[0].fen, setup.fen]):
        for values, valid, single in ask_many(
            tables, given, metrics=game.metrics, skip_missing=True
        ):
            assert valid == [True, False]
            assert values == [single(known), 0]
        with pytest.raises(MissingTableError, match=rf"no table of {name} in"):
            tables.probe_dtm_many(given)
        with pytest.raises(MissingTableError, match=rf"no table of {name} in"):
            tables.probe_wdl_many(given)
    rows = np.array([setup.squares, setup.squares])
    values, valid = tables.probe_wdl_many(
        rows, setup.material, setup.color is Color.WHITE, skip_missing=True
    )
    assert (values.tolist(), valid.tolist()) == ([0, 0], [False, False])


def test_texts_are_read_once_for_all_questions(game, tables, setups):
    texts, clocks = [], []
    for number, setup in enumerate(setups[:6]):
        fen = setup._replace(clock=number).fen
        texts += [fen, f'{fen.rsplit(" ", 2)[0]} id "a hmvc 9;"; hmvc {number};']
        clocks += [number, number]
    wrong = ["", "nonsense", f"{texts[0].split()[0]} x - - 0 1", "k7/K7/8 w - - 0 1"]
    given = tables.read_positions([*texts, *wrong])
    assert len(given) == len(texts) + len(wrong)
    assert given.clocks.dtype == np.int32
    assert given.clocks.tolist()[: len(texts)] == clocks
    assert sorted(given.errors) == list(range(len(texts), len(given)))
    assert all("\n" not in error for error in given.errors.values())
    for values, valid, single in ask_many(tables, given, metrics=game.metrics):
        assert valid == [True] * len(texts) + [False] * len(wrong)
        boards = [asked(setup) for setup in setups[:6] for _ in range(2)]
        assert values == [single(board) for board in boards] + [0] * len(wrong)
    for number, setup in enumerate(setups[:6]):
        assert as_position(given.board(2 * number)).fen == setup._replace(clock=number).fen
    with pytest.raises(UnsupportedPositionError):
        given.board(len(texts))


# Moves


def test_all_moves_are_ranked_by_their_values(tables, setups):
    for setup in setups:
        board = asked(setup)
        ranked = tables.rank_moves(board, rule50=False)
        after = {move.uci(): move for move in setup.moves()}
        assert {one.move.uci() for one in ranked} == set(after)
        assert len(ranked) == len(after)
        outcomes = []
        for one in ranked:
            move = after[one.move.uci()]
            reached = tables.probe_outcome(asked(move.after))
            outcomes.append(outcome_before(DTM, reached))
            assert (one.wdl, one.dtm) == (sign(outcomes[-1]), signed(outcomes[-1]))
            assert (one.mate, one.zeroing) == (reached == MATED, move.zeroing)
            assert (one.dtz, one.wdl50, one.difficulty) == (None, None, None)
        assert outcomes == sorted(outcomes, key=oracle.preference, reverse=True)
        assert tables.best_move(board, rule50=False) == (ranked[0].move if ranked else None)
        if tables.rules == CHESS:
            continue
        assert tables.rank_moves(setup.fen, rule50=False) == ranked
        # Equal moves keep their order.
        order = list(after)
        for one, other in pairwise(ranked):
            if one.dtm == other.dtm:
                assert order.index(one.move.uci()) < order.index(other.move.uci())


@pytest.mark.parametrize("clock", few([0, 60, 97, 99, 100, 130], 0, 99, 100))
def test_moves_under_the_50_move_rule(game, tables, setups, clock):
    for setup in setups[::2]:
        board = asked(setup, clock)
        ranked = tables.rank_moves(board)
        if DTZ not in game.metrics:
            assert ranked == tables.rank_moves(board, rule50=False)
            continue
        after = {move.uci(): move for move in setup.moves()}
        assert len(ranked) == len(after)
        keys = []
        for one in ranked:
            move = after[one.move.uci()]
            reached = tables.probe_outcome(asked(move.after), DTZ)
            result = -result50(reached, 0 if move.zeroing else clock + 1)
            if clock >= 100:  # a draw can be claimed before the move
                result = sign(result)
            outcome = by_definition(reached, zeroing=move.zeroing)
            assert (one.wdl50, one.dtz) == (result, signed(outcome, mated=-1)), (setup, one)
            to_mate = outcome_before(DTM, tables.probe_outcome(asked(move.after)))
            assert one.dtm == signed(to_mate)
            keys.append((result, oracle.preference(to_mate)))
        assert keys == sorted(keys, reverse=True)


@pytest.mark.thorough
@pytest.mark.parametrize("rule50", [False, True])
def test_lines_lead_to_the_end(game, tables, setups, rule50):
    for setup in setups[::3]:
        board = asked(setup)
        plies = tables.probe_dtm(board)
        line = tables.mainline(board, rule50=rule50)
        position = as_position(board)
        for move in line:
            assert move == tables.best_move(position.board, rule50=rule50)
            position = position.after(move)
        if rule50 and DTZ in game.metrics:
            is_kept = abs(tables.probe_wdl50(board)) == Wdl50.WIN
            assert len(line) >= abs(plies) or not is_kept
        else:
            is_kept = plies != 0
            assert len(line) == abs(plies)
        if is_kept:
            assert not any(position.moves())
            assert tables.probe_wdl(position.board) == -1
        assert best_line(tables, as_position(board), rule50=rule50) == line


# Symmetries and planes


def images_of(setup):
    """Yield the images of a position by the symmetries of its table, in both colours."""
    index = table_index(setup.material.normalized())
    for symmetry in index.symmetries:
        image = setup._replace(squares=tuple(D4[symmetry][list(setup.squares)].tolist()))
        image = image._replace(ep_square=None)
        yield image
        yield image.swapped()


def test_all_images_have_one_canonical_position(game, tables, setups):
    for name in game.names:
        for setup in random_setups(name, tables.rules, 5, seed=5):
            found = tables.canonical_position(asked(setup))
            assert found.material == setup.material.normalized()
            shown = as_position(found.board).setup()
            assert shown.rules == tables.rules
            assert isinstance(found.board, chess.Board) == (tables.rules == CHESS)
            values = set()
            for image in images_of(setup):
                same = tables.canonical_position(asked(image))
                assert (same.material, same.index, same.board) == (
                    (found.material, found.index, found.board)
                )
                assert read_setup(image.fen, tables.rules).men == image.men
                values.add(tables.probe_outcome(asked(image)))
            assert values == {tables.probe_outcome(found.board)}
            assert shown.men in [image.men for image in images_of(setup)]
    for setup in setups[-3:]:  # a right to capture en passant is not part of it
        without = setup._replace(ep_square=None)
        assert tables.canonical_position(asked(setup)) == tables.canonical_position(asked(without))


@pytest.mark.thorough
def test_planes_have_the_values_of_their_positions(game, tables):
    rng = random.Random(9)
    name = game.names[1]
    material = Material.from_name(name, tables.rules)
    for turn in (True, False):
        rows = [rng.sample(range(64), len(material.men) - 2) for _ in range(2)]
        found = tables.probe_wdl_planes(rows, material, turn=turn)
        assert found.dtype == np.uint64
        assert found.shape == (2, 3, 64)
        for _ in range(200):
            number, white, black = rng.randrange(2), rng.randrange(64), rng.randrange(64)
            squares = [white, black, *rows[number]]
            setup = legal(material, squares, turn)
            result = None if setup is None else tables.probe_wdl(asked(setup))
            bits = [int(word) >> black & 1 for word in found[number, :, white]]
            assert bits == [result == 1, result == -1, result is not None]
    with pytest.raises(ValueError, match="expected squares of shape"):
        tables.probe_wdl_planes([1, 2], material, turn=True)
    none = np.zeros((0, len(material.men) - 2), dtype=np.int64)
    assert tables.probe_wdl_planes(none, material, turn=True).shape == (0, 3, 64)


# The object itself


def test_tables_are_opened_and_closed(game, tables, setups, tmp_path):
    game_of = "" if tables.rules == CHESS else f" of {tables.rules.name}"
    (directory,) = tables.directories
    count = len(tables.available_tables)
    if tables.rules != CHESS:
        with open_tablebase(directory) as others:
            assert not others.available_tables
    assert repr(tables) == f"<Tablebase: {count} tables{game_of} in {directory}>"
    board, names = asked(setups[0]), [material.name for material in tables.available_materials]
    assert list(tables.available_tables) == names
    assert {Material.from_name(name, tables.rules).normalized().name for name in game.names} <= {
        *names
    }
    with open_tablebase(directory, rules=tables.rules, cache_size=1) as own:
        assert own.rules == tables.rules
        assert own.probe_dtm(board) == tables.probe_dtm(board)
        for twin in (pickle.loads(pickle.dumps(own)), copy.copy(own), copy.deepcopy(own)):
            with twin:
                assert twin.rules == own.rules
                assert twin.available_tables.keys() == own.available_tables.keys()
                assert twin.probe_dtm(board) == tables.probe_dtm(board)
    assert own.directories == ()
    assert not own.available_tables
    own.close()
    with pytest.raises(MissingTableError):
        own.probe_dtm(board)
    assert own.add_directory(directory) == len(names)
    assert own.add_directory(directory) == 0
    assert own.probe_dtm(board) == tables.probe_dtm(board)
    own.close()
    with pytest.raises(FileNotFoundError):
        own.add_directory(tmp_path / "none")


def test_positions_of_another_game_are_refused(tables, opened):
    for other in opened.values():
        if other.rules == tables.rules:
            continue
        (setup,) = random_setups("KK", other.rules, 1)
        board = asked(setup)
        if tables.rules == CHESS:
            expected, message = TypeError, r"expected a chess\.Board"
        else:
            expected = UnsupportedPositionError
            message = f"a position of {other.rules.name}, the tables are of {tables.rules.name}"
        for ask in (
            tables.probe_dtm,
            tables.probe_wdl,
            tables.probe_dtz,
            tables.rank_moves,
            tables.best_move,
            tables.mainline,
        ):
            with pytest.raises(expected, match=message):
                ask(board)
        with pytest.raises((TypeError, ValueError), match="position 0: "):
            tables.probe_dtm_many([board])


def test_squares_of_another_games_men_are_refused(tables, opened):
    for other in opened.values():
        if other.rules == tables.rules:
            continue
        material, squares = Material.from_name("KK", other.rules), np.array([[0, 36]])
        message = f"{other.rules.name}.*{tables.rules.name}"
        for ask in (tables.probe_dtm_many, tables.probe_wdl_many):
            with pytest.raises(ValueError, match=message):
                ask(squares, material, turn=True)
        with pytest.raises(ValueError, match=message):
            tables.probe_wdl_planes(squares[:, 2:], material, turn=True)


@pytest.mark.parametrize("given", [None, 5, b"8/8/8/8/8/8/8/8 w", [0, 1]])
def test_what_is_no_position_is_named(tables, given):
    for ask in (tables.probe_dtm, tables.get_wdl, tables.rank_moves, tables.best_move):
        with pytest.raises(TypeError, match="expected a"):
            ask(given)
    with pytest.raises((TypeError, ValueError)):
        tables.probe_dtm_many([given])


# What is known of a position


def test_records_have_what_tables_say(game, tables, setups):
    for setup in setups[::2]:
        for clock in (0, 95):
            board = asked(setup, clock)
            position = as_position(board)
            known = look_up(tables, position)
            assert (known.wdl, known.dtm) == (tables.probe_wdl(board), tables.probe_dtm(board))
            assert not known.is_proven
            assert known.moves == tables.rank_moves(board)
            assert known.moves == rank_by_tables(tables, position)
            if DTZ in game.metrics:
                assert known.dtz == tables.probe_dtz(board)
                assert known.wdl50 == result50(tables.probe_outcome(board, DTZ), clock)
            else:
                assert (known.wdl50, known.dtz) == (None, None)
            without = look_up(tables, position, rule50=False)
            assert (without.wdl, without.dtm) == (known.wdl, known.dtm)
            assert (without.wdl50, without.dtz) == (None, None)
            assert without.moves == tables.rank_moves(board, rule50=False)
            assert without.result == Wdl50(2 * known.wdl)


def test_records_of_what_is_missing(game, tables):
    (setup,) = random_setups(game.missing, tables.rules, 1)
    position = position_of(setup)
    for ask in (look_up, rank_by_tables, best_line):
        with pytest.raises(MissingTableError, match=f"no table of {setup.material.normalized()}"):
            ask(tables, position)


def test_a_text_and_its_position_are_one(tables, setups):
    for setup in setups:
        fen = setup._replace(clock=12).fen
        position = read_position(fen, tables.rules)
        assert position.fen == fen
        assert (position.color, position.clock, position.number) == (setup.color, 12, 1)
        assert position.rules == tables.rules
        assert position.is_check() == setup.is_check()
        assert position.setup()._replace(ep_square=None, clock=0) == setup._replace(ep_square=None)
        steps = [(step.move.uci(), step.zeroing, step.after.fen) for step in position.moves()]
        with_clock = read_setup(fen, tables.rules)
        expected = [(one.uci(), one.zeroing, one.after.fen) for one in with_clock.moves()]
        assert sorted(same_number(steps)) == sorted(expected)
        captures = [step.move.uci() for step in position.captures()]
        assert sorted(captures) == sorted(
            one.uci() for one in with_clock.moves() if one.captured is not None
        )
        passing = [step.move.uci() for step in position.en_passant()]
        assert sorted(passing) == sorted(one.uci() for one in with_clock.en_passant())
        assert position.final_outcome() == (None if steps else tables.probe_outcome(position.board))
        assert Wdl(tables.probe_wdl(position.board)) is not None


def same_number(steps):
    """Return moves with the number of the first one in each FEN: setups do not count moves."""
    return [(uci, zeroing, f"{fen.rsplit(' ', 1)[0]} 1") for uci, zeroing, fen in steps]


# What nobody should ask


KPK = Material.from_name("KPK", built_in_rules()["gardner"])


@pytest.mark.parametrize(
    ("squares", "more", "message"),
    [
        ((0, 0, 8), {}, r"KPK on the squares \[0, 0, 8\]: each piece needs one of its own"),
        ((0, 63, 8), {}, r"on the squares \[0, 63, 8\]"),
        ((0, -1, 8), {}, r"on the squares \[0, -1, 8\]"),
        ((0,), {}, r"on the squares \[0\]"),
        ((), {}, r"on the squares \[\]"),
        ((0, 18, 8, 9), {}, r"on the squares \[0, 18, 8, 9\]"),
        ((2, 18, 0), {}, "a pawn stands on a1 in "),
        ((2, 18, 32), {}, "a pawn stands on a5 in "),
        ((2, 18, 8), {"ep_square": 17}, "no pawn has just passed 'b3' in "),
        ((2, 18, 8), {"ep_square": 300}, "no pawn has just passed '300' in "),
        ((2, 11, 8), {}, "the kings stand next to each other"),
        ((2, 17, 8), {}, "the side to move could take the king, try b instead of w"),
    ],
)
def test_setups_that_are_no_positions(opened, squares, more, message):
    tables, setup = opened["gardner"], Setup(KPK, squares, Color.WHITE, **more)
    for ask in (
        tables.probe_dtm,
        tables.probe_wdl50,
        tables.rank_moves,
        tables.best_move,
        tables.mainline,
        tables.canonical_position,
        lambda one: look_up(tables, one),
        lambda one: best_line(tables, one),
    ):
        with pytest.raises(UnsupportedPositionError, match=message) as raised:
            ask(setup)
        assert "\n" not in str(raised.value)
    assert tables.get_dtm(setup) is tables.get_wdl50(setup) is None
    (good,) = random_setups("KPK", tables.rules, 1)
    for values, valid, single in ask_many(tables, [setup, good]):
        assert valid == [False, True]
        assert values == [0, single(good)]


def test_clocks_of_any_size(game, tables, setups):
    setup = next(one for one in setups if tables.probe_dtm(asked(one)))
    huge = asked(setup, 10**12)
    assert tables.probe_dtm(huge) == tables.probe_dtm(asked(setup))
    assert tables.probe_wdl_many([huge])[0] == [tables.probe_wdl(asked(setup))]
    known = look_up(tables, as_position(huge))
    assert known.wdl50 == (sign(known.dtm) if DTZ in game.metrics else None)
    fen = f"{setup.fen.rsplit(' ', 2)[0]} 99999999 1"
    given = tables.read_positions([fen, f"{setup.fen.rsplit(' ', 2)[0]} {'9' * 5000} 1"])
    assert given.clocks[0] > 1000
    assert list(given.errors) == [1]
    assert len(given.errors[1]) < 1000


def test_what_is_no_position_in_a_list_is_numbered(tables, setups):
    for wrong in (None, 5, b"8/8/8/8/8/8/8/8 w"):
        with pytest.raises(TypeError, match="position 1: expected a"):
            tables.probe_dtm_many([asked(setups[0]), wrong])


def test_the_error_of_a_text_is_one(opened):
    for ask in (opened["shatranj"].probe_dtm, opened["shatranj"].probe_wdl):
        with pytest.raises(UnsupportedPositionError, match="is not a FEN") as raised:
            ask("nonsense")
        assert raised.value.__context__ is None


@pytest.mark.parametrize("playing", ["shatranj", "makruk"])
def test_where_there_is_no_rule_there_is_nothing_to_build(opened, playing):
    tables = opened[playing]
    (setup,) = (one for one in random_setups("KPK", tables.rules, 1) if any(one.moves()))
    for ask in (tables.probe_dtz, tables.probe_wdl50, lambda one: tables.probe_dtz_many([one])):
        with pytest.raises(
            MissingTableError, match=f"^no DTZ of KPK: {playing} has no 50-move rule$"
        ):
            ask(setup)


@needs_fork
@threads_may_fork
def test_threads_and_forks_share_small_memory(tables, setups):
    """With memory for a page, every probe takes that of another one."""
    boards = [asked(setup) for setup in setups]
    expected = [tables.probe_dtm(board) for board in boards]
    with Tablebase(tables.directories, rules=tables.rules, cache_size=1) as small:

        def ask(_):
            return [small.probe_dtm(board) for board in boards]

        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(ask, range(8))) == [expected] * 8
        assert in_child(lambda: ask(0) == expected)


def test_a_batch_names_the_table_that_a_capture_en_passant_needs(made_games, tmp_path):
    rules = read_rules(source_of("fairy", made_games))
    shutil.copytree(made_games / rules.folder, tmp_path / rules.folder)
    (tmp_path / rules.folder / "KPK.h5").unlink()
    passing = "4k3/8/8/8/3pP3/8/8/4K3 b - e3"
    with Tablebase([tmp_path], rules=rules) as tables:
        assert tables.probe_dtm_many([passing.replace("e3", "-")])[1].all()
        for ask in (tables.probe_dtm, lambda fen: tables.probe_dtm_many([fen])):
            with pytest.raises(MissingTableError, match="no table of KPK in"):
                ask(passing)
