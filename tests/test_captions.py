"""Captions of pictures are true of the positions above them."""

import os
import re
from html import unescape
from itertools import combinations, product
from pathlib import Path

import chess
import chess.variant
import draw_images
import pytest
from strategies_on_trial import refutations_to_draw
from support.few import slow

from tablebase import open_tablebase
from tablebase.core.board.geometry import SIDES as SIDES_TO_MOVE
from tablebase.core.building.generator import generate
from tablebase.core.rules.material import Material
from tablebase.core.rules.rule_files import built_in_rules
from tablebase.core.storage.reading import open_table

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
FIVE = os.environ.get("CHESS_TABLES")
SIDES = {"White": "w", "Black": "b", "Either side": ""}
RESULTS = {"win": 1, "draw": 0, "loss": -1}
# What the titles of two pictures say, as `probe_wdl50`; of castling without and with the right.
VALUES = {"win": 2, "loss": -2, "cursed win": 1, "blessed loss": -1}
CHANGES = {
    "a draw is won": (0, 1),
    "a loss is drawn": (-1, 0),
    "a loss is won": (-1, 1),
    "a win is lost": (1, -1),
}
EXCEPTIONS = draw_images.exceptions()
PICTURES = {
    "atomic": draw_images.ATOMIC,
    "values": draw_images.VALUES,
    "castling": draw_images.CASTLING,
    "mates": draw_images.MATES,
    "thumb": EXCEPTIONS,
}
men = [pytest.param(4, id="4"), pytest.param(5, id="5", marks=[
    pytest.mark.slow,
    pytest.mark.skipif(not FIVE, reason="CHESS_TABLES names no folder of tables of five men"),
])]  # fmt: skip


def texts_of(name):
    """Return what is written in a picture, without the names of files and ranks."""
    svg = (DOCS / "images" / f"{name}.svg").read_text(encoding="utf-8")
    return [text for text in re.findall(r">([^<]+)</text>", svg) if len(text) > 1]


def places_of_texts(svg):
    """Return the left and right end, the height, the size and the words of each text."""
    measure = pytest.importorskip("matplotlib.textpath").text_to_path
    font = pytest.importorskip("matplotlib.font_manager").FontProperties("DejaVu Sans")
    for attributes, words in re.findall(r"<text ([^>]*)>([^<]*)</text>", svg):
        one = dict(re.findall(r'([\w-]+)="([^"]*)"', attributes))
        if "transform" in one:  # along another line
            continue
        size = float(one["font-size"])
        width, _, _ = measure.get_text_width_height_descent(unescape(words), font, ismath=False)
        width *= size / font.get_size_in_points()
        part = {"start": 0, "middle": 0.5, "end": 1}[one.get("text-anchor", "start")]
        left = float(one["x"]) - part * width
        yield left, left + width, float(one["y"]), size, words


@pytest.mark.parametrize("path", sorted((DOCS / "images").rglob("*.svg")), ids=lambda one: one.stem)
def test_words_in_a_picture_stay_apart_and_within(path):
    """In a font that is wide as such fonts go."""
    svg = path.read_text(encoding="utf-8")
    width = re.search(r'viewBox="0 0 ([\d.]+) ', svg)[1]
    texts = list(places_of_texts(svg))
    assert not [words for left, right, *_, words in texts if left < 0 or right > float(width)]
    for one, other in combinations(texts, 2):
        is_on_a_line = abs(one[2] - other[2]) < 0.7 * min(one[3], other[3])
        gap = 4 if min(one[3], other[3]) > 12 else 0  # between titles
        apart = max(one[0], other[0]) - min(one[1], other[1]) >= gap
        assert apart or not is_on_a_line, (one, other)


def test_a_picture_says_the_whole_of_what_it_shows():
    drawn = {
        "thumb": [one.words for one in EXCEPTIONS],
        "strategies": [one[0] for one in refutations_to_draw()],
    }
    for name, told in drawn.items():
        svg = (DOCS / "images" / f"{name}.svg").read_text(encoding="utf-8")
        places = [one for one in places_of_texts(svg) if one[3] > 12]
        for number, words in enumerate(told, 1):
            (begin,) = (one for one in places if one[-1].startswith(f"{number} "))
            column = [one for one in places if one[0] == begin[0] and 0 <= one[2] - begin[2] < 60]
            lines = [one[-1] for one in sorted(column, key=lambda one: one[2])]
            assert " ".join(lines).startswith(f"{number} {words}")


@pytest.fixture
def boards_of(zeroing_dir):
    """Return a function for the positions of a picture with some men, and tables that know them."""

    def boards_of(name, number):
        found = [(one, chess.Board(one.fen)) for one in PICTURES[name] if len(one.fen.split()) > 1]
        some = [(one, board) for one, board in found if len(board.piece_map()) in {3, number}]
        assert some
        return some, open_tablebase(zeroing_dir if number == 4 else FIVE)

    return boards_of


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_names_the_side_to_move_of_each_position(name):
    sides = re.findall(r"(White|Black|Either side) to move", " ".join(texts_of(name)))
    fields = [f"{one.fen} ".split(" ") for one in PICTURES[name]]
    assert [SIDES[side] for side in sides] == [turn for _, turn, *_ in fields]


@pytest.mark.parametrize("name", ["values", "castling"])
def test_positions_of_a_picture_are_on_its_page(name):
    page = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    for linked in re.findall(r"\]\((tables/[\w-]+\.csv)\)", page):
        page += (DOCS / linked).read_text(encoding="utf-8")
    told = [one.fen for one in PICTURES[name] if len(one.fen.split()) > 1]
    without = [fen for fen in told if fen not in page]
    assert len(without) == (name == "castling")  # one that the page describes


@pytest.mark.parametrize("number", men)
def test_titles_of_values_are_those_of_their_positions(number, boards_of):
    boards, tables = boards_of("values", number)
    with tables:
        for one, board in boards:
            if one.words in VALUES:
                assert tables.probe_wdl50(board) == VALUES[one.words], one


@pytest.mark.parametrize("number", [3, slow(4)])
def test_captions_of_atomic_endings_are_true(number, atomic_dir, tmp_path):
    rules, folder = built_in_rules()["atomic"], atomic_dir
    if number == 4:
        folder = tmp_path
        generate([Material.from_name(name, rules) for name in ("KRKP", "KPKP")], folder)
    results = {"win": 2, "cursed win": 1, "draw": 0, "loss": -2}
    page = (DOCS / "other-games.md").read_text(encoding="utf-8")
    shown = [one for one in draw_images.ATOMIC if count_of_men(one.fen) == number]
    assert shown
    with open_tablebase(folder, rules=rules) as tables:
        for one in shown:
            placement, *rest = one.fen.split()
            assert placement in page
            for turn in rest[:1] or "wb":
                board = chess.variant.AtomicBoard(f"{placement} {turn}")
                assert tables.probe_wdl50(board) == results[one.result], one
                keeping = [
                    (move, after)
                    for move, after in after_each_move(board)
                    if -tables.probe_wdl50(after) == results[one.result]
                ]
                if "touching" in one.words:
                    assert all(are_beside(after) for _, after in keeping)
                    assert not are_beside(board)
                if "run" in one.words:
                    assert [move.uci() for move, _ in keeping] == ["c3c2"]


def test_shares_of_antichess_are_those_of_the_tables(antichess_dir):
    rules, found = built_in_rules()["antichess"], {}
    for one, other in product(draw_images.KINDS, repeat=2):
        material = Material.from_name(f"{one}v{other}", rules)
        (path,) = antichess_dir.glob(f"*/{material.normalized()}.h5")
        with open_table(path) as file:
            counts = file.counts[SIDES_TO_MOVE[not material.is_normalized]]
        total = sum(counts[result] for result in ("win", "draw", "loss"))
        share = round(100 * counts["win"] / total)
        found.setdefault(one, []).append((share, counts["longest_win"]["plies"]))
    assert {one: tuple(row) for one, row in found.items()} == draw_images.ANTICHESS
    page = " ".join((DOCS / "other-games.md").read_text(encoding="utf-8").split())
    for mover, other, words in (
        *(("R", "K", "A rook to move wins 78 % of its positions against a king"),),
        *(("P", "R", "a pawn to move only 23 % against a rook"),),
        *(("P", "K", "the longest win of two pieces is that of a pawn against a king, 22 moves"),),
    ):
        share, plies = draw_images.ANTICHESS[mover][draw_images.KINDS.index(other)]
        assert words in page
        assert f"{share} %" in words or f"{plies // 2} moves" in words
    assert max(plies for row in found.values() for _, plies in row) == 44


def test_shares_of_racing_kings_are_those_of_the_tables(racing_dir):
    found = {}
    for mover, side, name in zip(("White", "Black"), SIDES_TO_MOVE, ("K{}K", "KK{}"), strict=True):
        for piece in draw_images.PIECES:
            (path,) = racing_dir.glob(f"*/{name.format(piece[:1].strip('n'))}.h5")
            with open_table(path) as file:
                counts = file.counts[side]
            total = sum(counts[result] for result in ("win", "draw", "loss"))
            share = round(100 * counts["win"] / total)
            found.setdefault(mover, []).append((share, counts["longest_win"]["plies"]))
    assert {mover: tuple(row) for mover, row in found.items()} == draw_images.RACING
    page = " ".join((DOCS / "other-games.md").read_text(encoding="utf-8").split())
    white, black = found["White"], found["Black"]
    for words in (
        f"Black to move wins {black[0][0]} % of the positions of bare kings, White {white[0][0]} %",
        f"a rook more wins {white[3][0]} % for White and {black[3][0]} % for Black",
    ):
        assert words in page


def count_of_men(fen):
    return sum(map(str.isalpha, fen.split()[0]))


def after_each_move(board):
    for move in board.legal_moves:
        after = board.copy(stack=False)
        after.push(move)
        yield move, after


def are_beside(board):
    return chess.square_distance(board.king(chess.WHITE), board.king(chess.BLACK)) == 1


@pytest.mark.parametrize("number", men)
def test_castling_rights_change_results_as_the_picture_says(number, boards_of):
    boards, tables = boards_of("castling", number)
    with tables:
        for one, board in boards:
            without = board.copy(stack=False)
            without.castling_rights = chess.BB_EMPTY
            found = tables.probe_wdl(without), tables.probe_wdl(board)
            assert found == CHANGES[one.words], one


def test_rights_are_those_that_the_picture_names():
    texts = texts_of("castling")
    wings = {"K": "White may castle short", "Q": "White may castle long"}
    wings |= {"k": "Black may castle short", "q": "Black may castle long"}
    told = [text for text in texts if "may castle" in text]
    assert told == [wings[one.fen.split()[2]] for one in PICTURES["castling"]]


@pytest.mark.parametrize("number", men)
def test_exceptions_of_rules_have_the_results_that_the_picture_states(number, boards_of):
    boards, tables = boards_of("thumb", number)
    table = (DOCS / "tables" / "rules-exceptions.csv").read_text(encoding="utf-8")
    texts = [text for text in texts_of("thumb") if "to move" in text]
    with tables:
        for one, board in boards:
            side = chess.COLOR_NAMES[board.turn].capitalize()
            caption = texts[EXCEPTIONS.index(one)]
            assert caption == f"{side} to move: {one.result}"
            assert tables.probe_wdl(board) == RESULTS[one.result], one
            assert f",{caption}" in table
            assert one.fen in table
