"""Rules as data: equality, what is refused, and their text in files."""

import dataclasses
import json

import pytest

from tablebase.core.board.geometry import PieceType
from tablebase.core.board.movement import CHESS_STEPS
from tablebase.core.ground.errors import InvalidMaterialError, InvalidRulesError
from tablebase.core.rules.betza import read_betza
from tablebase.core.rules.material import Material, all_materials, generation_order
from tablebase.core.rules.refusals import has_mates, require_mates, require_royal
from tablebase.core.rules.rule_files import built_in_rules, parse_rules, read_rules
from tablebase.core.rules.rules import CHESS, Kind, Rules

ARCHBISHOP = Kind("A", "archbishop", read_betza("BN"))
NIGHTRIDER = Kind("H", "nightrider", read_betza("NN"))


def with_kinds(*kinds, **options):
    return Rules("mine", (*CHESS.kinds, *kinds), CHESS.promotions, **options)


def test_chess():
    assert list(CHESS.letters) == list("PNBRQK")
    assert CHESS.steps == CHESS_STEPS
    assert (CHESS.folder, CHESS.mark) == ("", b"")


def test_rules_are_equal_by_what_changes_values():
    one = with_kinds(ARCHBISHOP)
    assert one == dataclasses.replace(one, name="yours", source="yours.ini")
    assert hash(one) == hash(dataclasses.replace(one, name="yours"))
    assert one == with_kinds(ARCHBISHOP._replace(name="princess"))
    others = [
        CHESS,
        with_kinds(ARCHBISHOP._replace(letter="C")),
        with_kinds(ARCHBISHOP, NIGHTRIDER),
        with_kinds(NIGHTRIDER),
        with_kinds(ARCHBISHOP, stalemate="loss"),
        with_kinds(ARCHBISHOP, bare_king=True),
        with_kinds(ARCHBISHOP, double_push=False),
        with_kinds(ARCHBISHOP._replace(quiet_steps=())),
        with_kinds(ARCHBISHOP, promotion_rank=6),
        with_kinds(ARCHBISHOP, files=6),
        with_kinds(ARCHBISHOP, walls="d4 d5"),
        with_kinds(ARCHBISHOP, goal="d4 d5"),
        dataclasses.replace(one, promotions=(PieceType.QUEEN,)),
    ]
    assert len({rules.digest for rules in [one, *others]}) == len(others) + 1
    assert one not in others


def test_exchanged_letters_are_other_rules():
    exchanged = ARCHBISHOP._replace(letter="H"), NIGHTRIDER._replace(letter="A")
    assert with_kinds(ARCHBISHOP, NIGHTRIDER) != with_kinds(*exchanged)
    assert with_kinds(ARCHBISHOP, NIGHTRIDER) != with_kinds(NIGHTRIDER, ARCHBISHOP)


def test_another_name_of_chess_is_chess():
    same = dataclasses.replace(CHESS, name="orthodox")
    assert same == CHESS
    assert same.folder == ""
    assert Material.from_name("KRK", same) == Material.from_name("KRK")


@pytest.mark.parametrize(
    "rules",
    [CHESS, with_kinds(ARCHBISHOP, NIGHTRIDER, stalemate="loss", bare_king=True)],
    ids=["chess", "mine"],
)
def test_a_text_gives_the_rules_again(rules):
    again = Rules.from_text("again", rules.text)
    assert again == rules
    assert again.steps == tuple(tuple(sorted(steps)) for steps in rules.steps)
    assert again.folder.removeprefix("again") == rules.folder.removeprefix(rules.name)


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", '{"kinds":[],"promotions":[]}', '{"kinds":[null,1],"promotions":[]}',
     CHESS.text.replace('"Q"', '"q"'), CHESS.text.replace(",", ", "),
     CHESS.text.replace('["K"', '["L"'), CHESS.text[:-1] + ',"bare_king":false}',
     CHESS.text.replace('"promotions":["Q"', '"promotions":["X"')],
)  # fmt: skip
def test_other_texts_are_refused(text):
    with pytest.raises(InvalidRulesError):
        Rules.from_text("x", text)


def test_a_text_is_canonical_json():
    text = with_kinds(ARCHBISHOP, bare_king=True).text
    assert json.dumps(json.loads(text), separators=(",", ":"), sort_keys=True) == text
    assert "double_push" not in text


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        ([ARCHBISHOP, ARCHBISHOP], "the letter A stands for 2 kinds of pieces"),
        ([ARCHBISHOP._replace(letter="Q")], "the letter Q stands for 2 kinds of pieces"),
        ([ARCHBISHOP._replace(letter="a")], "'a' is not a letter from A to Z"),
        ([ARCHBISHOP._replace(letter="AB")], "'AB' is not a letter from A to Z"),
        ([Kind("V", "both", read_betza("RD"))], "V reaches a square in two ways, as RD does"),
        ([ARCHBISHOP] * 40, "46 kinds of pieces, at most 31"),
    ],
)
def test_refusals(kinds, message):
    with pytest.raises(InvalidRulesError, match=message):
        with_kinds(*kinds)


def test_king_and_pawn_are_those_of_chess():
    kinds = list(CHESS.kinds)
    kinds[PieceType.KING] = None
    with pytest.raises(InvalidRulesError, match="there is no king"):
        Rules("x", tuple(kinds), CHESS.promotions)
    kinds[PieceType.KING] = Kind("K", "king", read_betza("KN"))
    with pytest.raises(InvalidRulesError, match="the king must be that of chess"):
        Rules("x", tuple(kinds), CHESS.promotions)


def test_names_of_materials_have_the_letters_of_the_rules():
    rules = with_kinds(ARCHBISHOP, NIGHTRIDER)
    material = Material.from_name("kqhavkr", rules)
    assert material.name == "KHAQKR"
    assert material != Material.from_name("KQKR")
    assert Material.from_name("KRKA", rules).normalized().name == "KAKR"
    assert material.swapped().rules is rules
    with pytest.raises(InvalidMaterialError, match="out of H A Q R B N P"):
        Material.from_name("KXK", rules)
    with pytest.raises(InvalidRulesError, match="chess has no kind of piece with the number 7"):
        Material((PieceType(7),))


def test_a_v_between_the_sides_is_read_where_it_is_no_letter():
    wizard = Kind("V", "wizard", read_betza("FC"))
    assert Material.from_name("KVK", with_kinds(wizard)).white == (PieceType(7),)
    assert Material.from_name("KRvK", with_kinds(ARCHBISHOP)).white == (PieceType.ROOK,)


def test_dependencies_follow_the_promotions():
    rules = dataclasses.replace(with_kinds(ARCHBISHOP), promotions=(PieceType(7),))
    order = generation_order([Material.from_name("KPK", rules)])
    assert [material.name for material in order] == ["KK", "KAK", "KPK"]
    assert len(all_materials(3, rules)) == len(all_materials(3)) + 1


@pytest.mark.parametrize(
    "lines",
    [
        "mustCapture = true",
        "stalemateValue = win",
        "king = -\ncommoner = k\nextinctionValue = win\nextinctionPieceTypes = *",
        "stalematePieceCount = true",
    ],
)
def test_giveaway_is_known_as_a_whole(lines):
    with pytest.raises(InvalidRulesError, match="supported only together"):
        parse_rules(f"[mine:chess]\n{lines}")


def test_no_king_is_royal_where_losing_wins():
    both = "mustCapture = true\nstalemateValue = win\nextinctionValue = win"
    lines = f"{both}\nextinctionPieceTypes = *"
    with pytest.raises(InvalidRulesError, match="write king = - and commoner = k"):
        parse_rules(f"[mine:chess]\n{lines}")
    mine = parse_rules(f"[mine:chess]\n{lines}\nking = -\ncommoner = k\n"
                       "promotionPieceTypes = kqrbn")["mine"]  # fmt: skip
    assert mine == read_rules("antichess") == read_rules("giveaway")
    assert not mine.royal
    assert Rules.from_text("mine", mine.text) == mine
    with pytest.raises(InvalidRulesError, match="the board is that of chess"):
        parse_rules("[mine:antichess]\nmaxFile = e")


def test_a_goal_that_is_another_from_blacks_side_makes_rules_one_sided():
    games = built_in_rules()
    assert [name for name in games if games[name].one_sided] == ["racingkings"]
    racing = games["racingkings"]
    assert not racing.ends_by_mate
    assert Rules.from_text("racingkings", racing.text) == racing
    assert not dataclasses.replace(racing, flag_move=False, goal="a1 a8").one_sided


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kinds": CHESS.kinds}, "without pawns: write pawn = -"),
        ({"kinds": CHESS.kinds, "checks": "free", "flag_move": False}, "from Black's side"),
        ({"stalemate": "loss"}, "only where nothing but a goal or mate wins"),
        ({"bare_king": True}, "only where nothing but a goal or mate wins"),
        ({"captures": "blast"}, "only where nothing but a goal or mate wins"),
        ({"checks": "free"}, "flagMove = true is supported only with checking = false"),
        ({"goal": "a8 b8"}, "all squares of the last rank"),
        ({"goal": ""}, "all squares of the last rank"),
    ],
)
def test_a_race_is_known_only_as_a_whole(changes, message):
    with pytest.raises(InvalidRulesError, match=message):
        dataclasses.replace(built_in_rules()["racingkings"], **changes)


@pytest.mark.parametrize("game", ["racingkings", "antichess"])
def test_what_knows_chess_alone_refuses_games_by_name(game):
    rules = built_in_rules()[game]
    with pytest.raises(InvalidRulesError, match=f"counts do not know {game}, in which"):
        require_mates(rules, "counts do")
    assert not has_mates(rules)
    if rules.royal:
        require_royal(rules, "lists do")
