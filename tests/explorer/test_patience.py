"""Waiting for hosts that say when to ask again, in node."""

import json
import subprocess
from pathlib import Path

from support.published import needs_node

MODULE = Path(__file__).parents[2] / "tablebase/explorer/reader/patience.js"
SCRIPT = """
import { patiently } from MODULE;

const later = (words, seconds = "0", status = 503) =>
  new Response(words, { status, headers: seconds === null ? {} : { "retry-after": seconds } });
const told = [];
const next = (answers) => (answers.length > 1 ? answers.shift() : answers[0].clone());
const given = (...answers) => async () => next(answers);
const statusOf = async (ask, ...more) => (await patiently(ask, ...more)).status;
const tell = (words) => told.push(words);
const found = {
  later: await statusOf(given(later("one"), later("two"), new Response("done")), undefined, tell),
  far: await statusOf(given(later("an hour", "3600"), new Response("")), undefined, tell),
  never: await statusOf(given(later("no header", null), new Response("")), undefined, tell),
  date: await statusOf(given(later("a date", "Fri, 27 Nov 2026 09:08:53 GMT"), new Response(""))),
  other: await statusOf(given(later("another status", "0", 429), new Response(""))),
  endless: await statusOf(given(later("always"))),
};
const left = new AbortController();
const ask = given(later("left", "60"));
const waiting = patiently(ask, left.signal, () => setTimeout(() => left.abort(), 0));
found.left = await waiting.catch((error) => error.name);
const gone = new AbortController();
found.gone = await patiently(ask, gone.signal, () => gone.abort()).catch((error) => error.name);
console.log(JSON.stringify({ found, told }));
"""


@needs_node
def test_a_host_is_asked_again_when_it_says(tmp_path):
    script = tmp_path / "script.mjs"
    script.write_text(SCRIPT.replace("MODULE", json.dumps(MODULE.as_uri())))
    result = subprocess.run(["node", script], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    answer = json.loads(result.stdout)
    assert answer["told"] == ["one", "two"]
    statuses = {"later": 200, "far": 503, "never": 503, "date": 503, "other": 429, "endless": 503}
    assert answer["found"] == statuses | dict.fromkeys(["left", "gone"], "AbortError")
