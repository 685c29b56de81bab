"""Terminal: tables of numbers as people read them."""

from tablebase.terminal import longest_win, new_table, show


def test_the_longest_win_of_both_sides():
    wins = {"white_to_move": {"plies": 31}, "black_to_move": None}
    assert longest_win({"longest_wins": wins}) == "16 moves (31 plies)"
    assert longest_win({"longest_wins": dict.fromkeys(wins)}) == "none"


def test_tables(capsys):
    table = new_table("material", "positions")
    table.add_row("KRK", "50,015")
    show(table)
    assert capsys.readouterr().out.split() == ["material", "positions", "─" * 22, "KRK", "50,015"]
