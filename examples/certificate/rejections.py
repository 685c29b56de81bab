"""Give the certified program wrong tables and wrong laws: ``python rejections.py`` after ``make``.

It must reject each of them. The exit code is 1 if it accepts one.
"""

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from plain import TABLES, write_plain

HERE = Path(__file__).resolve().parent
DRAW = 255
# A text of Chess.v, what replaces it, and the table in which the difference shows.
FAULTS = {
    "no promotion to queen": ("[Man c Queen; Man c Rook;", "[Man c Rook;", "KPK"),
    "no double step of pawns": ("White, Square _ Rank2 | Black,", "Black,", "KPK"),
    "kings may touch": ("is_of (other c) n &&", "is_of (other c) n && negb (is_king n) &&", "KQK"),
}  # fmt: skip


class Certificate:
    """The program, and the files that it reads."""

    def __init__(self, program: Path, folder: Path) -> None:
        self.program, self.folder, self.accepted = program, folder, 0

    def run(self, *arguments: str, text: str = "") -> tuple[int, str]:
        """Return exit code and output of the program."""
        command = [str(self.program), str(self.folder), *arguments]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode == 2:
            raise SystemExit(f"rejections.py: {' '.join(command)}: {done.stderr}")
        return done.returncode, done.stdout

    def expect_rejected(self, what: str, *arguments: str, text: str = "") -> None:
        """Say whether the program rejects, and count if it does not."""
        code, output = self.run(*arguments, text=text)
        wanted = 0 if text else 1  # changes one by one: none of them was accepted
        self.accepted += code != wanted
        verdict = "rejected" if code == wanted else "ACCEPTED"
        last = (output.strip() or "-").splitlines()[-1]
        print(f"{what}: {verdict}: {last}", flush=True)

    def with_files(self, files: dict[str, bytes]) -> "Certificate":
        """Write other bytes into some of the files."""
        for name, values in files.items():
            (self.folder / name).write_bytes(values)
        return self

    def slots(self, table: str) -> list[tuple[str, int]]:
        """Return side to move and slot of every legal position."""
        lines = self.run("--slots", table)[1].splitlines()
        return [(line.split()[0], int(line.split()[1])) for line in lines]


def changes(
    slots: list[tuple[str, int]], files: dict[str, bytes]
) -> Iterator[tuple[str, int, int]]:
    """Yield for each slot another byte than it has."""
    for side, slot in slots:
        byte = random.randrange(255)  # noqa: S311
        yield side, slot, byte + (byte >= files[side][slot])


def main() -> None:
    """Try what the command line chooses."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=TABLES)
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "data")
    parser.add_argument("--build", type=Path, default=HERE / "build")
    parser.add_argument(
        "--changes", type=int, default=1000, help="of a table but KRK, which has all"
    )
    parser.add_argument("--runs", type=int, default=10, help="whole runs with one changed byte")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.changes < 1:
        parser.error("--changes: at least 1")
    random.seed(arguments.seed)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "plain"
        folder.mkdir()
        for name in TABLES:
            write_plain(arguments.data / f"{name}.h5", folder)
        program = Certificate(arguments.build / "certificate", folder)
        for name in arguments.tables:
            wrong_tables(program, name, arguments)
        for fault, (right, wrong, name) in FAULTS.items():
            if name in arguments.tables:
                wrong_laws(program, Path(scratch) / "laws", (right, wrong), fault, name)
    if program.accepted:
        sys.exit(f"{program.accepted} accepted")


def wrong_tables(program: Certificate, name: str, arguments: argparse.Namespace) -> None:
    """Change bytes of a table, one at a time and all of them."""
    paths = {side: program.folder / f"{name}.{side}" for side in ("white", "black")}
    files = {side: path.read_bytes() for side, path in paths.items() if path.exists()}
    right = {paths[side].name: values for side, values in files.items()}
    slots = program.slots(name)
    chosen = slots if name == "KRK" else random.sample(slots, min(len(slots), arguments.changes))
    lines = [f"{side} {slot} {byte}" for side, slot, byte in changes(chosen, files)]
    program.expect_rejected(f"{name}, {len(lines)} bytes", "--change", name, text="\n".join(lines))
    for side, slot, byte in changes(random.sample(slots, arguments.runs), files):
        values = bytearray(files[side])
        values[slot] = byte
        program.with_files({paths[side].name: bytes(values)})
        program.expect_rejected(f"{name}, {side} {slot} {byte}", name)
        program.with_files(right)
    if name in {"KQK", "KRK", "KPK", "KRNK"}:
        program.with_files({one: bytes([DRAW]) * len(values) for one, values in right.items()})
        program.expect_rejected(f"{name}, all draws", name)
        program.with_files(right)
    side, one = random.choice(slots)  # noqa: S311
    values = bytearray(files[side])
    different = [slot for turn, slot in slots if turn == side and values[slot] != values[one]]
    if different:  # KK, KBK and KNK have draws and nothing else
        other = random.choice(different)  # noqa: S311
        values[one], values[other] = values[other], values[one]
        program.with_files({paths[side].name: bytes(values)})
        program.expect_rejected(f"{name}, {side} {one} and {other} exchanged", name)
        program.with_files(right)
    if name == "KQK":
        for side in files:
            shutil.copy(program.folder / f"KRK.{side}", paths[side])
        program.expect_rejected("KRK under the name of KQK", name)
        program.with_files(right)


def wrong_laws(
    program: Certificate, folder: Path, texts: tuple[str, str], fault: str, name: str
) -> None:
    """Compile the program with a fault in its laws, and compare right tables by these."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(HERE, folder, ignore=shutil.ignore_patterns("build"))
    laws = (folder / "Chess.v").read_text(encoding="utf-8")
    if laws.count(texts[0]) != 1:
        raise SystemExit(f"rejections.py: Chess.v has no single {texts[0]}")
    (folder / "Chess.v").write_text(laws.replace(*texts), encoding="utf-8")
    made = ["make", "-s", "-C", str(folder), "B=build", "program"]
    subprocess.run(made, check=True)  # noqa: S603
    other = Certificate(folder / "build" / "certificate", program.folder)
    other.expect_rejected(f"laws with {fault}", name)
    program.accepted += other.accepted


if __name__ == "__main__":
    main()
