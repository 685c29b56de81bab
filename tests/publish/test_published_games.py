"""Published tables annotate games, and find positions, as the server does."""

import json
import random
import subprocess
from pathlib import Path
from shutil import rmtree

import chess
import pytest
from support.annotated import GameError, annotated_game
from support.published import (
    SCRIPTS,
    address_of,
    in_node,
    needs_node,
    publish_tables_alone,
    publish_values,
    random_boards,
)

from tablebase import open_tablebase
from tablebase.core.answers.canonical import slot_of
from tablebase.core.answers.known import look_up
from tablebase.core.outcomes.metrics import metric_named
from tablebase.core.positions.any_position import left_out
from tablebase.core.positions.chess_position import ChessPosition
from tablebase.core.rules.material import Material
from tablebase.publish.own_files import read_checked
from tablebase.serve.lichess import describe_standard

pytestmark = needs_node

ROOT = Path(__file__).parents[2]
ROOK = '[FEN "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"]\n\n'
CASTLING = """[Event "Long"]
[White "Ann \\"A\\" B"]
[Black "?"]
[Result "*"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 (3... Nf6 4. O-O Nxe4) 4. Ba4 Nf6 5. 0-0 Be7
6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Bb7 10. d4 Re8 11. Nbd2 Bf8 1/2-1/2
"""
GAMES = [
    (ROOT / "examples" / "game.pgn").read_text(encoding="utf-8"),
    f"{ROOK}1. Rb7 Kd4 2. Ka2 $2 Kc5 3. Kb3?? Kd6 (3... Kd4 4. Rb8 $14 {{ a try }}) 4. Rh7 *",
    f"{ROOK}1. Rb3+ Kxb3 1/2-1/2",
    f"{ROOK}{{before}} 1. Rb7 {{ [%eval #3] [%clk 0] }} Kc4 ; rest\n2. Rb1 ({{first}} 2. Rh7) Kc3",
    f"{ROOK}1. Rb7 Kc4 2. Nf3 Kd5",
    f"{ROOK}1. Rb7 -- 2. Rb1 Kd2",
    f"{ROOK}1. b2b7 Kc3c4 2. Rb7-b1",
    '[FEN "8/1k1P4/8/8/8/8/p6K/8 w - - 0 1"]\n\n1. d8=Q a1=Q 2. Qd7+ Kb6 *',
    '[FEN "8/8/8/8/k1Pp4/8/8/K7 b - c3 0 1"]\n\n1... dxc3 2. Kb1 Kb3',
    '[FEN "8/8/8/8/8/2k5/1R6/K6Q w - - 0 1"]\n\n1. Qh8+ Kd3 2. Qd8+ *',
    CASTLING,
    "1. e4 e5 2. Qxz9 Nf6",
    "1. e4 (1. d4 Sf3 2. c4) e5 2. Nf3 o-o",
    f"{ROOK}\n\n\n1. Rb7 N Kd4 +/- (1... Kc4 1-0) 2. Kb1 e.p. {{open\n\nto the end\n",
    f"[Event Ann]\n{ROOK}1.Rb7 Kd4 2…Ka2 ½-½",
    f'{ROOK}1. Rb7 {{ open\n\n[Event "B"]\n1. d4 d5 *\n[Event "C"]\n\n[Event "D"]\n\n1. c4',
    '[FEN "8/8/8/8/8/2k5/1R6/K7 w - - 0 1\n"]\n\n1. Rb7 Kd3 *',
    '[FEN "8/8/8/8/8/1P3k2/2K5/8 w - - 98 80"]\n\n80. Kd3 (80. Kb2) Kf4 81. b4 (81. Kd4) *',
    '[FEN "8/8/8/8/2k5/8/1R6/K7 b - - 95 90"]\n\n1... Kc3 (1... Kd3) (1... Kc5) *',
    '[Fen "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"]\n\n1. Rb7 Kd3 *',
    f"{CASTLING}\n% not of a game\n\n{ROOK}1. Rb7 Kd3 *\n",
]
REFUSED = [
    "",
    "nonsense",
    '[Variant "Atomic"]\n\n1. e4',
    '[FEN "nonsense"]\n\n1. e4',
    '[A "b"]\n\n*',
]


@pytest.fixture(scope="module")
def site(zeroing_dir, tmp_path_factory):
    """Return pages and all tables of up to four men, for node."""
    folder = publish_values([zeroing_dir / "KRK.h5"], tmp_path_factory.mktemp("site"))
    rmtree(folder / "tables")
    publish_tables_alone(zeroing_dir, folder / "tables")
    return for_node(folder)


def for_node(folder):
    """Mark the scripts of a folder of publication as modules, for node; return it."""
    # In a page all scripts are modules.
    (folder / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    return folder


def asked(site, questions):
    """Return what published pages answer to questions of `source.js`."""
    address = f"{site.resolve().as_uri()}/"
    lines = in_node("ask_published.mjs", address, lines=map(json.dumps, questions))
    return [json.loads(line) for line in lines]


def annotated(site, games):
    lines = in_node(
        "annotate_published.mjs", f"{site.resolve().as_uri()}/", lines=[json.dumps(games)]
    )
    return [json.loads(line) for line in lines]


@pytest.mark.thorough
def test_games_are_annotated_as_by_the_server(site, zeroing_dir):
    games = [(text, 1) for text in GAMES] + [(GAMES[-1], 2)]
    with open_tablebase(zeroing_dir) as tables:
        for (text, number), found in zip(games, annotated(site, games), strict=True):
            expected = annotated_game(tables, text, number)
            problem, of_the_page = expected.pop("problem"), found.pop("problem")
            del expected["pgn"]
            assert found == expected, text
            assert (problem is None) == (of_the_page is None)
            assert problem is None or of_the_page.split()[:3] == problem.split()[:3]
    faults = [one["faults"] for one in annotated(site, [(GAMES[2], 1)])]
    assert faults[0]["w"] == {"changes": 1, "slower": 0}


def test_what_is_no_game_is_refused(site, zeroing_dir):
    with open_tablebase(zeroing_dir) as tables:
        for text in REFUSED:
            with pytest.raises(GameError):
                annotated_game(tables, text)
    for found in annotated(site, [(text, 1) for text in REFUSED] + [(GAMES[0], 2)]):
        assert found["error"] == "GameError"
        assert len(found["message"].splitlines()) == 1


def test_games_of_any_length_are_annotated(site):
    moves = "".join(f"{i + 1}. Rb{1 + i % 2} Kc{4 - i % 2} " for i in range(120))
    (found,) = annotated(site, [(f'[FEN "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"]\n\n{moves}', 1)])
    assert (found["positions"], found["known"]) == (241, 241)


WANTED = [
    ("KRK", True, "dtm", 31),
    ("KRK", False, "dtm", -1 - 30),
    ("KRK", False, "dtm", -1),
    ("KQKR", True, "dtz", 21),
    ("KPK", True, "dtz", 3),
    ("KPKP", True, "dtm", 41),
    ("KNNK", True, "dtm", 1),
    ("KRKN", False, "dtm", 1),
    ("KPPK", False, "dtm", -1 - 20),
]


def test_positions_of_a_distance_are_found(site, zeroing_dir):
    wanted = [
        (name, {"white": white, "metric": metric, "outcome": outcome})
        for name, white, metric, outcome in WANTED
    ]
    lines = in_node("find_published.mjs", address_of(site), lines=[json.dumps(wanted)])
    with open_tablebase(zeroing_dir) as tables:
        for (name, white, metric, outcome), line in zip(WANTED, lines, strict=True):
            board = chess.Board(json.loads(line))
            assert board.is_valid()
            assert board.turn == white
            assert slot_of(board)[0].name == name
            assert tables.probe_outcome(board, metric=metric_named(metric)) == outcome
            assert look_up(tables, ChessPosition(board)).dtm is not None


def test_what_is_not_found(site):
    none = {"white": True, "metric": "dtm", "outcome": 33}
    wanted = [("KRK", none), ("KPKP", {**none, "white": False}), ("KQRKQ", none), ("xyz", none)]
    wanted += [("KRK", {**none, "metric": "dtc"})]
    lines = in_node("find_published.mjs", address_of(site), lines=[json.dumps(wanted)])
    answers = [json.loads(line) for line in lines]
    assert answers[:2] == [None, None]
    names = [one["error"] for one in answers[2:]]
    assert names == ["MissingTableError", "UnsupportedPositionError", "MissingTableError"]


def test_pages_name_what_they_did_not_find(zeroing_dir, tmp_path):
    """Of a large table a page reads few chunks; here it reads none."""
    site = for_node(
        publish_values([zeroing_dir / f"{name}.h5" for name in ("KRKP", "KNNK")], tmp_path)
    )
    reader = site / "reader" / "table.js"
    text = reader.read_text(encoding="utf-8")
    assert "MOST_CHUNKS = 256;" in text
    reader.write_text(text.replace("MOST_CHUNKS = 256;", "MOST_CHUNKS = 0;"), encoding="utf-8")
    summary = read_checked(site / "tables" / "KRKP.summary.json")
    longest = summary["longest"]["dtm"]["white_to_move"]["win"]
    cursed = max(map(int, summary["histograms"]["dtz"]["black_to_move"]["win"]))
    conditions = [("w", "win", "dtm", longest["plies"]), ("w", "win", "dtm", longest["plies"] - 2)]
    conditions += [("b", "loss", "dtz", 8), ("b", "win", "dtz", cursed + 1)]
    keys = ("turn", "result", "metric", "plies")
    questions = [("find", "KRKP", dict(zip(keys, one, strict=True))) for one in conditions]
    found, rare, many, none = asked(site, questions)
    assert found["fen"] == longest["fen"]
    assert none == {"status": 404, "message": "KRKP has no such position"}
    for answer, metric, side, result, plies, command in [
        (rare, "dtm", "white_to_move", "win", longest["plies"] - 2, "--turn white --plies {}"),
        (many, "dtz", "black_to_move", "loss", 8,
         "--turn black --plies {} --metric dtz --result loss"),
    ]:  # fmt: skip
        count = summary["histograms"][metric][side][result][str(plies)]
        assert answer["status"] == 404
        assert answer["message"] == (
            f"KRKP has {count:,} such position{'s' if count > 1 else ''}, but none in the 0 random "
            "parts of its table that a page reads: try again, or run tablebase find KRKP "
            f"{command.format(plies)} --sample 1"
        )


def test_tables_that_are_published_again_are_opened_again(tables_dir, zeroing_dir, tmp_path):
    """An index that was read before does not fit the new file."""
    names = ("KRNK", "KRK", "KNK")
    site = for_node(publish_values([tables_dir / f"{name}.h5" for name in names], tmp_path))
    page = subprocess.Popen(
        ["node", SCRIPTS / "ask_published.mjs", f"{site.resolve().as_uri()}/"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip

    def ask(fen):
        page.stdin.write(json.dumps(["standard", fen]) + "\n")
        page.stdin.flush()
        return json.loads(page.stdout.readline())

    with page:
        before = ask("8/8/3N4/8/8/2k5/1R6/K7 w - - 0 1")
        assert before["dtm"] > 0
        assert before["dtz"] is None
        publish_values([zeroing_dir / f"{name}.h5" for name in names], site)
        assert ask("7N/8/8/3k4/8/8/6K1/R7 b - - 0 1")["dtz"] < 0
        page.stdin.close()
    assert page.returncode == 0


def test_random_positions_are_legal_and_differ(site):
    wanted = [(name, None) for name in ("KRK", "KPKP", "KKR", "KQvKR")] * 8
    lines = in_node("find_published.mjs", address_of(site), lines=[json.dumps(wanted)])
    boards = [chess.Board(json.loads(line)) for line in lines]
    assert all(board.is_valid() for board in boards)
    names = [slot_of(board)[0].name for board in boards[:4]]
    assert names == ["KRK", "KPKP", "KRK", "KQKR"]
    assert len({board.fen() for board in boards}) > 20
    assert {board.turn for board in boards} == {True, False}


def test_positions_of_many_men_are_answered_as_by_the_server(site, zeroing_dir):
    fens = [
        chess.STARTING_FEN,
        "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 1",
        "r3k2r/8/8/8/8/3q4/8/R3K2R b KQkq - 3 9",
        "r3k1nr/8/8/8/8/8/8/R3K2R b KQkq - 3 9",
        "7k/2Q5/8/8/3pP3/8/PPP5/K7 b - e3 0 1",
    ]
    lines = in_node("standard_published.mjs", address_of(site), lines=fens)
    with open_tablebase(zeroing_dir) as tables:
        for fen, line in zip(fens, lines, strict=True):
            assert json.loads(line) == describe_standard(tables, chess.Board(fen)), fen


def test_rights_that_do_not_count_are_told_as_by_the_server(site):
    men = "8/8/8/8/8/2k5/1R6/K7", "4k3/8/8/8/8/8/8/4K2R", "r3k3/8/8/8/8/8/8/1RK5"
    rights = "-", "KQ", "kq", "Kq", "HBqa", "b"
    texts = [f"{one} w {right} - 0 1" for one in men for right in rights]
    pawns = (
        "8/8/7k/8/1pP5/7K/8/8 b - c3",
        "8/8/7k/8/2P5/7K/8/8 b K c3",
        "8/8/7k/8/2P5/7K/8/8 w - c6",
    )
    texts += [*pawns, men[0], f"{men[0]} w"]
    lines = in_node("standard_published.mjs", address_of(site), lines=texts)
    words = [left_out(text) for text in texts]
    assert [json.loads(line).get("left_out", "") for line in lines] == words
    assert {one.partition(" not count")[0] for one in words} >= {
        *("", "castling rights KQ do", "castling rights kq do", "castling rights H do"),
        *("castling rights K do", "the en passant square c6 does"),
    }


@pytest.mark.thorough
def test_difficulties_are_those_of_the_server(site, zeroing_dir):
    """Those of the moves that keep the result: the tables play no other ones."""
    rng = random.Random(34)
    names = ("KRKP", "KPKP", "KQKR", "KPK", "KQK", "KRKN")
    boards = random_boards(rng, [Material.from_name(name) for name in names], 72)
    lines = in_node(
        "standard_published.mjs",
        address_of(site),
        json.dumps({"difficulty": True}),
        lines=[board.fen() for board in boards],
    )
    seen = set()
    with open_tablebase(zeroing_dir) as tables:
        for board, line in zip(boards, lines, strict=True):
            expected = describe_standard(tables, board, difficulty=True)
            for move in expected["moves"]:
                if move["category"] != expected["moves"][0]["category"]:
                    del move["difficulty"]
                else:
                    seen.add(move["difficulty"])
            answer = json.loads(line)
            assert [move.get("difficulty") for move in answer["moves"]] == pytest.approx(
                [move.get("difficulty") for move in expected["moves"]]
            ), board.fen()
            for move in answer["moves"] + expected["moves"]:
                move.pop("difficulty", None)
            assert answer == expected, board.fen()
    assert len(seen) > 10
