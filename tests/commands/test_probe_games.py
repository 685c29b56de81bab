"""``tablebase probe`` with tables of any game: the answers are those of `Tablebase`."""

import csv
import io
import json
import re
from functools import cache

import pytest
from support.commands import run
from support.few import few
from support.games import GAMES, random_setups, source_of

from tablebase.core.answers.known import best_line, look_up
from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.outcomes.metrics import DTZ
from tablebase.core.positions.any_position import as_position, position_of, read_position
from tablebase.core.rules.rule_files import read_rules
from tablebase.practice.sight import difficulty


@pytest.fixture(params=few(list(GAMES)[1:], "shatranj", "fairy"))
def playing(request):
    return request.param


@pytest.fixture
def game(playing):
    return GAMES[playing]


@pytest.fixture
def tables(playing, made_games):
    with Tablebase([made_games], rules=source_of(playing, made_games)) as opened:
        yield opened


@pytest.fixture
def ask(capsys, playing, made_games):
    """Return a function that probes by the rules of the game and returns what it prints."""
    options = ("--rules", source_of(playing, made_games), "--dir", str(made_games))

    def ask(*arguments):
        code, output, errors = run(capsys, "probe", *map(str, arguments), *options)
        assert (code, errors) == (0, "")
        return output

    return ask


@pytest.fixture
def setups(game, tables):
    """Return positions of wins, draws and losses, with clocks."""
    return setups_of(game, tables.rules)


@cache
def setups_of(game, rules):
    found = [setup for name in game.names for setup in random_setups(name, rules, 3, seed=7)]
    if game.passing:
        found += random_setups(game.passing, rules, 4, seed=8, passing=True)
    return [setup._replace(clock=10 * number) for number, setup in enumerate(found)]


def values_of(one, *, fifty_moves):
    """Return the values of a record or a move as JSON has them."""
    result = one.wdl50 if fifty_moves else one.result
    return {
        "wdl": one.wdl,
        "wdl50": one.wdl50,
        "category": result.name.lower().replace("_", "-"),
        "dtm_plies": one.dtm,
        "dtz": one.dtz,
    }


@pytest.mark.thorough
def test_json_has_what_the_record_has(game, tables, setups, ask):
    rules = tables.rules
    for setup in setups:
        known = look_up(tables, setup)
        answer = json.loads(ask("--json", "--line", setup.fen))
        moves = answer.pop("moves")
        plies = abs(known.dtm)
        assert answer == {
            "rules": rules.name,
            "rules_sha256": rules.digest,
            "fen": setup.fen,
            "result": known.wdl.name.lower(),
            **values_of(known, fifty_moves=rules.fifty_moves),
            "dtm_moves": (plies + 1) // 2 * (1 if known.dtm > 0 else -1),
            "checkmate": setup.end == "checkmate",
            "stalemate": setup.end == "stalemate",
            "over": setup.end is not None,
            "fifty_move_warning": None,
            "line": [move.uci() for move in best_line(tables, setup)],
        }
        has_zeroing = DTZ in game.metrics
        assert (answer["dtz"] is not None) == (answer["wdl50"] is not None) == has_zeroing
        assert len(moves) == len(known.moves)
        for found, one in zip(moves, known.moves, strict=True):
            assert found == {
                "uci": one.move.uci(),
                "san": setup.name_of(one.move),
                **values_of(one, fifty_moves=rules.fifty_moves),
                "mate": one.mate,
                "zeroing": one.zeroing,
            }


def test_json_has_the_keys_of_chess(capsys, setups, ask, folders_by_metric):
    fen = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"
    options = ("--json", "--line", "--dir", str(folders_by_metric["both"]))
    chess_has = json.loads(run(capsys, "probe", fen, *options)[1])
    answer = json.loads(ask("--json", "--line", setups[0].fen))
    assert [*answer] == ["rules", "rules_sha256", *chess_has]
    for move in answer["moves"]:
        assert [*move] == [*chess_has["moves"][0]]


def test_json_with_difficulties(game, tables, setups, ask):
    for setup in setups[:4]:
        moves = json.loads(ask("--json", "--difficulty", setup.fen))["moves"]
        known = look_up(tables, setup)
        for found, one in zip(moves, known.moves, strict=True):
            expected = None
            if DTZ in game.metrics:
                expected = difficulty(tables, one.move.after)
            elif one.move.after.final_outcome() is not None:
                continue  # the end of a game needs no distances
            assert found["difficulty"] == expected


def test_words_are_those_of_the_record(tables, setups, ask):
    for setup in setups:
        known = look_up(tables, setup)
        words = " ".join(ask(setup.fen).split())
        mover, other = ("White", "Black") if setup.fen.split()[1] == "w" else ("Black", "White")
        assert f"{mover} to move" in words or not known.moves
        if known.moves and known.wdl50 in {None, 2 * known.wdl}:
            how = "wins: mate in" if tables.rules.ends_by_mate else "wins in"
            said = {1: f"{mover} {how}", 0: "Draw", -1: f"{other} {how}"}
            assert said[known.wdl] in words
        for one in known.moves:
            assert setup.name_of(one.move) in words
        letters = setup.fen.split()[0]
        rows = ask(setup.fen).splitlines()[: tables.rules.ranks]
        width = 2 + 2 * tables.rules.files
        shown = ["".join(row[:width].split()[1:]) for row in rows]
        assert shown == re.sub(r"\d", lambda empty: "." * int(empty[0]), letters).split("/")


@pytest.mark.thorough
def test_lines_are_written_out(tables, setups, ask):
    for setup in setups:
        words = ask("--line", setup.fen.replace(" ", "_"))
        line = best_line(tables, setup)
        if not line:
            end = "mate" if setup.rules.ends_by_mate else "a win"
            assert f"There is no line to {end}." in words
            continue
        names, here = [], setup
        for move in line:
            names.append(here.name_of(move))
            here = move.after
        told = words[words.index(f"{names[0]}") :]
        assert [word for word in told.split() if not word.endswith(".")] == names


def test_files_have_a_row_for_each_position(game, tables, setups, ask, tmp_path):
    path = tmp_path / "positions.epd"
    texts = [
        setup.fen
        if number % 2
        else f'{" ".join(setup.fen.split()[:4])} hmvc {setup.clock}; id "x";'
        for number, setup in enumerate(setups)
    ]
    path.write_text("# a comment\n\n" + "\n".join(texts) + "\n", encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(ask("--file", path, "--best"))))
    objects = [json.loads(line) for line in ask("--file", path, "--best", "--json").splitlines()]
    assert len(rows) == len(objects) == len(setups)
    for text, setup, row, found in zip(texts, setups, rows, objects, strict=True):
        known = look_up(tables, setup)
        expected = {
            "fen": text,
            "wdl": known.wdl,
            "dtm": known.dtm,
            "dtz": known.dtz,
            "wdl50": known.wdl50,
            "best_move": known.moves[0].move.uci() if known.moves else None,
            "error": None,
        }
        if DTZ not in game.metrics and not known.moves:
            del found["dtz"], row["dtz"], expected["dtz"]
        assert found == expected
        assert row == {key: "" if one is None else str(one) for key, one in expected.items()}


def test_the_clock_counts_where_the_rule_does(game, tables, setups, ask):
    for setup in setups[:3]:
        late = setup._replace(clock=99)
        answer = json.loads(ask("--json", late.fen))
        assert answer["fen"].split()[4] == "99"
        known = look_up(tables, late)
        assert answer["wdl50"] == known.wdl50
        if DTZ in game.metrics and known.wdl and known.moves and abs(known.dtz) > 1:
            assert answer["category"] in {"cursed-win", "blessed-loss"}
            assert "50-move rule" in ask(late.fen)
        elif DTZ not in game.metrics:
            assert answer["category"] == known.wdl.name.lower()
            assert "50-move rule" not in ask(late.fen)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("", "give a FEN"),
        ("nonsense", "is not a FEN: write pieces and side to move, w or b"),
        ("{men} x", "is not a FEN: write pieces and side to move, w or b"),
        ("{men}/8 {turn}", "ranks, not"),
        ("{men} {turn} bm", "has rights that tables do not know: write - -"),
        ("{men} {turn} - e9", "no pawn has just passed 'e9'"),
        ("{men} {turn} - - nine", "'nine' is not a halfmove clock"),
        ("{men} {turn} - - 99999999999999999999", "is not a halfmove clock"),
        ("{men} {turn} - - hmvc x;", "'x' is not a halfmove clock"),
        ("{missing}", "no table of"),
        ("{many}", "pieces, but tables have at most 6"),
    ],
)
def test_bad_input_is_one_line(capsys, playing, made_games, game, tables, setups, wrong, message):
    men, turn = setups[0].fen.split()[:2]
    (missing,) = random_setups(game.missing, tables.rules, 1)
    piece = next(letter for letter in tables.rules.letters if letter not in "KP")
    (many,) = random_setups(f"K{piece * 3}K{piece * 3}", tables.rules, 1)
    text = wrong.format(men=men, turn=turn, missing=missing.fen, many=many.fen)
    options = ("--rules", source_of(playing, made_games), "--dir", str(made_games))
    for how in ([], ["--json"], ["--line"]):
        try:
            code, output, errors = run(capsys, "probe", *how, *([text] if text else []), *options)
        except SystemExit as end:
            code, (output, errors) = end.code, capsys.readouterr()
        assert (code, output) == (2, "")
        assert errors.count("\n") == 1
        assert message in errors
        assert not text or len(errors) < 400


def test_files_with_bad_input_name_the_first(capsys, playing, made_games, setups, tmp_path):
    path = tmp_path / "positions.txt"
    path.write_text(f"{setups[0].fen}\nnonsense\n\n{setups[1].fen}\nK7/8 w\n", encoding="utf-8")
    options = ("--rules", source_of(playing, made_games), "--dir", str(made_games))
    code, output, errors = run(capsys, "probe", "--file", str(path), "--best", *options)
    assert code == 2
    rows = list(csv.DictReader(io.StringIO(output)))
    assert [bool(row["error"]) for row in rows] == [False, True, False, True]
    assert [row["wdl"] == "" for row in rows] == [False, True, False, True]
    assert errors.count("\n") == 1
    assert (
        "positions.txt: 2 positions could not be looked up, the first in line 2: 'nonsense' is"
        in errors
    )


@pytest.mark.parametrize(
    ("rules", "message"),
    [("chequers", "chequers"), ("no.ini", "no.ini"), ("{ini}:draughts", "draughts")],
)
def test_rules_that_there_are_not(capsys, made_games, rules, message):
    rules = rules.format(ini=made_games / "fairy.ini")
    options = ("--rules", rules, "--dir", str(made_games))
    code, output, errors = run(capsys, "probe", "8/8/8/8/8/2k5/1R6/K7 w", *options)
    assert (code, output, errors.count("\n")) == (2, "", 1)
    assert message in errors


def test_chess_by_its_name_is_chess(capsys, folders_by_metric):
    fen, options = "8/8/8/8/8/2k5/1R6/K7 w - - 7 1", ("--dir", str(folders_by_metric["both"]))
    for how in ([], ["--json", "--line"], ["--line"]):
        plain = run(capsys, "probe", fen, *how, *options)
        assert plain[0] == 0
        assert run(capsys, "probe", fen, *how, *options, "--rules", "chess") == plain


def test_positions_are_read_alike(tables, setups):
    for setup in setups:
        read = read_position(setup.fen, tables.rules)
        assert position_of(setup) == as_position(setup) == setup
        assert read == setup._replace(
            ep_square=setup.ep_square if any(setup.en_passant()) else None
        )
        assert read.rules == read_rules(tables.rules.source) == tables.rules
