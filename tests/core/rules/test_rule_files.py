"""Files of rules: what keys mean, inheritance, and errors that name the line."""

import hashlib
import json
import re
from contextlib import suppress

import pytest
from support.combined_rules import ACCEPTED, COMBINATIONS, rules_of

from tablebase.core.board.geometry import PieceType
from tablebase.core.ground.errors import InvalidRulesError
from tablebase.core.rules.betza import read_betza
from tablebase.core.rules.flags import USUAL
from tablebase.core.rules.rule_files import (
    MOST_BYTES,
    PIECES,
    RULE_KEYS,
    built_in_rules,
    parse_rules,
    read_rules,
)
from tablebase.core.rules.rules import CHESS, Rules

TWO = """
# Two games.
[first:chess]
archbishop = a   # the princess
customPiece2 = h:NN
promotionPieceTypes = qrbna

[second:first]
queen = -
archbishop = c
promotionPieceTypes = rc
stalemateValue = loss
"""


def steps_of(rules, letter):
    return rules.steps[rules.letters[letter]]


def test_sections_inherit():
    first, second = parse_rules(TWO).values()
    assert (first.name, second.name) == ("first", "second")
    assert list(first.letters) == list("PNBRQKAH")
    assert set(steps_of(first, "A")) == set(read_betza("BN"))
    assert first.promotions == (7, PieceType.QUEEN, PieceType.ROOK, PieceType.BISHOP, 2)
    assert (first.stalemate, second.stalemate) == ("draw", "loss")
    assert list(second.letters) == list("PNBRKCH")
    assert second.letters["C"] == first.letters["A"] == 7
    assert second.promotions == (7, PieceType.ROOK)


@pytest.mark.thorough
def test_combinations_of_rules_are_accepted_or_refused_as_they_always_were():
    """And those that are have the same digest, by which files of tables know them."""
    found = {}
    for combination in COMBINATIONS:
        with suppress(InvalidRulesError):
            found[combination] = rules_of(combination).digest[:16]
    assert found == {combination: digest for combination, (digest, _) in ACCEPTED.items()}


@pytest.mark.parametrize("combination", ACCEPTED)
def test_another_flag_in_a_file_of_a_table_is_refused_unless_files_of_rules_say_it(combination):
    accepted = {digest for digest, _ in ACCEPTED.values()}
    rules = rules_of(combination)
    flags = [flag for flag, value in rules.said.items() if isinstance(value, bool)]
    assert len(flags) == 11
    for flag in flags:
        said = {flag: not rules.said[flag]}
        data = json.loads(rules.text) | said
        if said[flag] == USUAL[flag]:
            del data[flag]
        text = json.dumps(data, separators=(",", ":"), sort_keys=True)
        digest = hashlib.sha256(text.encode()).hexdigest()
        if digest[:16] in accepted or flag == "double_push":
            assert Rules.from_text("mine", text).digest == digest
        else:
            with pytest.raises(InvalidRulesError):
                Rules.from_text("mine", text)


def test_a_file_without_changes_is_chess():
    text = "[mine:chess]\ncastling = false\nqueen = q\npawn = p\nking = k\nstalemateValue = draw"
    assert parse_rules(text)["mine"] == CHESS


def test_chess_pieces_may_have_other_letters():
    rules = parse_rules("[german:chess]\nknight = s\nbishop = l\nqueen = d\nrook = t\n"
                        "promotionPieceTypes = dtls")["german"]  # fmt: skip
    assert list(rules.letters) == list("PSLTDK")
    assert list(map(set, rules.steps)) == list(map(set, CHESS.steps))
    assert rules != CHESS


def test_all_pieces_with_names_are_understood():
    assert all(read_betza(moves) for moves in PIECES.values())
    assert set(PIECES) <= set(RULE_KEYS)


def test_what_is_built_in():
    games = built_in_rules()
    assert games["chess"] == CHESS
    assert all(rules.source == name == rules.name for name, rules in games.items())
    shatranj = games["shatranj"]
    assert list(shatranj.letters) == list("PNRKBQ")
    assert set(steps_of(shatranj, "B")) == set(read_betza("A"))
    assert set(steps_of(shatranj, "Q")) == set(read_betza("F"))
    assert shatranj.promotions == (shatranj.letters["Q"],)
    assert shatranj.bare_king
    assert shatranj.stalemate == "loss"
    assert not shatranj.double_push


def test_shatranj_can_be_a_base():
    rules = parse_rules("[camels:shatranj]\ncustomPiece1 = c:C")["camels"]
    assert rules.bare_king
    assert "C" in rules.letters


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1", "line 1: 'x = 1' is not a header: write [name:base]"),
        ("\n[a]", "line 2: [a] has no base: write [a:chess]"),
        ("[a:b]", "line 1: unknown base 'b': known here are chess, shatranj"),
        ("[chess:chess]", "line 1: there is a game chess already: choose another name"),
        ("[a:chess]\n[a:chess]", "line 2: there is a game a already: choose another name"),
        ("[a:chess", "line 1: '[a:chess' is not a header: write [name:base]"),
        ("[a:chess]\nfoo = 1", "line 2: unknown key 'foo': `tablebase rules --keys` lists all"),
        ("[a:chess]\nfers q", "line 2: 'fers q' is neither a header [name:base] nor a line"),
        ("[a:chess]\nfers =", "line 2: 'fers =' is neither a header [name:base] nor a line"),
        ("[a:chess]\nfers = fe", "line 2: 'fe' is not a letter"),
        ("[a:chess]\nfers = q", "line 2: the letter Q stands for 2 kinds of pieces"),
        ("[a:chess]\nfers = p", "line 2: the letter P stands for 2 kinds of pieces"),
        ("[a:chess]\npawn = b", "line 2: pawn can only be p"),
        ("[a:chess]\nking = k:KN", "line 2: king can only be k"),
        ("[a:chess]\nking = -", "line 2: there is no king"),
        ("[a:chess]\nqueen = -", "line 2: pawns become Q, and there is no such piece"),
        ("[a:chess]\npawn = -\nfers = p", "line 3: the letter P is the pawn's"),
        ("[a:chess]\npromotionPieceTypes = qk", "line 2: pawns cannot become"),
        ("[a:chess]\ncustomPiece1 = BN", "line 2: write a letter, a colon and the moves"),
        ("[a:chess]\n\ncustomPiece1 = a:BX", "line 3: unknown piece 'X' in 'BX'"),
        ("[a:chess]\ncustomPiece26 = a:BN", "line 2: unknown key 'customPiece26'"),
        (
            "[a:chess]\nstalemateValue = won",
            "line 2: stalemateValue = won: write draw or loss or win",
        ),
        ("[a:chess]\ndoubleStep = 1", "line 2: doubleStep = 1: write true or false"),
        ("[a:chess]\nextinctionValue = loss", "line 2: extinction is supported only as a whole"),
        ("[a:chess]\npromotionRank = 9", "line 2: promotionRank = 9: write one of 3 4 5 6 7 8"),
        ("[a:chess]\nmaxFile = 5", "line 2: maxFile = 5: write one of c d e f g h"),
    ],
)
def test_errors_name_the_line(text, message):
    with pytest.raises(InvalidRulesError, match=f"^{re.escape(message)}"):
        parse_rules(text)


def test_reading_files(tmp_path):
    path = tmp_path / "two.ini"
    path.write_text(TWO, encoding="utf-8")
    second = read_rules(f"{path}:second")
    assert second == parse_rules(TWO)["second"]
    assert second.source == f"{path}:second"
    assert read_rules("chess") is not None
    with pytest.raises(InvalidRulesError, match=f"2 games in .*: write {path}:first or"):
        read_rules(path)
    with pytest.raises(InvalidRulesError, match="no game 'third' in"):
        read_rules(f"{path}:third")
    with pytest.raises(InvalidRulesError, match=r"no rules 'nothing': .* nor one of chess, "):
        read_rules("nothing")
    with pytest.raises(InvalidRulesError, match=r"no rules 'makrook': did you mean makruk\?"):
        read_rules("makrook")
    path.write_text("[a:chess]\nfers = f", encoding="utf-8")
    assert read_rules(path).name == "a"
    path.write_text("[a:chess]\nfres = f", encoding="utf-8")
    with pytest.raises(InvalidRulesError, match=f"{re.escape(str(path))}, line 2: unknown key"):
        read_rules(path)
    path.write_text("# nothing", encoding="utf-8")
    with pytest.raises(InvalidRulesError, match=r"0 games in .* write a section \[name:chess\]"):
        read_rules(path)


def test_a_bad_section_hides_no_other(tmp_path):
    """As in Fairy-Stockfish's own file, most of whose games are not supported."""
    path = tmp_path / "many.ini"
    path.write_text(
        "[hops:chess]\ncustomPiece1 = a:pR\n[good:chess]\nfers = f\n[child:hops]\nwazir = w\n"
        "[lost]\n[] odd\n[last:good]\nalfil = a\n[chess:chess]\n[twice:chess]\n[twice:chess]",
        encoding="utf-8",
    )
    assert read_rules(f"{path}:good").letters.keys() == {*"KQRBNPF"}
    assert read_rules(f"{path}:last").letters.keys() == {*"KQRBNPFA"}
    for name, line in {"hops": 2, "child": 2, "lost": 7, "twice": 13}.items():
        with pytest.raises(InvalidRulesError, match=f"{path}, line {line}: "):
            read_rules(f"{path}:{name}")
    with pytest.raises(InvalidRulesError) as raised:
        read_rules(path)
    games = " or ".join(f"{path}:{name}" for name in ("good", "last"))
    assert str(raised.value) == f"2 games in {path}: write {games}"
    path.write_text("[a:chess]\nfers = fe\n[b:chess]\nfers = fe", encoding="utf-8")
    with pytest.raises(InvalidRulesError, match="line 2: 'fe' is not a letter"):
        read_rules(path)


def test_files_in_other_encodings(tmp_path):
    path = tmp_path / "own.ini"
    text = "# M\u00fcller's game\n\n[a:chess]\ncustomPiece1 = a:BN"
    path.write_text(text, encoding="utf-8-sig")
    assert read_rules(path) == parse_rules(text)["a"]
    for encoding in ("latin-1", "utf-16"):
        path.write_text(text, encoding=encoding)
        assert read_rules(path) == parse_rules(text)["a"]


def test_a_large_file_is_refused_at_once(tmp_path):
    path = tmp_path / "own.ini"
    text = "[a:chess]\n#"
    path.write_text(text.ljust(MOST_BYTES, "-"), encoding="utf-8")
    assert read_rules(path).name == "a"
    path.write_text(text.ljust(MOST_BYTES + 1, "-"), encoding="utf-8")
    with pytest.raises(InvalidRulesError, match="is too large: rules take up to 1,000,000 bytes"):
        read_rules(path)


LONG = 10_000 * "x"


@pytest.mark.parametrize(
    "text",
    [
        f"[{LONG}:chess]", f"[a:{LONG}]", f"[{LONG}",
        f"[a:chess]\n{LONG}", f"[a:chess]\n{LONG} = 1",
        f"[a:chess]\nfers = {LONG}", f"[a:chess]\ncustomPiece1 = a:{LONG}",
        f"[a:chess]\ncustomPiece1 = {LONG}:B", f"[a:chess]\nstalemateValue = {LONG}",
        f"[a:chess]\nmaxFile = {LONG}", f"[a:chess]\nflagPiece = {LONG}",
        f"[a:chess]\nflagRegion = {LONG}", f"[a:chess]\nking = {LONG}",
        f"[a:chess]\npromotionPieceTypes = {LONG}", f"[a:chess]\nstartFen = {LONG}*",
        "".join(f"[a{number}:chess]\n" for number in range(50)) + "[b:c]",
    ],
)  # fmt: skip
def test_messages_do_not_repeat_long_texts(text):
    with pytest.raises(InvalidRulesError) as raised:
        parse_rules(text, "own.ini")
    assert len(str(raised.value)) < 500


def test_of_many_games_some_are_listed(tmp_path):
    path = tmp_path / "many.ini"
    path.write_text("".join(f"[a{number}:chess]\n" for number in range(100)), encoding="utf-8")
    with pytest.raises(InvalidRulesError, match=r"100 games in .*many\.ini:a29 or \.\.\.$"):
        read_rules(path)


def test_a_section_may_leave_the_race_and_keep_the_goal():
    text = "[mine:racingkings]\nflagMove = false\nchecking = true\nflagRegion = e8 d8"
    mine = parse_rules(text)["mine"]
    assert (mine.goal, mine.flag_move, mine.checking, mine.one_sided) == (
        "d8 e8",
        False,
        True,
        True,
    )
    text = "[mine:racingkings]\nflagMove = false\nflagPiece = -\nflagRegion = -"
    assert parse_rules(text)["mine"].goal == ""
