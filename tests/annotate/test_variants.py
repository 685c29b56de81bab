"""Games of atomic chess, as lichess exports them."""

import pytest

from tablebase.cli.program import main

TAGS = """[Event "Rated Atomic game"]
[Site "https://lichess.org/abcdefgh"]
[Variant "Atomic"]
[FEN "8/8/8/3k4/8/2K5/1Q6/8 w - - 0 1"]
[SetUp "1"]
"""


EXPLOSION = """[Event "Rated Atomic game"]
[White "Ada"]
[Black "Ben"]
[Result "1-0"]
[Variant "Atomic"]
[FEN "8/6rk/8/8/8/8/8/Q3K3 w - - 0 1"]
[SetUp "1"]

1. Qxg7# 1-0
"""
OF_CHESS = """[White "Ada"]
[FEN "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"]
[SetUp "1"]

1. Ka2 Kc4 1/2-1/2
"""


@pytest.fixture
def annotate(atomic_dir, tmp_path, capsys):
    def run(moves):
        path = tmp_path / "game.pgn"
        path.write_text(f"{TAGS}\n{moves}\n")
        code = main(["annotate", str(path), "--dir", str(atomic_dir)])
        told = capsys.readouterr()
        return code, told.out, told.err.strip().splitlines()[-1]

    return run


def test_values_and_mistakes_are_those_of_atomic_chess(annotate):
    code, game, summary = annotate("1. Kc2 Ke4 2. Qe5+ Kf3 1/2-1/2")
    assert code == 0
    assert "[%eval #8]" in game
    assert "wins in" in game
    assert "5 of 5 positions known" in summary
    assert "lost the win" in summary


def test_an_illegal_move_is_named(annotate):
    code, _, error = annotate("1. Kc2 Ke4 2. Kxc8 1-0")
    assert code == 2
    assert "'Kxc8' is not a legal move in 8/8/8/8/4k3/8/1QK5/8 w" in error


def test_a_game_may_end_by_an_explosion(atomic_dir, tmp_path, capsys):
    """The last position is known without any table; the one before asks for one of the game."""
    path = tmp_path / "game.pgn"
    path.write_text(EXPLOSION)
    assert main(["annotate", str(path), "--dir", str(atomic_dir)]) == 0
    game, told = capsys.readouterr()
    assert game.rstrip().endswith("1. Qxg7# 1-0")
    assert "1 of 2 positions known" in told
    assert f"build it with `tablebase build KQKR --rules atomic --dir {atomic_dir}`" in told


GIVEN_AWAY = """[Event "A game"]
[Variant "{}"]
[FEN "8/8/8/8/8/P7/8/7k b - - 0 1"]
[SetUp "1"]

1... Kg1 2. a4 Kf2 3. a5 Ke3 4. a6 Kd4 5. a7 Kc5 6. a8=Q *
"""


def test_games_of_antichess_and_suicide(antichess_dir, suicide_dir, tmp_path, capsys):
    path = tmp_path / "games.pgn"
    path.write_text("\n".join(map(GIVEN_AWAY.format, ("Antichess", "Suicide"))))
    folders = ["--dir", str(antichess_dir), "--dir", str(suicide_dir)]
    assert main(["annotate", str(path), *folders]) == 0
    out, told = capsys.readouterr()
    antichess, suicide = " ".join(out.split()).split("[Variant ")[1:]
    assert "{ [%eval #23] } 1... Kg1" in antichess
    assert "6. a8=Q $4 { Loses in 2 moves (3 plies); a8=R wins in 18 moves (36 plies)." in antichess
    # Distances of suicide do not tell who wins, so only results are given.
    assert "{ [%eval 100.00] } 1... Kg1" in suicide
    assert "6. a8=Q $4 { Loses; a8=R wins. [%eval -100.00] }" in suicide
    assert "22 of 22 positions known" in told
    assert main(["annotate", "--summary", str(path), *folders]) == 0
    rows = [line.split()[:4] for line in capsys.readouterr().out.splitlines()]
    assert [one for one in rows if one[1:2] == ["of"]] == [
        [name, "of", game, count]
        for count, name in (("10", "KvP"), ("1", "KvQ"))
        for game in ("antichess", "suicide")
    ]


def test_giveaway_is_another_name_of_antichess(antichess_dir, tmp_path, capsys):
    told = []
    for name in ("Antichess", "Giveaway"):
        path = tmp_path / f"{name}.pgn"
        path.write_text(GIVEN_AWAY.format(name))
        assert main(["annotate", str(path), "--dir", str(antichess_dir)]) == 0
        told.append(capsys.readouterr().out.replace(f'[Variant "{name}"]', ""))
    assert told[0] == told[1]


LEFT = """[Event "Rated Racing Kings game"]
[White "Ada"]
[Black "Ben"]
[Result "1-0"]
[Variant "Racing Kings"]
[FEN "8/8/1K4k1/8/8/8/R7/8 w - - 0 1"]
[SetUp "1"]

1. Kb7 Kh7 2. Kb8 Kh6# 1-0
"""


def test_games_of_racing_kings(racing_dir, tmp_path, capsys):
    path = tmp_path / "games.pgn"
    path.write_text(LEFT)
    assert main(["annotate", str(path), "--dir", str(racing_dir)]) == 0
    out, told = capsys.readouterr()
    out = " ".join(out.split())
    assert "{ [%eval #4] } 1. Kb7 { [%eval #3] }" in out
    assert "2. Kb8 $2 { Draws; Ra8 wins in 3 moves (5 plies). [%eval 0.00] }" in out
    assert out.endswith("2... Kh6# $2 { Loses in 1 move (1 ply); Kh8 draws. } 1-0")
    assert "5 of 5 positions known" in told


def test_positions_of_a_race_are_counted_up_to_its_mirror_image(racing_dir, tmp_path, capsys):
    """Colours are not exchanged, and a race that is over is of no ending."""
    path, flipped = tmp_path / "games.pgn", LEFT.replace("R7", "7R")
    for one, other in (("1K4k1", "1k4K1"), ("Kb", "Kg"), ("Kh7", "Ka7"), ("Kh6", "Ka6")):
        flipped = flipped.replace(one, other)
    path.write_text(f"{LEFT}\n{flipped}")
    assert main(["annotate", "--summary", str(path), "--dir", str(racing_dir)]) == 0
    out, told = capsys.readouterr()
    assert "2 games, 10 of 10 positions known" in told
    rows = [line.split() for line in out.splitlines()]
    assert [one[:7] for one in rows if "KRK" in one] == [
        ["KRK", "of", "racingkings", "8", "2", "8", "4"]
    ]
    shown = [one for one in rows if "- - 0 1" in " ".join(one)]
    assert [(one[1], one[6]) for one in shown] == [("b", "draw"), ("w", "win")]


CHECKED = """[Event "Rated Three-check game"]
[White "Ada"]
[Black "Ben"]
[Result "1-0"]
[Variant "Three-check"]
[FEN "{}"]
[SetUp "1"]

1. Rd2+ Ke4 2. Re2+ Kf3 3. Re3+ 1-0
"""


@pytest.mark.parametrize("checks", ["3+3 0 1", "0 1 +0+0"])
def test_games_of_three_check(checks, checks_dir, tmp_path, capsys):
    path = tmp_path / "games.pgn"
    path.write_text(CHECKED.format(f"8/8/8/3k4/8/2K5/1R6/8 w - - {checks}"))
    assert main(["annotate", str(path), "--dir", str(checks_dir)]) == 0
    out, told = capsys.readouterr()
    assert "{ [%eval #4] } 1. Rd2+ { [%eval #3] } 1... Ke4 $6 { Loses in 2 moves" in out
    assert out.rstrip().endswith("2. Re2+ { [%eval #1] } 2... Kf3 { [%eval #1] } 3. Re3# 1-0")
    assert "6 of 6 positions known" in told


def test_positions_are_counted_with_the_checks_left(checks_dir, tmp_path, capsys):
    """A game with the colours exchanged has the same, and one with fewer checks left has others."""
    path = tmp_path / "games.pgn"
    game = CHECKED.format("8/8/8/3k4/8/2K5/1R6/8 w - - 3+3 0 1")
    twin = CHECKED.format("8/1r6/2k5/8/3K4/8/8/8 b - - 3+3 0 1")
    twin = twin.replace("1. Rd2+ Ke4 2. Re2+ Kf3 3. Re3+", "1... Rd7+ 2. Ke5 Re7+ 3. Kf6 Re6+")
    short = game.replace("3+3", "2+3").replace(" Kf3 3. Re3+", "")
    path.write_text(f"{game}\n{twin}\n{short}")
    assert main(["annotate", "--summary", str(path), "--dir", str(checks_dir)]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["KRK", "of", "3check", "13", "3", "13", "0"] in [one[:7] for one in rows]


def test_a_position_that_is_no_fen_of_its_game_is_named(checks_dir, tmp_path, capsys):
    path = tmp_path / "games.pgn"
    path.write_text(CHECKED.format("8/8/8/3k4/8/2K5/1R6/8 w - - 3+x 0 1"))
    assert main(["annotate", str(path), "--dir", str(checks_dir)]) == 2
    assert "'3+x' is no number of checks" in capsys.readouterr().err


def test_counts_of_games_of_several_variants(atomic_dir, folders_by_metric, tmp_path, capsys):
    pytest.importorskip("jinja2")
    parquet = pytest.importorskip("pyarrow.parquet")
    path, page, rows = tmp_path / "games.pgn", tmp_path / "page.html", tmp_path / "rows.parquet"
    path.write_text(f"{TAGS}\n1. Kc2 Ke4 2. Qe5+ Kf3 1/2-1/2\n\n{EXPLOSION}\n{OF_CHESS}")
    folders = ["--dir", str(atomic_dir), "--dir", str(folders_by_metric["both"])]
    files = ["--html", str(page), "--parquet", str(rows)]
    assert main(["annotate", "--summary", str(path), *folders, *files]) == 0
    out, told = capsys.readouterr()
    assert "3 games, 9 of 10 positions known" in told
    endings = [line.split()[:-4] for line in out.splitlines() if line.strip().startswith("K")]
    assert ["KQK", "of", "atomic"] in [one[:3] for one in endings]
    assert "KRK" in [one[0] for one in endings]
    assert "2. Qe5+" in out
    assert 'href="https://lichess.org/analysis/atomic/8/8/8/8/4k3/8/1QK5/8_w' in page.read_text()
    names = parquet.read_table(rows, columns=["rules", "material"]).to_pylist()
    assert {(one["rules"], one["material"]) for one in names} == {
        ("atomic", "KQK"),
        ("chess", "KRK"),
    }


def test_nobody_castles_in_antichess(antichess_dir, tmp_path, capsys):
    path = tmp_path / "castling.pgn"
    tags = '[Variant "Antichess"]\n[FEN "8/8/8/8/8/7k/8/4K3 w Q - 0 1"]\n[SetUp "1"]\n'
    path.write_text(f"{tags}\n1. Kd2 Kg2 0-1\n")
    assert main(["annotate", str(path), "--dir", str(antichess_dir)]) == 0
    assert "3 of 3 positions known" in capsys.readouterr().err
    path.write_text(f"{tags.replace('4K3', 'R3K3')}\n1. O-O-O 1-0\n")
    assert main(["annotate", str(path), "--dir", str(antichess_dir)]) == 2
    assert "'O-O-O' is not a legal move" in capsys.readouterr().err
