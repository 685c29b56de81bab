"""Commands that do not know a game refuse it in a line with a remedy, and write nothing."""

import pytest

from tablebase.cli.program import main

REFUSED = ["export --syzygy {there}", "find KRK --order difficulty"]


@pytest.mark.parametrize("command", REFUSED)
def test_three_check_is_refused_by_name(command, checks_dir, tmp_path, capsys):
    given = command.format(there=tmp_path / "there").split()
    assert main([*given, "--rules", "3check", "--dir", str(checks_dir)]) == 2
    check_refusal("3check", tmp_path, capsys)


@pytest.mark.parametrize("command", REFUSED)
def test_racing_kings_are_refused_by_name(command, racing_dir, tmp_path, capsys):
    given = command.format(there=tmp_path / "there").split()
    assert main([*given, "--rules", "racingkings", "--dir", str(racing_dir)]) == 2
    check_refusal("racingkings", tmp_path, capsys)


def check_refusal(game, tmp_path, capsys):
    out, err = capsys.readouterr()
    assert not out
    assert game in err
    assert f"`tablebase probe --rules {game}`" in err or "--parquet" in err
    assert err.count("\n") == 1
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
