"""Commands that do not know a game refuse it in a line with a remedy, and write nothing."""

import pytest

from tablebase.cli.program import main

REFUSED = ["export --syzygy {there}", "find KRK --order difficulty"]


@pytest.mark.parametrize("command", REFUSED)
@pytest.mark.parametrize(
    ("game", "folder"), [("3check", "checks_dir"), ("racingkings", "racing_dir")]
)
def test_a_game_is_refused_by_name(command, game, folder, request, tmp_path, capsys):
    given = command.format(there=tmp_path / "there").split()
    tables = str(request.getfixturevalue(folder))
    assert main([*given, "--rules", game, "--dir", tables]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert game in err
    assert f"`tablebase probe --rules {game}`" in err or "--parquet" in err
    assert err.count("\n") == 1
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("find KRK --never black", "3check has no helpmates, because checks are counted in it"),
        ("export KRK --parquet {there} --columns help", "3check has no helpmates"),
        ("probe 8/8/8/8/8/4k3/8/RRN1K3 w - - 3+3 0 1", "5 pieces, but tables have at most 4"),
    ],
)
def test_no_remedy_is_named_that_would_be_refused(given, told, checks_dir, tmp_path, capsys):
    arguments = given.format(there=tmp_path / "there").split()
    assert main([*arguments, "--rules", "3check", "--dir", str(checks_dir)]) == 2
    out, err = capsys.readouterr()
    assert told in err
    assert "build" not in out + err


def test_nobody_is_in_check_in_a_race(racing_dir, capsys):
    with pytest.raises(SystemExit):
        main(["find", "KRK", "--check", "--rules", "racingkings", "--dir", str(racing_dir)])
    assert "nobody is ever in check in racingkings" in capsys.readouterr().err
    arguments = ["--rules", "racingkings", "--dir", str(racing_dir)]
    assert main(["probe", "1K5k/8/8/8/8/8/R7/8 w", *arguments]) == 0
    assert "Draw: both kings are at the goal" in capsys.readouterr().out
