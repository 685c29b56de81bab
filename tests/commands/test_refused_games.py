"""Commands that do not know a game refuse it in a line with a remedy, and write nothing."""

import pytest

from tablebase.cli.program import main

REFUSED = ["export --syzygy {there}", "find KRK --order difficulty"]


@pytest.mark.parametrize("command", REFUSED)
def test_racing_kings_are_refused_by_name(command, racing_dir, tmp_path, capsys):
    given = command.format(there=tmp_path / "there").split()
    assert main([*given, "--rules", "racingkings", "--dir", str(racing_dir)]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert "racingkings" in err
    assert "`tablebase probe --rules racingkings`" in err or "--parquet" in err
    assert err.count("\n") == 1
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
