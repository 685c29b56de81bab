"""Counts of games by ending and position, against counting each image with python-chess."""

import io
import os
import random
import threading
from collections import Counter, defaultdict
from pathlib import Path
from urllib.parse import unquote

import chess
import chess.pgn
import pytest
from support.commands import refusal, run
from support.seeded_games import seeded_games

from tablebase import difficulty, open_tablebase
from tablebase.annotate.annotation import CHANGES, annotate
from tablebase.annotate.pgn import read_game, split_games
from tablebase.annotate.summary import GameSummary, PlayerCount
from tablebase.core.outcomes.metrics import Wdl50
from tablebase.core.rules.material import Material
from tablebase.finding.orbit_keys import orbit

DATA = "data"
NO_MOVE = chess.Move.null()
MISTAKE = '[FEN "8/8/4k3/8/8/1P6/1K6/8 b - - 0 1"]\n[White "<b>&"]\n\n1... Kd5 2. Kc2 Kc5 3. b4+ *'


def game_of(fen, *moves):
    game = chess.pgn.Game()
    game.setup(chess.Board(fen))
    game.add_line(map(chess.Move.from_uci, moves))
    return game


def text_game(*lines):
    return read_game(next(split_games(lines)))


def summary_of(tables, games):
    summary = GameSummary(tables)
    for game in games:
        summary.add(game)
    return summary


def images(board, move=NO_MOVE):
    """Yield a position with White to move, and a move, by each symmetry that keeps its value."""

    def square(transform, at):
        (found,) = chess.SquareSet(transform(chess.BB_SQUARES[at]))
        return found

    moves = [(move.from_square, move.to_square)]
    if not board.turn:
        board = board.mirror()
        moves = [tuple(chess.square_mirror(at) for at in moves[0])]
    flips = [(), (chess.flip_horizontal,)]
    if not board.pawns:
        flips += [(*one, chess.flip_vertical) for one in flips]
        flips += [(*one, chess.flip_diagonal) for one in flips]
    for transforms in flips:
        image, (origin, target) = board, moves[0]
        for transform in transforms:
            image = image.transform(transform)
            origin, target = square(transform, origin), square(transform, target)
        ep_square = image.ep_square if image.has_legal_en_passant() else None
        yield (image.board_fen(), ep_square), chess.Move(origin, target, move.promotion).uci()


def canonical(board, move=NO_MOVE):
    """Return the first image of a position, and of a move among the images that are the same."""
    return min(images(board, move))


def slow_count(tables, games, most):
    """Return counts by canonical position and by ending, by ranking all moves."""
    positions = defaultdict(lambda: [0, set(), Counter(), Counter()])
    endings = defaultdict(lambda: [0, set(), 0, 0, []])
    for number, game in enumerate(games):
        waiting = [game]
        while waiting:
            node = waiting.pop()
            waiting += node.variations
            board = node.board()
            if len(board.piece_map()) > most:
                continue
            sides = [
                "".join(
                    sorted(str(man) for man in board.piece_map().values() if man.color == color)
                ).upper()
                for color in chess.COLORS
            ]
            ending = endings[frozenset(sides)]
            position = positions[canonical(board)[0]]
            for one in (position, ending):
                one[0] += 1
                one[1].add(number)
            ranked = {one.move: one.result for one in tables.rank_moves(board)}
            board.halfmove_clock, clock = 0, board.halfmove_clock
            hard = difficulty(tables, board)
            board.halfmove_clock = clock
            for child in node.variations:
                name = canonical(board, child.move)[1]
                is_mistake = ranked[child.move] != max(ranked.values())
                position[2][name] += 1
                position[3][name] += is_mistake
                ending[2] += 1
                ending[3] += is_mistake
                ending[4].append(hard)
    return positions, endings


def check_examples(tables, position):
    """Check mistakes as they were played: the position, and the moves that keep its result."""
    for one in position.examples:
        board = chess.Board(one.fen)
        assert orbit(board) == position.orbit
        ranked = tables.rank_moves(board)
        assert one.right == tuple(each.move for each in ranked if each.result == ranked[0].result)
        assert one.move in board.legal_moves
        assert one.move not in one.right


def check_against_slow_count(tables, games, most):
    summary = summary_of(tables, games)
    positions, endings = slow_count(tables, games, most)
    assert summary.games == len(games)
    assert summary.seen.known == sum(times for times, *_ in positions.values())
    found = summary.positions()
    assert len(found) == len(positions)
    for one in found:
        board = chess.Board(one.fen)
        times, reached, moves, mistakes = positions[canonical(board)[0]]
        assert (one.reached, one.games) == (times, len(reached))
        assert (one.moves, one.mistakes) == (moves.total(), mistakes.total())
        for counted, expected in ((one.played, moves), (one.given_away, mistakes)):
            carried = {
                canonical(board, chess.Move.from_uci(name))[1]: number
                for name, number in counted.items()
            }
            assert len(carried) == len(counted)  # mirror images of a move count as one
            assert carried == +expected
        assert len(one.examples) == one.mistakes
        check_examples(tables, one)
        assert one.orbit == orbit(board)
        assert board.is_valid()
        assert Material.from_name(one.material.name).is_normalized
        letters = "".join(sorted(str(man) for man in board.piece_map().values()))
        men = [one.material.rules.letter_of(man) for color, man in one.material.men if not color]
        assert sorted(men) == sorted(letter for letter in letters if letter.isupper())
        assert one.wdl50 == tables.probe_wdl50(board)
        assert one.difficulty == difficulty(tables, board)
    order = [one.mistakes for one in found]
    assert order == sorted(order, reverse=True)
    assert len(summary.endings()) == len(endings)
    for one in summary.endings():
        side = one.material.name.rpartition("K")
        key = frozenset("".join(sorted(text)) for text in (side[0], f"K{side[2]}"))
        reached, those, moves, mistakes, hard = endings[key]
        assert (one.reached, one.games, one.moves) == (reached, len(those), moves)
        assert one.mistakes == mistakes
        if moves:
            assert one.predicted == pytest.approx(sum(hard) / moves)
    faults = sum(number for game in games
                 for (_, kind), number in annotate(game, tables).faults.items()
                 if kind == CHANGES)  # fmt: skip
    assert faults == sum(order)
    return summary


def with_variations(games, choice):
    """Add other moves here and there, and let a third of the games begin with a high clock."""
    for game in games:
        if choice.random() < 1 / 3:
            board = game.board()
            board.halfmove_clock = choice.randrange(60, 101)
            new = chess.pgn.Game()
            new.setup(board)
            new.add_line(game.mainline_moves())
            game = new  # noqa: PLW2901
        for node in [game, *game.mainline()][:-1]:
            if choice.random() < 1 / 4:
                move = choice.choice(list(node.board().legal_moves))
                if not node.has_variation(move):
                    node.add_variation(move)
        yield game


def seeded(tables, seed, games, *names):
    materials = [Material.from_name(name) for name in names]
    made = seeded_games(tables, materials, seed=seed, games=games, sight=2, plies=16)
    return list(with_variations(made, random.Random(seed)))


def test_counts_are_those_of_counting_each_image(tables):
    games = seeded(tables, 2, 16, "KPK", "KRNK", "KRK")
    summary = check_against_slow_count(tables, games, 4)
    assert {"KPK", "KRNK", "KRK"} <= {one.material.name for one in summary.endings()}
    assert sum(one.mistakes for one in summary.endings()) > 5


@pytest.mark.slow
def test_counts_of_four_men(zeroing_dir):
    with open_tablebase(zeroing_dir) as tables:
        games = seeded(tables, 2, 120, "KPKP", "KRKP", "KQKR", "KPPK", "KRKR", "KBNK")
        games.append(game_of("8/8/8/8/3p4/8/2k1P3/K7 w - - 0 1", "e2e4", "d4e3"))
        games.append(game_of("k7/2K1p3/8/3P4/8/8/8/8 b - - 0 1", "e7e5", "d5e6"))
        summary = check_against_slow_count(tables, games, 4)
    # The two games have one position, and a game by chance may have another.
    passed = [one.reached for one in summary.positions() if one.fen.split()[3] != "-"]
    assert sorted(passed)[-1:] == [2]


def test_an_exact_count(tables):
    """Both colours and both sides of the board are one position, whose moves are as it is shown."""
    games = [
        game_of("4k3/8/3KP3/8/8/8/8/8 b - - 0 1", "e8d8", "e6e7"),
        game_of("8/8/8/8/8/3pk3/8/3K4 w - - 5 40", "d1e1", "d3d2"),
        game_of("8/8/8/8/8/3pk3/8/3K4 w - - 5 40", "d1c1"),
    ]
    worst = summary_of(tables, games).positions()
    assert {one.reached for one in worst} == {1, 3, 2}
    (one,) = (one for one in worst if one.reached == 3)
    assert one.moves == one.games == 3
    assert one.fen.split()[1] == "b"
    assert sorted(one.played.values()) == [1, 2]


def test_moves_of_a_symmetric_position_count_with_their_mirror_images(tables):
    fen, turned = "8/8/8/8/3K4/8/1R6/k7 w - - 0 1", "K7/1r6/8/3k4/8/8/8/8 b - - 0 1"
    games = [game_of(fen, "b2b1")] * 3 + [game_of(fen, "b2a2")] * 2 + [game_of(turned, "b7b8")]
    (one,) = (one for one in summary_of(tables, games).positions() if one.moves)
    assert one.given_away.most_common() == [(next(iter(one.played)), 6)]
    assert len({example.move.uci() for example in one.examples}) == 3


def test_players_are_counted_by_their_names(tables):
    tags = ['[White "Anna"]', '[Black "Ben"]', '[Date "2024.03.01"]', '[Round "?"]']
    fen = '[FEN "8/8/4k3/8/8/1P6/1K6/8 b - - 0 1"]'
    moves = "1... Kd5 2. Kc2 (2. Ka2 Kc5) 2... Kc5 3. b4+ *"
    games = [text_game(*tags, fen, "", moves), text_game(fen, '[Site "https://x.y/z"]', "", moves)]
    summary = GameSummary(tables)
    for number, game in enumerate(games, 1):
        summary.add(game, f"some.pgn, game {number}")
    players = {one.name: one for one in summary.players()}
    assert {name: (one.reached, one.games, one.moves, one.mistakes)
            for name, one in players.items()} == {
        "Anna": (2, 1, 2, 1), "Ben": (3, 1, 2, 0), "unknown": (5, 1, 4, 1),
    }  # fmt: skip
    [mistake] = players["Anna"].given_away
    assert (mistake.game, mistake.address) == ("Anna - Ben, 2024.03.01", "")
    assert (mistake.played, mistake.better, mistake.fen.split()[0]) == (
        "2. Kc2", "Ka3", "8/8/8/3k4/8/1P6/1K6/8",
    )  # fmt: skip
    assert mistake.comment == "Draws; Ka3 wins in 23 moves (45 plies)."
    [other] = players["unknown"].given_away
    assert (other.game, other.address) == ("some.pgn, game 2", "https://x.y/z")
    worst = summary.positions()[0]
    assert (worst.mistakes, worst.given_away_in_words) == (4, "all 4 moves gave it away")
    assert [one.is_variation for one in worst.examples] == [False, True] * 2


def test_the_right_moves_are_not_known_if_a_table_of_theirs_is_missing(tmp_path):
    for name in ("KPK", "KK", "KRK"):
        (tmp_path / f"{name}.h5").write_bytes(Path(DATA, f"{name}.h5").read_bytes())
    with open_tablebase(tmp_path) as tables:
        summary = summary_of(tables, [game_of("8/1k1P4/8/8/8/8/8/1K6 w - - 0 1", "b1c1")])
    [mistake] = summary.positions()[0].examples
    assert (mistake.right, mistake.better, mistake.comment) == ((), "", "")


@pytest.mark.parametrize(
    ("mistakes", "moves", "words"),
    [(1, 1, "the only move gave it away"), (3, 3, "all 3 moves gave it away"),
     (1, 3, "1 of 3 moves gave it away"), (2, 5, "2 of 5 moves gave it away")],
)  # fmt: skip
def test_counts_in_words(mistakes, moves, words):
    assert PlayerCount(name="", moves=moves, mistakes=mistakes).given_away_in_words == words


def test_positions_that_are_not_known(tables):
    """Too many men, castling rights, another variant, and a table that is missing."""
    summary = summary_of(tables, [
        game_of(chess.STARTING_FEN, "e2e4"),
        game_of("4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
        text_game('[Variant "Atomic"]', '[FEN "8/8/8/3k4/8/8/R7/K7 w - - 0 1"]'),
        text_game('[FEN "nonsense"]', "", "1. e4 *"),
    ])  # fmt: skip
    assert (summary.games, summary.seen.positions, summary.seen.known) == (4, 4, 0)
    assert (summary.positions(), summary.endings(), summary.seen.missing) == ([], [], set())
    summary.add(game_of("8/8/8/8/8/2k5/1N6/KB6 w - - 0 1"))
    assert summary.seen.missing == {"KBNK"}
    summary.add(game_of("8/2kP4/8/8/8/8/8/K3n3 w - - 0 1", "d7d8q"))
    assert summary.seen.missing == {"KBNK", "KNKP", "KQKN"}


def test_a_position_whose_move_leads_to_a_missing_table_is_not_known(tmp_path):
    for name in ("KPK", "KK", "KRK"):
        (tmp_path / f"{name}.h5").write_bytes(Path(DATA, f"{name}.h5").read_bytes())
    fen = "8/2kP4/8/8/8/8/8/K7 w - - 0 1"
    with open_tablebase(tmp_path) as tables:
        summary = summary_of(tables, [game_of(fen, f"d7d8{man}") for man in "qr"])
    assert (summary.seen.positions, summary.seen.known) == (4, 2)
    assert "KQK" in summary.seen.missing
    assert sorted(one.material.name for one in summary.positions()) == ["KPK", "KRK"]


def test_a_null_move_is_no_move(tables):
    game = text_game('[FEN "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"]', "", "1. -- Kc4 2. Rb8 *")
    (ending,) = summary_of(tables, [game]).endings()
    assert (ending.reached, ending.moves) == (4, 2)


def test_tables_without_distances_to_zeroing(folders_by_metric):
    """There is no 50-move rule, and nothing is predicted."""
    fen = "8/8/8/8/8/2k5/1R6/K7 w - - 69 90"
    with open_tablebase(folders_by_metric["dtm"]) as tables:
        summary = summary_of(tables, [game_of(fen, "a1b1"), game_of(fen, "b2b5")])
    (ending,) = (one for one in summary.endings() if one.moves)
    assert (ending.moves, ending.mistakes, ending.predicted) == (2, 0, None)
    assert {one.wdl50 for one in summary.positions()} == {Wdl50.WIN, Wdl50.LOSS}


# The command


@pytest.fixture
def pgn(tmp_path):
    path = tmp_path / "games.pgn"
    path.write_text(f"{MISTAKE}\n\n{MISTAKE}\n")
    return path


def test_the_command_counts_several_files(capsys, pgn):
    code, output, message = run(capsys, "annotate", "--summary", str(pgn), "examples/game.pgn")
    assert code == 0
    assert message == "3 games, 26 of 26 positions known.\n"
    ending, worst, mistakes = output.split("\n\n\n")
    rows = [row.split() for row in ending.splitlines() if "KPK" in row]
    assert [row[:5] for row in rows] == [["KPK", "26", "3", "23", rows[0][4]]]
    assert worst.count(" - - 0 1 ") >= 1
    assert mistakes.count("2. Kc2") == 2
    assert "6... Kd8   Ke8" in mistakes
    shorter = run(capsys, "annotate", "--summary", str(pgn), "examples/game.pgn", "--limit", "1")
    assert shorter[1].count(" - - 0 1 ") == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_pipes_are_read_once(capsys, monkeypatch, pgn, tmp_path):
    """The standard input, and a named pipe, whose writer would otherwise be cut off."""
    pipe = tmp_path / "pipe.pgn"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=[pgn.read_text()], daemon=True)
    writer.start()
    stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(MISTAKE.encode())))
    monkeypatch.setattr("sys.stdin", stdin)
    code, _, message = run(capsys, "annotate", "--summary", "-", str(pipe))
    assert (code, message) == (0, "3 games, 15 of 15 positions known.\n")


def test_columns_and_page(capsys, pgn, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    pytest.importorskip("jinja2")
    path, page = tmp_path / "counts.parquet", tmp_path / "new/page.html"
    arguments = ("annotate", "--summary", str(pgn), "--parquet", str(path), "--html", str(page))
    assert run(capsys, *arguments)[0] == 0
    with open_tablebase(DATA) as tables:
        games = [read_game(one) for one in split_games(pgn.read_text().splitlines())]
        expected = summary_of(tables, games).positions()
    rows = parquet.read_table(path).to_pylist()
    assert [row["orbit"] for row in rows] == [one.orbit for one in expected]
    for row, one in zip(rows, expected, strict=True):
        assert (row["material"], row["fen"], row["wdl50"]) == ("KPK", one.fen, one.wdl50)
        assert (row["reached"], row["games"], row["difficulty"]) == (one.reached, 2, one.difficulty)
        assert {move["move"]: move["played"] for move in row["played"]} == one.played
        assert sum(move["given_away"] for move in row["played"]) == row["mistakes"]
        assert (row["worst_move"] is None) == (row["mistakes"] == 0)
        assert row["worst_count"] == (one.given_away[row["worst_move"]] or None)
        assert [(each["player"], each["fen"], each["move"]) for each in row["examples"]] == [
            (each.player, each.fen, each.move.uci()) for each in one.examples
        ]
    text = page.read_text(encoding="utf-8")
    assert text.count("<figure>") == sum(one.mistakes for one in expected) > 1
    assert "<b>&lt;b&gt;&amp;</b>, White, played <b>2. Kc2</b>" in text
    assert 'src="data:' in text
    assert "<script" not in text
    before = path.read_bytes()
    for option, kept in (("--parquet", path), ("--html", page)):
        message = refusal(capsys, "annotate", "--summary", str(pgn), option, str(kept))
        assert message == f"tablebase: {kept} exists: overwrite it with --force\n"
    assert path.read_bytes() == before
    assert run(capsys, *arguments, "--force")[0] == 0
    assert path.read_bytes() == before


def test_a_page_by_player_has_exercises_of_an_explorer(capsys, pgn, tmp_path):
    pytest.importorskip("jinja2")
    page = tmp_path / "page.html"
    arguments = "annotate", "--summary", str(pgn), "--html", str(page), "--by", "player"
    code, output, _ = run(capsys, *arguments, "--explorer", "http://127.0.0.1:8080")
    assert code == 0
    assert "2. Kc2" in output
    text = page.read_text(encoding="utf-8")
    assert "<h2>&lt;b&gt;&amp;: 2 mistakes in" in text
    address = "http://127.0.0.1:8080/?exercise=8/8/8/3k4/8/1P6/1K6/8_w_-_-_1_2"
    assert text.count(f'href="{address}"') == 4
    pictures = [unquote(one) for one in text.split('src="')[1:]]
    assert all("#15781b" in one and "#882020" in one for one in pictures[:2])
    assert run(capsys, *arguments, "--force", "--limit", "1")[0] == 0
    text = page.read_text(encoding="utf-8")
    assert text.count("<figure>") == 1
    assert "1 of 2 mistakes are shown" in text
    assert "https://lichess.org/analysis/8/8/8/3k4/8/1P6/1K6/8_w_-_-_1_2" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--summary", "--only-results"], "leave --only-results out"),
        (["--summary", "--difficulty"], "leave --difficulty out"),
        (["--summary", "--explorer", "http://a/"], "--explorer needs --html FILE"),
        (["--by", "player"], "only --summary takes --by"),
        (["--explorer", "http://a/"], "only --summary takes --explorer"),
    ],
)
def test_options_without_effect_are_refused(capsys, pgn, options, message):
    with pytest.raises(SystemExit) as refused:
        run(capsys, "annotate", str(pgn), *options)
    assert refused.value.code == 2
    assert message in capsys.readouterr().err


def test_a_file_of_unknown_positions_has_no_rows(capsys, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    pytest.importorskip("jinja2")
    game, path, page = (tmp_path / name for name in ("one.pgn", "none.parquet", "none.html"))
    game.write_text("1. e4 e5 *\n")
    arguments = ("--parquet", str(path), "--html", str(page))
    code, output, message = run(capsys, "annotate", "--summary", str(game), *arguments)
    assert (code, output) == (0, "")
    assert message == "1 game, 0 of 3 positions known.\n"
    assert len(parquet.read_table(path)) == 0
    assert "<figure>" not in page.read_text(encoding="utf-8")


def test_bad_games_are_named_and_the_others_counted(capsys, tmp_path, pgn):
    bad = tmp_path / "bad.pgn"
    bad.write_text(f"{MISTAKE}\n\n1. e4 e5 2. Ke3 *\n\nno game\n\n{MISTAKE}\n")
    code, output, message = run(capsys, "annotate", "--summary", str(bad), str(pgn))
    assert code == 2
    lines = message.splitlines()
    assert lines[0].startswith(f"tablebase: {bad}: game 2: 'Ke3' is not a legal move in ")
    assert lines[1].startswith(f"tablebase: {bad}: game 3: neither a tag nor a move")
    assert lines[2:] == ["4 games, 20 of 20 positions known."]
    assert "KPK" in output


def test_what_cannot_be_counted(capsys, tmp_path, pgn):
    empty = tmp_path / "empty.pgn"
    empty.write_text("")
    code, output, message = run(capsys, "annotate", "--summary", str(empty))
    assert (code, output) == (2, "")
    assert message == f"tablebase: {empty}: there is no game in it\n"
    # A file that cannot be read is named, and hides no other.
    code, counts, _ = run(capsys, "annotate", "--summary", str(pgn), "--dir", DATA)
    assert (code, bool(counts)) == (0, True)
    files = "none.pgn", str(pgn)
    code, output, message = run(capsys, "annotate", "--summary", *files, "--dir", DATA)
    assert (code, output) == (2, counts)
    assert message.startswith("tablebase: there is no file none.pgn\n")
    missing = tmp_path / "missing.pgn"
    missing.write_text('[FEN "8/8/8/8/8/2k5/1N6/KB6 w - - 0 1"]\n\n1. Ka2 *\n')
    code, output, message = run(capsys, "annotate", "--summary", str(missing), "--dir", DATA)
    assert (code, output) == (0, "")
    assert message.startswith("1 game, 0 of 2 positions known.\ntablebase: no table of KBNK in ")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--summary", "--limit", "0"], "--limit: "),
        (["--limit", "3"], "only --summary takes --limit"),
        (["--parquet", "x"], "only --summary takes --parquet"),
        (["--html", "x"], "only --summary takes --html"),
        (["examples/game.pgn"], "only --summary takes several files"),
    ],
)
def test_options_that_mean_nothing_together(capsys, pgn, options, problem):
    with pytest.raises(SystemExit) as stopped:
        run(capsys, "annotate", str(pgn), *options)
    assert stopped.value.code == 2
    message = capsys.readouterr().err
    assert problem in message
    assert message.count("\n") == 1
