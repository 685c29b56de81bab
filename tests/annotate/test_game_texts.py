"""Games of a PGN: where each begins; what is wrong with one is named, and hides no other."""

import io
import random

import chess
import chess.pgn
import pytest

from tablebase.annotate.pgn import read_game, split_games, write_game

START = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"
TAGS = f'[Event "A"]\n[FEN "{START}"]\n'


def games_of(text):
    return [read_game(one) for one in split_games(io.StringIO(text))]


def moves_of(game):
    return [node.san() for node in game.mainline()]


def problems_of(game):
    return [str(error) for error in game.errors]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{TAGS}\n1. Ka2 *\n\n1. e4 *", [("A", ["Ka2"]), ("?", ["e4"])]),
        # Any number of empty lines between tags and moves, none between games.
        (f"{TAGS}\n\n\n\n1. Ka2 *", [("A", ["Ka2"])]),
        (f'{TAGS}\n1. Ka2 *\n[Event "B"]\n1. e4 *', [("A", ["Ka2"]), ("B", ["e4"])]),
        (f'{TAGS}\n[Event "B"]\n\n1. e4 *', [("A", []), ("B", ["e4"])]),
        (f'[Event "A"]\n\n[FEN "{START}"]\n\n1. Ka2', [("A", ["Ka2"])]),
        # Line ends and byte-order marks anywhere.
        (f'{TAGS}\n1. Ka2 *\n\n\ufeff[Event "B"]\n\n1. e4 *', [("A", ["Ka2"]), ("B", ["e4"])]),
        (f"{TAGS}\n1. Ka2 *\n".replace("\n", "\r\n"), [("A", ["Ka2"])]),
        # What does not belong to a game, or is a comment.
        (f"% escape\n; remark\n\n{TAGS}% [A\n\n1. Ka2 ; {{ not open\n*", [("A", ["Ka2"])]),
        (f"{TAGS}\n{{\n\n[not a tag\n}} 1. Ka2 *", [("A", ["Ka2"])]),
        (f"{TAGS}\n1. Ka2\n; Kd4\n% Kd4\n1... Kc4 *", [("A", ["Ka2", "Kc4"])]),
        (f"{TAGS}\n1. Ka2 (1. Kb1 1-0) 1... Kc4 *", [("A", ["Ka2", "Kc4"])]),
        (f'[Event "A"]\n[Fen "{START}"]\n\n1. Ka2 *', [("A", ["Ka2"])]),
        # A tag of several lines, as a line end in it makes them.
        (f'[Event "A"]\n[FEN "{START}\n"]\n\n1. Ka2 *', [("A", ["Ka2"])]),
        ("", []),
        ("\n\n% nothing\n; at all\n", []),
    ],
)
def test_games_are_told_apart(text, expected):
    games = games_of(text)
    assert [(game.headers["Event"], moves_of(game)) for game in games] == expected
    assert not any(game.errors for game in games)


@pytest.mark.parametrize(
    "word",
    ["1.Ka2", "Ka2!?", "Ka2+", "1.  ...Ka2", "Ka1a2", "Ka1-a2", "1…Ka2", "Ka2+-", "12 Ka2",
     "Ka2 N", "Ka2 +/-", "Ka2 e.p.", "Ka2$14", "Ka2{well}", "Ka2 ± 1/2", "Ka2 ½-½", "Ka2*", "Ka2."],
)  # fmt: skip
def test_words_that_python_chess_reads_or_may_overlook(word):
    (game,) = games_of(f"{TAGS}\n{word}")
    assert not game.errors
    assert moves_of(game) == ["Ka2"]


@pytest.mark.parametrize("word", ["Sf3", "Qxz9", "♘f3", "nf3", "o-o", "Nf", "N:f3", "<e4>", "e4x"])
def test_words_of_which_python_chess_reads_a_part_or_nothing(word):
    """Each is named where it stands, and no move behind it is to blame."""
    (game,) = games_of(f"1. e4 e5 2. {word} Nc6 3. Nf3")
    assert moves_of(game) == ["e4", "e5"]
    fen = game.end().board().fen()
    assert problems_of(game) == [f"'{word}' is not a move in {fen}"]
    (game,) = games_of(f"1. e4 (1. d4 {word} 2. c4 {word}) e5 {word}")
    assert moves_of(game) == ["e4", "e5"]
    assert [problem.split(" in ")[0] for problem in problems_of(game)] == [
        f"'{word}' is not a move" for _ in range(2)
    ]


def test_long_words_are_cut():
    (game,) = games_of("x" * 10_000)
    assert problems_of(game) == [f"'{'x' * 20}' is not a move in {chess.STARTING_FEN}"]


def test_a_comment_without_end_hides_no_game():
    text = f'{TAGS}\n1. Ka2 {{ so\n\nor so\n\n[Event "B"]\n\n1. e4 {{ to the end\n\n'
    first, second = split_games(io.StringIO(text))
    for one, comment in ((first, "so\n\nor so\n"), (second, "to the end\n")):
        game = read_game(one)
        assert problems_of(game) == ["a comment has no end"]
        assert game.end().comment == comment
        (again,) = games_of(str(one))
        assert not again.errors
        assert again.end().comment == comment.rstrip()
    assert moves_of(read_game(second)) == ["e4"]


def test_what_is_no_tag_is_named():
    (game,) = games_of('[White Ann]\n[Black "Bob"]\n1. e4 *\n')
    assert problems_of(game) == ["not a tag: [White Ann]"]
    assert (game.headers["Black"], moves_of(game)) == ("Bob", ["e4"])
    (game,) = games_of('[FEN "8/8/8/8/8/2k5/1R\n6/K7 w - - 0 1"]\n\n1. Ka2')
    assert problems_of(game)
    assert moves_of(game) == []


@pytest.mark.parametrize("result", ["{", "?", "won by ;", "(", "½-½"])
def test_what_is_no_result_does_not_end_the_moves(result):
    text = f'[Result "{result}"]\n\n1. e4 e5\n\n1. d4 *'
    games = games_of("\n\n".join(map(write_game, games_of(text))))
    assert [moves_of(game) for game in games] == [["e4", "e5"], ["d4"]]
    assert games[0].headers["Result"] == result
    assert not any(game.errors or game.end().nags for game in games)


def test_a_game_may_be_too_long():
    (text,) = split_games(["1. Nf3 (1. Nc3) 1... Nf6 2. Ng1 *"])
    assert len(moves_of(read_game(text, most_moves=4))) == 3
    with pytest.raises(ValueError, match="more than 3 moves"):
        read_game(text, most_moves=3)


def test_a_bracket_too_many_is_no_accident():
    (game,) = games_of("1. e4 Ka5 ) { late } e5 2. d4 *")
    assert [problem[:25] for problem in problems_of(game)] == ["'Ka5' is not a legal move"]
    assert moves_of(game) == ["e4", "e5", "d4"]


def test_games_of_python_chess_are_read_as_it_reads_them():
    """Also those with variations, comments and marks everywhere."""
    choice = random.Random(5)
    for _ in range(60):
        game = chess.pgn.Game()
        nodes = [game]
        for _ in range(choice.randrange(40)):
            node = choice.choice(nodes[-3:])
            taken = [child.move for child in node.variations]
            moves = [move for move in node.board().legal_moves if move not in taken]
            if not moves:
                continue
            comment = choice.choice(["", "", "a; b", "two\nlines", "1. Qxz9 (", "%x", " "])
            nags = choice.sample(range(1, 140), choice.choice([0, 0, 1, 2]))
            nodes.append(node.add_variation(choice.choice(moves), comment=comment, nags=nags))
        game.headers["Result"] = choice.choice(["*", "1-0", "1/2-1/2"])
        text = str(game)
        (ours,) = games_of(text)
        assert not ours.errors
        assert write_game(ours) == str(chess.pgn.read_game(io.StringIO(text)))
