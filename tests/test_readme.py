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
    for block in text.split("```python\n")[1:]:
        exec(compile(block.split("```")[0], "format.md", "exec"), {})
    codes, *said = capsys.readouterr().out.splitlines()
    assert codes == "(1862784,) [-1, -2, -3]"
    assert said == ["31 plies to mate: Ka1, Rb2 against Kc3"]
