"""Commands run in this process: their exit code, and what they print."""

from tablebase.cli.program import main


def run(capsys, *arguments):
    """Return exit code, output and errors of a command."""
    code = main(arguments)
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    return code, captured.out, captured.err


def refusal(capsys, *arguments):
    """Return the one line that a refused command prints."""
    code, _, message = run(capsys, *arguments)
    assert code == 2
    assert message.count("\n") == 1
    return message
