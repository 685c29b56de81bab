"""Letters that an encoding lacks: none that goes out is lost, none that comes in ends a command."""

import csv
import io
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import environment_of, run

from tablebase.cli.program import main, make_parser
from tablebase.core.ground.streams import as_text, decoded, reader_may_leave

ROOT = Path(__file__).parents[2]
DATA = str(ROOT / "data")
FEN = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"
LETTERS = "♔ü"  # the first is not in Windows-1252, neither is in ASCII
PGN = f'[White "{LETTERS}"]\n[FEN "{FEN}"]\n\n1. Ka2 *\n'
EPD = f'8/8/8/8/8/2k5/1R6/K7 w - - c0 "{LETTERS}";\n'
RULES = f"# {LETTERS}\n[mine:chess]\n"
# Arguments, and the exit code, for each command; words in braces are names with the letters.
LINES = {
    "build": [("KK --dir {new}", 0), ("K{letters}K", 2)],
    "plan": [("KRK", 0), ("K{letters}K", 2)],
    "probe": [("--file {epd}", 0), ("--file {epd} --json", 0), (f'"{FEN}"', 0)],
    "solve": [("{letters}", 2)],
    "find": [("KRK --plies 31", 0), ("KRK --dir {none}", 2)],
    "annotate": [("{pgn}", 0), ("{none}", 2)],
    "serve": [("--dir {folder} --port 0", 0), ("--dir {none}", 2)],
    "info": [
        ("--dir {folder}", 0),
        ("KK --dir {folder}", 0),
        ("--csv", 0),
        ("--csv --dir {none}", 2),
    ],
    "count": [("KRK", 0), ("K{letters}K", 2)],
    "mcp": [("--dir {none}", 2)],
    "prove": [("KRK {none}", 2)],
    "report": [("KRK --dir {none}", 2)],
    "butterfly": [("KRK --dir {none}", 2)],
    "verify": [("KK --dir {folder}", 0)],
    "export": [("--syzygy {new} KRK --dir {none}", 2)],
    "audit": [("--syzygy {none} --dir {folder}", 2)],
    "publish": [("{new} --dir {none}", 2)],
    "uci": [("", 0)],
    "rules": [("{rules}", 0), ("{none}", 2)],
}
TYPED = f"setoption name TablebasePath value {LETTERS}\nisready\n{LETTERS}\nquit\n"


class Terminal(io.TextIOWrapper):
    """A stream that shows what it gets to somebody."""

    def isatty(self):
        return True


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    """Return paths with the letters: a folder of tables, files, and what is not there."""
    root = tmp_path_factory.mktemp(f"of-{LETTERS}")
    folder = root / f"tables-{LETTERS}"
    folder.mkdir()
    shutil.copy(ROOT / "data" / "KK.h5", folder)
    texts = {"pgn": PGN, "epd": EPD, "rules": RULES}
    for name, text in texts.items():
        (root / f"{LETTERS}.{name}").write_text(text, encoding="utf-8")
    files = {name: root / f"{LETTERS}.{name}" for name in texts}
    return {"letters": LETTERS, "folder": folder, "none": root / f"no-{LETTERS}", **files}


def printed(monkeypatch, arguments, encoding, kind):
    """Return exit code, output and errors, as bytes, of a command with streams of an encoding."""
    written = io.BytesIO(), io.BytesIO()
    typed = io.TextIOWrapper(io.BytesIO(TYPED.encode()), encoding)
    # Line ends are those of Windows, as the encoding is.
    out, err = (kind(one, encoding, newline="\r\n") for one in written)
    with monkeypatch.context() as patched:
        for name, stream in (("stdin", typed), ("stdout", out), ("stderr", err)):
            patched.setattr(sys, name, stream)
        patched.setattr("tablebase.serve.server.serve", lambda *_: None)
        try:
            code = main(arguments)
        except SystemExit as end:
            code = end.code
        out.flush()
        err.flush()
    return code, *(one.getvalue() for one in written)


def test_every_command_has_its_lines():
    parser = make_parser()
    choices = next(action.choices for action in parser._actions if action.dest == "==SUPPRESS==")
    assert set(LINES) == set(choices)


@pytest.mark.thorough
@pytest.mark.parametrize("command", LINES)
@pytest.mark.parametrize(("encoding", "kind"), [("cp1252", io.TextIOWrapper), ("ascii", Terminal)])
def test_no_letter_ends_a_command(monkeypatch, tmp_path, names, command, encoding, kind):
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.chdir(ROOT)
    seen = b""
    for line, expected in LINES[command]:
        paths = {**names, "new": tmp_path / f"new-{LETTERS}"}
        arguments = [word.format(**paths) for word in line.replace('"', "").split()]
        code, output, errors = printed(monkeypatch, [command, *arguments], encoding, kind)
        assert code == expected, (line, output, errors)
        assert expected or output, line
        assert output.count(b"\n") == output.count(b"\r\n")
        seen += output + errors
    text = seen.decode("utf-8" if kind is io.TextIOWrapper else encoding)
    assert (LETTERS if kind is io.TextIOWrapper else r"\u2654\xfc") in text, text


@pytest.mark.thorough
@pytest.mark.parametrize("command", ["annotate {pgn}", "probe --file {epd}", "uci"])
def test_data_is_utf_8_in_a_pipe(names, command):
    """As Windows has it, whatever the encoding of its console."""
    result = subprocess.run(
        [sys.executable, "-m", "tablebase", *command.format(**names).split(), "--dir", DATA],
        input=TYPED.encode(),
        env=environment_of(PYTHONIOENCODING="cp1252"),
        capture_output=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert LETTERS in result.stdout.decode()


def test_programs_of_scripts_and_examples(monkeypatch):
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, "cp1252"))
    with reader_may_leave():
        print(LETTERS)  # noqa: T201 (as scripts do)
    assert written.getvalue().decode().rstrip() == LETTERS


# What comes in


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1", "cp1252"]
)
def test_texts_of_any_encoding(encoding):
    text = 'a "Müller' + ("\n" if encoding in {"latin-1", "cp1252"} else ' \u2013 Žito"\n')
    assert decoded(text.encode(encoding)) == text
    assert as_text(io.BufferedReader(io.BytesIO(text.encode(encoding)))).read() == text


def test_each_letter_that_is_not_utf_8_is_one():
    mixed = [("Müller ", "utf-8"), ("Müller ", "latin-1"), ("Š\u2013\u2019\x9d â", "cp1252")]
    text = b"".join(letters.encode(name, "replace") for letters, name in mixed)
    assert decoded(text) == "Müller Müller Š\u2013\u2019? â"
    assert decoded(b"a\x81\xe2\x99") == "a\x81â\u2122"


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-16-le", "utf-8-sig"])
@pytest.mark.parametrize("is_piped", [True, False])
def test_games_in_other_encodings_keep_their_letters(
    capsys, monkeypatch, tmp_path, encoding, is_piped
):
    text = PGN.replace(LETTERS, "Müller").encode(encoding)
    path = tmp_path / "game.pgn"
    path.write_bytes(text)
    if is_piped:
        piped = io.TextIOWrapper(io.BufferedReader(io.BytesIO(text)), "ascii")
        monkeypatch.setattr(sys, "stdin", piped)
    code, output, message = run(capsys, "annotate", "-" if is_piped else str(path), "--dir", DATA)
    assert code == 0
    assert '[White "Müller"]' in output
    assert "[%eval #16]" in output
    name = "standard input" if is_piped else str(path)
    told = f"tablebase: {name}: 1 letter not in UTF-8, read as ISO 8859-1\n"
    assert (told in message) == (encoding == "latin-1")


def test_positions_in_other_encodings_keep_their_letters(capsys, tmp_path):
    path = tmp_path / "positions.epd"
    path.write_bytes(EPD.replace(LETTERS, "Müller").encode("latin-1"))
    code, output, message = run(capsys, "probe", "--file", str(path), "--dir", DATA)
    assert code == 0
    (row,) = csv.DictReader(io.StringIO(output))
    assert '"Müller"' in row["fen"]
    assert row["dtm"] == "31"
    assert "1 letter not in UTF-8" in message


def test_rules_and_sums_as_windows_writes_them(capsys, tmp_path):
    """Its editors and shells write UTF-16, or the code page."""
    rules, sums = tmp_path / "games.ini", tmp_path / "sums.txt"
    rules.write_bytes("# für alle\r\n[mine:chess]\r\n".encode("cp1252"))
    assert run(capsys, "rules", str(rules))[0] == 0
    _, output, _ = run(capsys, "info", "KRK", "--sums", "--dir", DATA)
    sums.write_bytes(output.replace("\n", "\r\n").encode("utf-16"))
    output = run(capsys, "verify", "--sums", str(sums), "KRK", "--dir", DATA)[1]
    assert "4 of 4 sums agree" in output
