"""Published tables: the reader in JavaScript gives the right values, or an error of its own."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path
from shutil import copytree, which
from zlib import crc32

from fuzzing.mutations import change_text, damage
from fuzzing.tables import make_tables, random_boards
from fuzzing.target import REFUSED, RIGHT, Mutant, Target, WrongAnswerError

from tablebase import Material, open_tablebase
from tablebase.publish.publication import publish_tables

NODE = which("node")
READER = Path(__file__).parents[2] / "tablebase" / "explorer" / "reader" / "index.js"
_NAME = "KRK"
_POSITIONS = 30
# What the checksum of an index covers was changed, and the checksum with it.
_SEALED = "sealed text"
_REFUSALS = {"CorruptTableError", "MissingTableError", "HostError"}
_PROBE = """
const [reader, address, settings, ...fens] = process.argv.slice(1);
const failed = ({ name, message }) => ({ error: name, message });
const { open } = await import(reader);
const answers = [];
try {
  const tables = await open(address, JSON.parse(settings));
  for (const fen of fens) answers.push(await tables.probe(fen).catch(failed));
} catch (error) {
  answers.push(failed(error));
}
console.log(JSON.stringify(answers));
"""


class Published(Target):
    """A published table, its index, and the list of tables."""

    name = "published"

    def __init__(self, base: Path) -> None:
        super().__init__(base)
        tables = make_tables(base)
        self._site = base / "site"
        if not self._site.exists():
            publish_tables([tables / f"{_NAME}.h5"], base / "new site")
            (base / "new site").rename(self._site)
        folder = self._site / "tables"
        paths = [path for path in sorted(folder.iterdir()) if path.suffix != ".html"]
        self._files = {path.name: path.read_bytes() for path in paths}
        boards = random_boards(random.Random(2004), Material.from_name(_NAME), _POSITIONS)
        self._fens = [board.fen() for board in boards]
        with open_tablebase(tables) as source:
            self._truths = [[source.probe_dtm(one), source.probe_dtz(one)] for one in boards]

    def valid(self) -> list[Mutant]:
        """Return the files as they are."""
        return [Mutant(name, "nothing", data) for name, data in self._files.items()]

    def mutant(self, rng: random.Random) -> Mutant:
        """Return a damaged file."""
        name = rng.choice(list(self._files))
        data = self._files[name]
        if name.endswith(".json") and rng.random() < 0.5:
            _, _, body = data.partition(b"\n")
            changed = change_text(rng, body)
            head = b'{"crc32": %d,\n' % crc32(changed)
            return Mutant(name, _SEALED, head + changed)
        return Mutant(name, *damage(rng, data, list(self._files.values())))

    def judge(self, mutant: Mutant, path: Path) -> str:
        """Read all positions, by ranges of the file or by the whole of it."""
        folder = path.parent / "tables"
        copytree(self._site / "tables", folder)
        (folder / mutant.name).unlink()  # it may be a link to the table itself
        (folder / mutant.name).write_bytes(mutant.data)
        verdict = RIGHT
        for small in (0, 1 << 16):
            for answer, truth in zip(self._answers(folder, small), self._truths, strict=False):
                if "error" not in answer:
                    found = [answer["dtm"], answer["dtz"]]
                    if found != truth and mutant.how != _SEALED:
                        raise WrongAnswerError(f"{found} instead of {truth}")
                elif answer["error"] in _REFUSALS:
                    verdict = REFUSED
                else:
                    raise WrongAnswerError(f"{answer['error']}: {answer['message']}")
        return verdict

    def _answers(self, folder: Path, small: int) -> list[dict[str, object]]:
        assert NODE
        address, settings = f"{folder.resolve().as_uri()}/", json.dumps({"small": small})
        command = [NODE, "--input-type=module", "--eval", _PROBE]
        ended = subprocess.run(
            [*command, READER.as_uri(), address, settings, *self._fens],
            capture_output=True,
            text=True,
            check=False,
        )
        if ended.returncode:
            told = ended.stderr[-500:]
            raise WrongAnswerError(f"the reader ended with {ended.returncode}: {told}")
        answers: list[dict[str, object]] = json.loads(ended.stdout)
        return answers
