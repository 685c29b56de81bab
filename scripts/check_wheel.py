"""Build wheel and sdist, and run tests of the sdist against the wheel, outside of the checkout.

Usage: python scripts/check_wheel.py [FOLDER for wheel and sdist, default dist]

What a checkout has and a package lacks shows here alone: templates, web files, the licence, costs
and tables.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as ET

from tablebase.core.building.page_modules import SOLVERS, module_name
from tablebase.core.ground.streams import reader_may_leave

ROOT = Path(__file__).parents[1]
# What reads files of the package or of the sdist, and what a user does first.
TESTS = (
    "examples",
    "extras",
    "plan_command",
    "public_names",
    "publish_command",
    "readme",
    "report",
    "server",
)


def run(*command: str | Path, cwd: Path, variables: dict[str, str] | None = None) -> None:
    """Run a command, and stop if it fails."""
    print("$", *command, flush=True)
    subprocess.run(command, cwd=cwd, check=True, env=variables)


def found_tests(source: Path, name: str) -> list[Path]:
    """Return the files of tests of a name; a name without any would test nothing."""
    found = sorted(source.rglob(f"test_{name}.py"))
    if not found:
        sys.exit(f"there is no test_{name}.py in the sdist: mend TESTS of {Path(__file__).name}")
    return found


def passed_in(results: Path) -> Counter[str]:
    """Return how many tests of each file passed, by its name without suffix."""
    passed: Counter[str] = Counter()
    for case in ET.parse(results).iter("testcase"):  # noqa: S314 (pytest wrote it)
        if not len(case):  # neither skipped nor failed
            passed[case.attrib["classname"].split(".")[-1]] += 1
    return passed


def answer_first(environment: Path, python: Path, folder: Path) -> None:
    """Ask for a position as the first thing ever, with the tables that came with the program.

    There is neither a home nor a cache, and nothing can be written beside the program.
    """
    folder.mkdir()
    for path in environment.rglob("site-packages"):
        path.chmod(0o555)
    variables = {"PATH": os.environ["PATH"], "HOME": str(folder / "none")}
    if "SYSTEMROOT" in os.environ:  # Windows starts no program without it
        variables["SYSTEMROOT"] = os.environ["SYSTEMROOT"]

    def measured(code: str) -> tuple[str, float]:
        code += "; import sys, time; print(*sys.modules, time.process_time())"
        command = [python, "-c", code]
        text = subprocess.check_output(command, cwd=folder, env=variables, text=True)
        return text, float(text.split()[-1])

    fen = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"
    _, libraries = measured("import chess, h5py, numpy")
    text, seconds = measured(f"from tablebase.cli.program import main; main({['probe', fen]})")
    if "mate in 16 moves (31 plies)" not in text or "numba" in text.split():
        sys.exit(f"`tablebase probe` gives no first answer, or loads the compiler:\n{text}")
    if found := list(folder.iterdir()):
        sys.exit(f"`tablebase probe` leaves {found}")
    ratio = f"{seconds / libraries:.1f} times the imports of numpy, chess and h5py"
    print(f"first answer: {seconds:.2f} s of processor time, {ratio}")
    for path in environment.rglob("site-packages"):
        path.chmod(0o755)


def check_modules(wheel: Path) -> None:
    """Stop unless a wheel has the modules by which pages solve tables, which git ignores."""
    expected = {f"tablebase/explorer/engine/{module_name(solver)}" for solver in SOLVERS}
    with zipfile.ZipFile(wheel) as archive:
        missing = expected.difference(archive.namelist())
    if missing:
        sys.exit(f"{wheel.name} lacks {', '.join(sorted(missing))}: run scripts/make_modules.py")


@reader_may_leave()
def main() -> None:
    """Build, install, test."""
    target = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "dist").resolve()
    run(sys.executable, ROOT / "scripts" / "make_modules.py", cwd=ROOT)
    run(sys.executable, "-m", "build", "--outdir", target, ROOT, cwd=ROOT)
    (wheel,), (sdist,) = target.glob("*.whl"), target.glob("*.tar.gz")
    check_modules(wheel)
    with tempfile.TemporaryDirectory() as scratch:
        environment = Path(scratch) / "environment"
        venv.create(environment, with_pip=True)
        python = environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        pip = (python, "-m", "pip", "install", "--quiet")
        run(*pip, wheel, cwd=environment)
        answer_first(environment, python, Path(scratch) / "first")
        run(*pip, "--no-compile", f"{wheel}[test]", cwd=environment)
        with tarfile.open(sdist) as archive:
            archive.extractall(scratch, filter="data")
        (source,) = Path(scratch).glob("chess_tablebase-*")
        # From here on the package can come from the wheel alone.
        shutil.rmtree(source / "tablebase")
        variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        files = [path for name in TESTS for path in found_tests(source, name)]
        results = Path(scratch) / "results.xml"
        pytest = (python, "-m", "pytest", "-q", "-n", "auto", "--maxprocesses", "4")
        # A proof would be the only thing that compiles the kernels of solving.
        chosen = ("-m", "not slow", "-k", "not check_proof")
        options = ("--dist", "loadfile", *chosen, "--durations", "5")
        kept = ("--junitxml", results)
        run(*pytest, *options, *kept, *files, cwd=source, variables=variables)
        passed = passed_in(results)
        if idle := [path.name for path in files if not passed[path.stem]]:
            sys.exit(f"no test of {', '.join(idle)} was run: see why they were skipped")
    print(f"{wheel.name} and {sdist.name} are complete: {passed.total():,} tests passed")


if __name__ == "__main__":
    main()
