"""Every command with folders and names that are not as usual: entries, case, contents, order."""

import shlex
import shutil
from itertools import chain
from pathlib import Path

import pytest
from support.commands import refusal, run
from support.few import few, thorough

from tablebase.cli.program import make_parser

ROOK = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"
# What reads the table of king and rook.
COMMANDS = {
    "probe": (ROOK,),
    "info": (),
    "verify": ("KRK", "--sample", "100"),
    "find": ("KRK", "--limit", "1"),
    "export": ("KRK", "--gaviota", "{new}"),
    "publish": ("{new}", "KRK"),
    "butterfly": ("KRK", "--no-pictures", "--out", "{new}"),
    "info --sort men": (),
    "build": ("KRK",),
    "annotate": ("{game}",),
}
GAME = f'[FEN "{ROOK}"]\n\n1. Kb1 *\n'


@pytest.fixture
def words(tmp_path):
    """Return a function for the words of a command on a folder."""
    game = tmp_path / "game.pgn"
    game.write_text(GAME)

    def words(command, folder):
        places = {"new": tmp_path / "new", "game": game}
        given = (one.format(**places) for one in COMMANDS[command])
        return [*command.split(), *given, "--dir", str(folder)]

    return words


def outcome(capsys, words):
    code, output, errors = run(capsys, *words)
    lines = errors.splitlines()
    return code, output, [line for line in lines if line.startswith("tablebase: ")]


@pytest.mark.thorough
@pytest.mark.filterwarnings("default::RuntimeWarning")
@pytest.mark.parametrize("command", COMMANDS)
def test_one_bad_entry_is_named_and_hides_nothing(capsys, tmp_path, words, command):
    folder = tmp_path / "tables"
    folder.mkdir()
    for name in ("KK", "KRK"):
        (folder / f"{name}.h5").symlink_to(Path(f"data/{name}.h5").resolve())
    for name in ("KPK.h5", "some.region", "own-01234567"):
        (folder / name).symlink_to(name)
    code, output, problems = outcome(capsys, words(command, folder))
    assert code == 0, problems
    assert output
    assert len(problems) == len(set(problems)), "named twice"
    assert set(problems) <= {
        f"tablebase: {folder / name} is left out: Too many levels of symbolic links"
        for name in ("KPK.h5", "some.region", "own-01234567")
    }
    # Commands that need no list of the folder do not look at its other entries.
    if command not in {"export", "find", "verify", "butterfly"}:
        assert any("KPK.h5 is left out" in line for line in problems)


@pytest.mark.parametrize("command", few(COMMANDS, "build", "info", others=thorough))
def test_tables_are_found_by_names_in_any_case(capsys, tmp_path, words, command):
    folder = tmp_path / "tables"
    folder.mkdir()
    shutil.copy("data/KK.h5", folder / "kk.h5")
    shutil.copy("data/KRK.h5", folder / "KrvK.H5")
    code, output, problems = outcome(capsys, words(command, folder))
    assert (code, problems) == (0, [])
    if command == "build":
        assert "Nothing to do: all 2 tables are in" in output
        assert sorted(path.name for path in folder.iterdir()) == ["KrvK.H5", "kk.h5"]
    elif command != "export":  # its files are written all the same
        assert output


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_with_another_table_is_refused(capsys, tmp_path, words, command):
    folder = tmp_path / "tables"
    folder.mkdir()
    shutil.copy("data/KK.h5", folder)
    shutil.copy("data/KNK.h5", folder / "KRK.h5")
    code, _, problems = outcome(capsys, words(command, folder))
    assert code == 2
    assert [line.count("KRK.h5: this is the table of KNK, not of KRK: ") for line in problems] == [
        1
    ]


def test_what_is_advised_for_a_damaged_or_misnamed_table_works(capsys, tmp_path):
    shutil.copy("data/KK.h5", tmp_path)
    for content in (b"no table", None):
        if content is None:
            shutil.copy("data/KNK.h5", tmp_path / "KRK.h5")
        else:
            (tmp_path / "KRK.h5").write_bytes(content)
        for command in ("info", "build"):
            advice = refusal(capsys, command, "KRK", "--dir", str(tmp_path)).split("`")[1]
        assert run(capsys, *shlex.split(advice)[1:])[0] == 0
        assert run(capsys, "info", "KRK", "--dir", str(tmp_path))[0] == 0


@pytest.mark.parametrize("command", sorted({*COMMANDS, "report", "serve"} - {"annotate"}))
def test_a_file_is_no_folder(capsys, tmp_path, words, command):
    file = tmp_path / "file"
    file.touch()
    known = command in COMMANDS
    message = refusal(capsys, *(words(command, file) if known else (command, "--dir", str(file))))
    assert f"{file} is " in message
    assert "not a folder" in message
    assert "tablebase build" not in message


# The order of arguments

VALUES = {
    "folder": ["site"],
    "names": ["KRK", "KQK"],
    "strategy": ["mine.py"],
    "fen": ["8/8/8/8/8/2k5/1R6/K7", "w", "-", "-"],
    "game": ["game.pgn"],
    "games": ["chess", "shatranj"],
}


def parts_of(command):
    """Return words without a dash, and options, that a command takes together."""
    plain, options = [], []
    for action in command._actions:
        if not action.option_strings:
            values = VALUES[action.dest]
            plain += values[: action.nargs] if isinstance(action.nargs, int) else values
        elif action.dest in {"dir", "threads", "syzygy", "json"}:
            values = {"dir": ["tables"], "threads": ["2"], "syzygy": ["files"]}
            options.append([action.option_strings[0], *values.get(action.dest, [])])
    return plain, options


@pytest.mark.parametrize("name", sorted(make_parser()._subparsers._group_actions[0].choices))
def test_words_stand_before_between_and_after_options(name):
    parser = make_parser()
    plain, options = parts_of(parser._subparsers._group_actions[0].choices[name])
    flat = list(chain(*options))
    expected = vars(parser.parse_args([name, *plain, *flat]))
    given = [value for value in expected.values() if isinstance(value, list)]
    assert sum(len(value) for value in given) >= len(plain) - (
        name in {"publish", "annotate", "prove"}
    )
    for first in range(len(plain) + 1):
        between = [*plain[:first], *flat, *plain[first:]]
        assert vars(parser.parse_args([name, *between])) == expected
        if options:
            split = [*options[0], *plain[:first], *chain(*options[1:]), *plain[first:]]
            assert vars(parser.parse_args([name, *split])) == expected
