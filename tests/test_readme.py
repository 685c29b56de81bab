"""The README's examples give what they say."""

import doctest
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_examples(monkeypatch):
    monkeypatch.chdir(ROOT)
    result = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert result.attempted > 3
    assert not result.failed


def test_the_format_page_can_be_followed(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    text = (ROOT / "docs" / "format.md").read_text()
    example = text.split("```python\n")[1].split("```")[0]
    exec(compile(example, "format.md", "exec"), {})
    assert "27 checkmates" in capsys.readouterr().out
