"""A game against the tables: verdicts, commands, ends, on pipes and on a terminal."""

import io
import os
import pty
import select
import signal
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import chess
import numpy as np
import pytest
from rich.console import Console
from support.commands import run
from support.waiting import PATIENCE

import tablebase
from tablebase.cli.game import (
    Game,
    check_playable,
    judge,
    lacks_piece,
    random_won_position,
    read_move,
)
from tablebase.errors import MissingTableError, UnsupportedPositionError
from tablebase.rules.material import Material
from tablebase.solving import rank_proven

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "dumb", "COLUMNS": "80"}
MATE_IN_16 = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"
PROVEN = "2k5/8/p1P5/P2K4/8/8/8/8 w - - 0 1"
PAWN = "8/8/8/1k6/8/8/K5P1/8 w - - 0 1"
# The fastest mate begins with Kd3, which is too late.
LAST_CALL = "8/8/8/8/8/1P3k2/2K5/8 w - - 99 80"
COMMAND = [sys.executable, "-m", "tablebase", "play", "--dir", str(ROOT / "data")]


@pytest.fixture(scope="module")
def tables():
    with tablebase.open_tablebase(ROOT / "data") as tables:
        yield tables


@pytest.fixture(scope="module", params=["dtm", "both"])
def tables_of_a_metric(folders_by_metric, request):
    with tablebase.open_tablebase(folders_by_metric[request.param]) as tables:
        yield request.param, tables


def played(tables, fen, *inputs, person=None, **how):
    """Return what a game shows in answer to lines of input, its board, and whether it ended."""
    board = chess.Board(fen)
    console = Console(width=80, highlight=False)
    lines = iter([*inputs, "quit"])
    side = board.turn if person is None else person
    with console.capture() as captured:
        is_over = Game(tables, board, side, console, lambda _: next(lines), **how).run()
    return captured.get(), board, is_over


@pytest.mark.parametrize(
    ("fen", "move", "text"),
    [
        (MATE_IN_16, "Ka2", "Ka2: best, mate in 16."),
        (MATE_IN_16, "Rb5", "Rb5: mate in 17, was 16: best was Ka2."),
        (MATE_IN_16, "Rb4", "Rb4: a draw, was mate in 16: best was Ka2."),
        ("k7/8/1K6/8/8/8/8/7R w - - 0 1", "Rh8#", "Rh8#: mate."),
        ("8/8/8/8/8/1r6/2K5/k7 w - - 0 1", "Kxb3", "Kxb3: best, a draw."),
        ("8/8/8/8/8/1r6/2K5/k7 w - - 0 1", "Kd2", "Kd2: mated in 9, was a draw: best was Kxb3."),
    ],
)
def test_verdicts(tables, fen, move, text):
    board = chess.Board(fen)
    verdict = judge(board, tables.rank_moves(board), board.parse_san(move))
    assert verdict.text == text
    assert verdict.is_best == ("best," in text or "mate." in text)
    assert verdict.keeps_result == (" draw, was" not in text and "was a draw" not in text)


@pytest.fixture(scope="module")
def proven_tables(tmp_path_factory):
    """Return tables of a folder with nothing but a region, in which not all moves are proven."""
    folder = tmp_path_factory.mktemp("region")
    board = chess.Board(PROVEN)
    solved = tablebase.solve_position(board, "10h,2GB", save=folder / "a.region")
    assert not all(move.proven for move in solved.moves)
    with tablebase.open_tablebase(folder) as tables:
        yield tables


def test_a_game_by_proven_results(proven_tables):
    check_playable(proven_tables, chess.Board(PROVEN), [])
    line = proven_tables.mainline(chess.Board(PROVEN))
    board, ours = chess.Board(PROVEN), []
    for move in line:
        if board.turn:
            ours.append(move.uci())
        board.push(move)
    shown, played_on, is_over = played(proven_tables, PROVEN, "hint", "moves", "line", *ours)
    assert is_over
    assert played_on.is_checkmate()
    assert "White wins, proven: DTZ 11 plies without the 50-move rule" in shown
    assert "Win, DTZ 11 plies without the 50-move rule by Kc4 Kd4" in shown
    assert "Kc4: best, win, DTZ 11 plies without the 50-move rule." in shown
    assert "not known: " in shown
    assert shown.count("best, ") >= len(ours) - 2


def test_a_game_that_leaves_what_is_proven(proven_tables):
    unknown = next(
        one for one in rank_proven(proven_tables, chess.Board(PROVEN)) if one.wdl is None
    )
    shown, board, is_over = played(proven_tables, PROVEN, unknown.move.uci())
    assert not is_over
    assert (
        "The result of this position is not proven. To continue the game, prove it:\n"
        f'tablebase solve "{board.fen()}" --save NAME' in shown
    )


def test_a_shorter_defence_is_told(tables):
    board = chess.Board("8/8/8/8/8/2k5/1R6/1K6 b - - 0 1")
    ranked = tables.rank_moves(board)
    worst = ranked[-1]
    assert worst.dtm > ranked[0].dtm
    verdict = judge(board, ranked, worst.move)
    assert verdict.text == (
        f"{board.san(worst.move)}: mated in {-worst.dtm // 2}, was {-ranked[0].dtm // 2}: "
        f"best was {board.san(ranked[0].move)}."
    )
    assert verdict.color == "yellow"


@pytest.mark.parametrize(
    ("fen", "text", "uci"),
    [
        (MATE_IN_16, "Ka2", "a1a2"),
        (MATE_IN_16, "ka2", "a1a2"),
        (MATE_IN_16, "b2b8", "b2b8"),
        (MATE_IN_16, "Rb3", "b2b3"),
        ("8/4P3/8/8/8/8/k6K/8 w - - 0 1", "e8=N", "e7e8n"),
        ("8/4P3/8/8/8/8/k6K/8 w - - 0 1", "e8Q", "e7e8q"),
        ("8/8/8/8/4Pp2/8/k6K/8 b - e3 0 1", "fxe3", "f4e3"),
        (MATE_IN_16, "1. Ka2", "a1a2"),
        (MATE_IN_16, "12.Ka2", "a1a2"),
        ("8/8/8/8/8/1r6/2K5/k7 b - - 0 1", "3... Rb2+", "b3b2"),
    ],
)
def test_moves_as_people_type_them(fen, text, uci):
    assert read_move(chess.Board(fen), text).uci() == uci


@pytest.mark.parametrize("text", ["Kd4", "b2c3", "xyzzy", "0000", "--", "", "O-O"])
def test_what_is_no_move(text):
    with pytest.raises(ValueError, match="not a legal move"):
        read_move(chess.Board(MATE_IN_16), text)


def test_ambiguous_moves():
    with pytest.raises(ValueError, match="several moves"):
        read_move(chess.Board("8/8/k7/8/8/8/8/K1N3N1 w - - 0 1"), "Ne2")


@pytest.mark.parametrize("name", ["KRK", "KPK", "KvKR", "KNNK"])
def test_random_positions_are_won(tables, name):
    material = Material.from_name(name)
    boards = [
        random_won_position(tables, material, np.random.default_rng(seed)) for seed in (1, 1, 2)
    ]
    assert boards[0] == boards[1] != boards[2]
    for board in boards:
        assert board.is_valid()
        assert board.turn == (name != "KvKR")
        assert tables.probe_dtm(board) > 0


def test_a_random_position_without_wins(tables):
    board = random_won_position(tables, Material.from_name("KNK"), np.random.default_rng(1))
    assert board.is_valid()
    assert board.occupied.bit_count() == 3


def test_the_tables_of_a_whole_game_are_asked_for(tmp_path):
    from tablebase.building.generator import generate

    generate([Material.from_name("KRK")], tmp_path)
    with tablebase.open_tablebase(tmp_path) as tables:
        check_playable(tables, chess.Board(MATE_IN_16), [tmp_path])
        with pytest.raises(MissingTableError, match=r"tablebase build KBK KNK KQK KPK --dir"):
            check_playable(tables, chess.Board(PAWN), [tmp_path])
        with pytest.raises(UnsupportedPositionError):
            check_playable(tables, chess.Board(), [tmp_path])


@pytest.mark.parametrize("resistance", ["longest", "practical"])
@pytest.mark.parametrize("fen", [MATE_IN_16, PAWN])
def test_best_moves_mate_in_time(tables, fen, resistance):
    class Best:
        """Plays the first move of every hint."""

        def __init__(self):
            self.asked = 0

        def __call__(self, _):
            self.asked += 1
            return tables.best_move(board).uci()

    board, best = chess.Board(fen), Best()
    plies = tables.probe_dtm(board)
    console = Console(width=80)
    with console.capture() as captured:
        assert Game(tables, board, chess.WHITE, console, best, resistance=resistance).run()
    assert board.is_checkmate()
    # Practical resistance holds out nine tenths of the rest with each move.
    assert len(board.move_stack) == plies or resistance == "practical"
    assert len(board.move_stack) <= plies
    assert best.asked == (len(board.move_stack) + 1) // 2
    assert captured.get().endswith("Checkmate: White wins.\n")
    assert "was" not in captured.get()


def test_commands(tables):
    text, board, is_over = played(
        tables, MATE_IN_16, "hint", "MOVES", "line", "fen", "help", "", "Kz9", "board"
    )
    assert not is_over
    assert board.fen() == MATE_IN_16
    assert "Mate in 16 by Ka2 Kb1 Ra2" in text
    assert "draw" in text
    assert "16. Rg1#" in text
    assert f"\n{MATE_IN_16}\n" in text
    assert "take back your last move" in text
    assert "Kz9 is not a legal move here" in text
    assert text.count("8 . . . . . . . .     White to move") == 2
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("text", ["a8", "a7a8", "1. a8"])
@pytest.mark.parametrize(("piece", "kind"), [("n", chess.KNIGHT), ("Queen", chess.QUEEN)])
def test_the_piece_of_a_promotion_is_asked_for(tables, text, piece, kind):
    fen = "8/P7/8/8/8/8/k6K/8 w - - 0 1"
    shown, board, _ = played(tables, fen, text, piece)
    assert board.move_stack[0] == chess.Move(chess.A7, chess.A8, kind)
    shown, board, _ = played(tables, fen, text, "x")
    assert not board.move_stack
    assert "\nx is not a legal move here" in shown
    assert not lacks_piece(chess.Board(fen), "a8=Q")
    assert not lacks_piece(chess.Board(fen), "Kg3")


@pytest.mark.parametrize("word", ["exit", "resign", "Quit"])
def test_words_that_end_the_game(tables, word):
    assert "take back your last move" in played(tables, MATE_IN_16, "?", word)[0]
    assert not played(tables, MATE_IN_16, word, "Ka2")[2]


def test_a_clock_that_may_run_out_is_told(tables_of_a_metric):
    metric, tables = tables_of_a_metric
    text, _, _ = played(tables, MATE_IN_16.replace("0 1", "80 99"))
    unknown = "The 50-move rule may interfere: 31 plies to mate, 80 since" in text
    known = "DTZ 31 plies, clock 80: a draw by the 50-move rule" in text
    assert (unknown, known) == (metric == "dtm", metric == "both")
    assert "may interfere" not in played(tables, MATE_IN_16)[0]


def test_a_win_thrown_away_by_the_clock_is_a_blunder(folders_by_metric):
    board = chess.Board(LAST_CALL)
    with tablebase.open_tablebase(folders_by_metric["both"]) as tables:
        ranked = tables.rank_moves(board)
        best, late = (judge(board, ranked, board.parse_san(san)) for san in ("b4", "Kd3"))
        text, played_on, _ = played(tables, LAST_CALL, "hint", "moves", "line", "b4")
    assert best.text == "b4: best, mate in 23."
    assert late.text == (
        "Kd3: mate in 16 (too late for the 50-move rule), was mate in 23: best was b4."
    )
    assert (late.color, late.keeps_result) == ("red", False)
    assert "Mate in 23 by b4" in text
    assert "cursed win" in text
    assert "80. b4 " in text
    assert played_on.halfmove_clock == 1


def test_two_moves_that_are_late_are_compared(folders_by_metric):
    board = chess.Board(MATE_IN_16.replace("0 1", "80 99"))
    with tablebase.open_tablebase(folders_by_metric["both"]) as tables:
        verdict = judge(board, tables.rank_moves(board), board.parse_san("Rb5"))
    assert verdict.text == (
        "Rb5: mate in 17 (too late for the 50-move rule), was 16: best was Ka2."
    )
    assert verdict.color == "yellow"


def test_undo(tables):
    text, board, _ = played(tables, MATE_IN_16, "undo", "Rb5", "undo", "undo")
    assert text.count("You have not moved yet.") == 2
    assert board.fen() == MATE_IN_16
    _, board, _ = played(tables, MATE_IN_16, "undo", person=chess.BLACK)
    assert len(board.move_stack) == 1


def test_the_other_side(tables):
    text, board, _ = played(tables, MATE_IN_16, person=chess.BLACK)
    assert "You play Black" in text
    assert "White plays Ka2." in text
    assert "h g f e d c b a" in text
    assert tables.probe_dtm(board) == -30


@pytest.mark.parametrize(
    ("fen", "moves", "end"),
    [
        (MATE_IN_16, ["Rb4"], "A draw: neither side has enough to mate."),
        ("k7/8/1K6/8/8/8/8/6R1 w - - 0 1", ["Rg8"], "Checkmate: White wins."),
        ("k7/8/1K6/8/8/8/2Q5/8 w - - 0 1", ["Qc7"], "Stalemate: a draw."),
        ("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1", [], "Checkmate: White wins."),
        ("8/8/8/8/8/2k5/1R6/K7 w - - 149 90", ["Ka2"], "A draw: 75 moves without"),
    ],
)
def test_ends(tables, fen, moves, end):
    text, _, is_over = played(tables, fen, *moves)
    assert is_over
    assert text.splitlines()[-1].startswith(end)


def test_repetition_ends_too(tables):
    shuffle = ["Ke6", "Ke5"] * 10
    fen = "8/8/8/4k3/8/8/8/K2NN3 b - - 0 1"
    text, board, is_over = played(tables, fen, *shuffle, resistance="longest")
    assert is_over
    assert text.splitlines()[-1] == "A draw: the same position for the fifth time."
    assert board.is_repetition(5)


def test_a_partner_who_fights_does_not_repeat(tables):
    fen = "8/8/8/4k3/8/8/8/K2NN3 b - - 0 1"
    _, board, is_over = played(tables, fen, *["Ke6", "Ke5"] * 5)
    assert not is_over
    boards = []
    while board.move_stack:
        boards.append(board.epd())
        board.pop()
    assert len(set(boards)) == len(boards)


def test_where_the_tables_cannot_fight_they_say_so(proven_tables, tables_of_a_metric):
    metric, some = tables_of_a_metric
    text, _, _ = played(some, "8/8/8/4k3/8/4p3/8/4K3 b - - 0 1", "Kd4", "Kd3")
    lacking = "From here the tables play by --resistance longest: a table has no distances to"
    assert text.count(lacking) == (metric == "dtm")
    text, _, _ = played(proven_tables, PROVEN, "Kc4", "Kd4")
    assert text.count("by --resistance longest: the result is proven by a region.") == 1
    text, _, _ = played(proven_tables, PROVEN, "Kc4", resistance="longest")
    assert "resistance" not in text


def test_the_claim_of_a_draw_is_told(tables):
    text, _, _ = played(tables, "8/8/8/8/8/2k5/1R6/K7 w - - 99 80", "Ka2")
    assert text.count("a draw could be claimed") == 1


@pytest.fixture
def printed(capsys, monkeypatch):
    """Return a function that gives what a command prints that is given lines of input."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "80")

    def printed(*arguments, text):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        code, output, message = run(capsys, *arguments)
        assert (code, message) == (0, "")
        return output

    return printed


PROMOTION = "8/P7/8/8/8/2k5/8/K7 w - - 0 1"


def test_end_of_input_is_no_error():
    result = subprocess.run(
        [*COMMAND, MATE_IN_16],
        input="Ka2\n",
        check=False,
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
    )
    assert result.returncode == 0
    assert result.stderr == ""
    assert "Your move: Ka2" in result.stdout
    assert result.stdout.splitlines()[-1].startswith('To resume: tablebase play "8/')


@pytest.mark.skipif(
    [*map(int, version("rich").split(".")[:2])] < [14, 3], reason="columns are a blank wider"
)
def test_the_examples_of_the_documentation(printed):
    text = (ROOT / "docs" / "play.md").read_text()
    blocks = [block.split("```")[0] for block in text.split("```console\n")[1:]]
    game, probe = (blocks[number].partition("\n")[2] for number in (0, -1))
    inputs = [row.removeprefix("Your move: ") for row in game.splitlines() if "Your move: " in row]
    assert len(inputs) > 3
    for command, shown in (("play", game), ("probe", probe)):
        output = printed(command, MATE_IN_16, text="\n".join(inputs))
        assert output.strip() == shown.strip()


def test_a_game_can_go_on(printed):
    last = printed("play", MATE_IN_16, "--side", "black", text="quit\n").splitlines()[-1]
    again = printed("play", last.split('"')[1], "--side", "black", text="fen\n")
    assert "30 plies" in again


def test_a_game_goes_on_by_the_same_resistance(printed):
    """Black's move is the hardest to answer, or the first of `probe`."""
    drawn = "8/8/3k4/8/2p5/8/8/4K3 b - - 0 1"
    asked = ("play", drawn, "--side", "white")
    for options, move in (((), "Kc6"), (("--resistance", "longest"), "c3")):
        output = printed(*asked, *options, text="quit\n")
        assert f"Black plays {move}." in output
        last = output.splitlines()[-1]
        assert last.startswith("To resume: tablebase play ")
        assert ("--resistance longest" in last) == bool(options)


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        ("quit", "To resume: tablebase play"),
        ("quark", "quark is not a legal move here"),
        ("fen", PROMOTION),
        ("Rook", "a8=R: "),
        ("n", "a8=N: "),
    ],
)
def test_the_whole_answer_about_a_promotion_counts(printed, answer, shown):
    output = printed("play", PROMOTION, text=f"a8\n{answer}\nquit\n")
    assert shown in output
    assert ("a8=" in shown) == ("a8=" in output)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ([], "--random"),
        ([MATE_IN_16, "--random", "KRK"], "no position"),
        (["xyz"], "xyz"),
        (["--random", "KX"], "KX"),
        (["--random", "KQKQ"], "tablebase build KQKQ"),
        (["8/8/8/8/8/2k5/Q7/KQ6 w - - 0 1"], "tablebase build KQQK"),
    ],
)
def test_one_line_for_every_error(capsys, arguments, named):
    from tablebase.cli.program import main

    assert main(["play", "--dir", str(ROOT / "data"), *arguments]) == 2
    message = capsys.readouterr().err
    assert named in message
    assert message.count("\n") == 1


class Terminal:
    """A command on a pseudo-terminal of 80 columns."""

    def __init__(self, *arguments):
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [*COMMAND, *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**ENVIRONMENT, "TERM": "xterm-256color"},
            start_new_session=True,
        )
        os.close(slave)
        self.text = ""

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.process.kill()  # harmless after its end
        self.process.wait()
        os.close(self.master)

    def wait_for(self, words):
        """Wait until words appear, after those seen before."""
        while words not in self.text:
            ready, _, _ = select.select([self.master], [], [], PATIENCE)
            assert ready, f"no {words!r} in {self.text!r}"
            try:
                self.text += os.read(self.master, 4096).decode()
            except OSError:  # Linux's end of file
                raise AssertionError(f"no {words!r} in {self.text!r}") from None
        self.text = self.text.partition(words)[2]

    def type(self, text):
        os.write(self.master, text.encode())

    def interrupt(self):
        """Interrupt: a signal just before the wait for a key is seen with the key after it."""
        self.process.send_signal(signal.SIGINT)
        self.type("\n")


@pytest.mark.parametrize("ending", ["quit\n", "\x04", "interrupt"])
def test_on_a_terminal(ending):
    with Terminal(MATE_IN_16) as terminal:
        terminal.wait_for("Your move: ")
        terminal.type("hint\n")
        terminal.wait_for("Mate in 16 by Ka2")
        terminal.wait_for("Your move: ")
        terminal.type("Rb5\n")
        terminal.wait_for("best was Ka2")
        terminal.wait_for("Black plays")
        terminal.wait_for("\x1b[48;5;")  # coloured squares
        terminal.wait_for("Your move: ")
        if ending == "interrupt":
            terminal.interrupt()
        else:
            terminal.type(ending)
        terminal.wait_for("To resume: tablebase play")
        assert terminal.process.wait(timeout=PATIENCE) == 0
        assert "Traceback" not in terminal.text
