"""The README's examples give what they say, and how to cite the program is said once."""

import doctest
import json
import re
import shlex
from pathlib import Path

from tablebase import __version__
from tablebase.cli.program import main

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
    assert capsys.readouterr().out == "(1862784,) [-1, -2, -3]\n"


def test_the_first_block_answers_a_position(capsys, monkeypatch, tmp_path):
    """With the tables that come with the program."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TABLEBASE_PATH", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    block = (ROOT / "README.md").read_text(encoding="utf-8").partition("```sh\n")[2]
    last = block.partition("\n```")[0].splitlines()[-1]
    command, _, said = last.partition("#")
    assert main(shlex.split(command)[1:]) == 0
    assert said.strip() in capsys.readouterr().out


def test_both_files_of_citations_agree():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    stated = dict(re.findall(r"^([\w-]+): (.+)$", text, re.MULTILINE))
    authors = text.partition("\nauthors:\n")[2].partition("\nreferences:")[0]
    zenodo = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
    assert zenodo["title"] == stated["title"]
    assert zenodo["description"] == stated["abstract"]
    assert zenodo["upload_type"] == stated["type"]
    assert zenodo["license"] == stated["license"]
    assert zenodo["version"] == stated["version"] == __version__
    assert [one["name"] for one in zenodo["creators"]] == re.findall(r"- name: (.+)", authors)
