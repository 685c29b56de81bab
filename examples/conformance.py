"""Run the conformance suite against a reader of endgame tables.

It needs python-chess and the file of positions, `data/conformance/positions.jsonl`::

    python examples/conformance.py --syzygy FOLDER
    python examples/conformance.py --gaviota FOLDER [--libgtb LIBRARY]
    python examples/conformance.py --engine stockfish --option SyzygyPath=FOLDER
    python examples/conformance.py --server http://127.0.0.1:8080
    python examples/conformance.py --adjudicator python-chess

The last one tries a rule that says who can still mate, as when a flag has fallen, on
`data/conformance/mating.tsv`.
The exit code is 1 if an answer is wrong, and 2 for bad input or if nothing was answered.
"""

import argparse
import csv
import json
import os
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from http.client import HTTPException
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urlsplit
from urllib.request import urlopen

import chess
import chess.engine
import chess.gaviota
import chess.syzygy

SUITE = Path(__file__).parents[1] / "data" / "conformance" / "positions.jsonl"
MATING = SUITE.with_name("mating.tsv")
Position = dict[str, Any]  # a line of the suite
KEYS = {"id", "kind", "fen", "men", "needs", "legal", "wdl", "wdl50", "dtm", "dtz", "keeping",
        "keeping_rule50", "fastest_dtm", "why"}  # fmt: skip
SIGNS = {"win": 1, "draw": 0, "loss": -1}
OPPOSITE = {"win": "loss", "cursed-win": "blessed-loss", "draw": "draw",
            "blessed-loss": "cursed-win", "loss": "win"}  # fmt: skip
# A server that rounds distances leaves open on which side of the 50-move rule a result is.
OPEN = {
    "win": {"syzygy-win", "maybe-win"},
    "cursed-win": {"syzygy-win", "maybe-win"},
    "loss": {"syzygy-loss", "maybe-loss"},
    "blessed-loss": {"syzygy-loss", "maybe-loss"},
}
NODES, PATIENCE, LAST = 10_000, 20, 100  # an engine's search; seconds; plies of the 50-move rule


class NoAnswer(Exception):  # noqa: N818 -- it is no error of the reader
    """The reader has no table for a position, or says that it does not cover it."""


class BadInput(Exception):  # noqa: N818 -- it ends the program in one line
    """What the user gave cannot be used."""


class Reader(Protocol):
    """What is put to the test."""

    name: str

    def judge(self, position: Position, board: chess.Board) -> list[str]:
        """Return what is wrong about its answer; raise `NoAnswer` if there is none."""


class Outcome(NamedTuple):
    """How a reader did at a position: `right`, `wrong` or `no answer`."""

    position: Position
    verdict: str
    faults: tuple[str, ...] = ()


class Syzygy:
    """The Syzygy files of a folder, read by python-chess."""

    def __init__(self, folder: Path) -> None:
        self.tables = chess.syzygy.open_tablebase(folder_of(folder, "*.rtbw"))
        self.name = f"chess.syzygy of python-chess {chess.__version__}"

    def judge(self, position: Position, board: chess.Board) -> list[str]:
        """Compare the result with a clock at 0, the distance, and the result after each move."""
        faults = legal_moves(position, map(board.uci, board.legal_moves))
        if position["wdl"] is None:
            return faults
        right = SIGNS[position["wdl"]]
        try:
            wdl = self.tables.probe_wdl(board)
        except KeyError as error:
            raise NoAnswer(str(error)) from error
        if position["dtz"] is None:
            return faults + wrong("sign of WDL", sign(wdl), right)
        faults += wrong("WDL", wdl, right * (2 if abs(position["dtz"]) <= LAST else 1))
        dtz = self.tables.get_dtz(board)
        faults += [] if dtz is None else nearly("DTZ", dtz, position["dtz"])
        values = values_after(board, self.tables.probe_wdl)
        if values is not None:
            kept = [move for move, value in values.items() if sign(value) == right]
            faults += wrong_moves("moves that keep the result", kept, position["keeping"])
        return faults

    def close(self) -> None:
        """Close the files."""
        self.tables.close()


class Gaviota:
    """The Gaviota files of a folder, read by python-chess or by the library in C."""

    def __init__(self, folder: Path, library: str | None = None) -> None:
        path = folder_of(folder, "*.gtb.cp4")
        self.tables: chess.gaviota.PythonTablebase | chess.gaviota.NativeTablebase
        if library is None:
            self.tables = chess.gaviota.PythonTablebase()
            self.tables.add_directory(path)
            self.name = f"chess.gaviota of python-chess {chess.__version__}"
            return
        try:
            self.tables = chess.gaviota.open_tablebase_native(path, libgtb=library)
        except (OSError, RuntimeError) as error:
            raise BadInput(f"{error}: name the shared library with its path") from error
        self.name = f"{Path(library).name} by python-chess {chess.__version__}"

    def judge(self, position: Position, board: chess.Board) -> list[str]:
        """Compare result and distance, and those after each move."""
        faults = legal_moves(position, map(board.uci, board.legal_moves))
        if position["wdl"] is None:
            return faults
        right = SIGNS[position["wdl"]]
        try:
            wdl, dtm = self.tables.probe_wdl(board), self.tables.probe_dtm(board)
        except KeyError as error:
            raise NoAnswer(str(error)) from error
        faults += wrong("WDL", wdl, right)
        if position["dtm"] is not None:
            faults += wrong("DTM", dtm, position["dtm"])
        results = values_after(board, self.tables.probe_wdl)
        distances = values_after(board, self.tables.probe_dtm)
        if results is None or distances is None:
            return faults
        kept = [move for move, result in results.items() if result == right]
        faults += wrong_moves("moves that keep the result", kept, position["keeping"])
        if position["fastest_dtm"] is not None:
            best = min((distances[move] for move in kept), default=0)
            fastest = [move for move in kept if distances[move] == best]
            faults += wrong_moves("moves of the best DTM", fastest, position["fastest_dtm"])
        return faults

    def close(self) -> None:
        """Close the files."""
        self.tables.close()


class Engine:
    """An engine that speaks UCI, with the tables that its options name."""

    def __init__(self, command: str, options: dict[str, str], nodes: int = NODES) -> None:
        try:
            self.command, self.options = shlex.split(command), options
        except ValueError as error:
            raise BadInput(f"no command {command!r}: {error}: mend the quotes") from error
        if not self.command:
            raise BadInput("no UCI engine '': name its command")
        folders = [Path(value) for value in options.values() if value and Path(value).is_dir()]
        files = [path for one in folders for path in one.glob("*.rtbw")]
        self.tables = {sides_of(path.stem) for path in files}
        self.limit = chess.engine.Limit(nodes=nodes, time=PATIENCE / 2)
        self.start()
        self.name = self.engine.id.get("name", command)

    def start(self) -> None:
        """Start the engine."""
        try:
            self.engine = chess.engine.SimpleEngine.popen_uci(self.command, timeout=PATIENCE)
        except (OSError, TimeoutError, chess.engine.EngineError) as error:
            raise BadInput(
                f"no UCI engine {shlex.join(self.command)!r} ({error}): name its command"
            ) from error
        try:
            self.engine.configure(dict(self.options))
        except chess.engine.EngineError as error:
            self.close()
            raise BadInput(f"{error}: name an option that the engine lists after `uci`") from error

    def judge(self, position: Position, board: chess.Board) -> list[str]:
        """Judge only what cannot be a matter of taste: the move's result, and a mate announced."""
        if board.chess960 and "UCI_Chess960" not in self.engine.options:
            raise NoAnswer("the engine does not know Chess960")
        try:
            played = self.engine.play(board, self.limit, info=chess.engine.INFO_SCORE)
        except (TimeoutError, chess.engine.EngineError) as error:
            self.close()
            self.start()
            return [f"{type(error).__name__}: {error}"]
        faults, keeping = [], position["keeping_rule50"]
        move = "(none)" if played.move is None else board.uci(played.move)
        # Where the rule makes a draw of a win, one may trade it for another draw.
        is_free = position["wdl50"] == "cursed-win" or board.halfmove_clock >= LAST
        is_covered = not self.tables or {*map(sides_of, position["needs"])} <= self.tables
        is_judged = keeping is not None and is_covered and not (is_free and played.move)
        if is_judged and move not in (keeping or ["(none)"]):
            faults.append(f"bestmove {move}, right is {' '.join(keeping) or '(none)'}")
        score = played.info.get("score")
        is_bound = played.info.get("lowerbound") or played.info.get("upperbound")
        if score is not None and not is_bound:
            faults += wrong_mate(position, score.pov(board.turn).mate())
        if not is_covered and not faults:
            raise NoAnswer("it has no table of the position, but it survived")
        return faults

    def close(self) -> None:
        """End the engine."""
        self.engine.close()


class Server:
    """A server that answers as lichess's does, or what answers with the same JSON."""

    def __init__(self, address: str) -> None:
        if urlsplit(address).scheme not in {"http", "https"}:
            raise BadInput(f"no address of a server: {address!r}: write http://127.0.0.1:8080")
        self.address, self.name = address.rstrip("/"), f"server {address}"

    def answer(self, fen: str) -> dict[str, Any]:
        """Ask about a position."""
        query = urlencode({"fen": fen})
        try:
            with urlopen(f"{self.address}/standard?{query}", timeout=PATIENCE) as found:  # noqa: S310 -- http alone, see above
                return dict(json.load(found))
        except HTTPError as error:
            if error.code == 500:
                raise
            raise NoAnswer(f"status {error.code}") from error
        except TimeoutError as error:
            raise NoAnswer(f"none in {PATIENCE} seconds") from error
        except (URLError, HTTPException, ConnectionError) as error:
            raise BadInput(f"no answer of {self.address} ({error}): is it running?") from error

    def judge(self, position: Position, board: chess.Board) -> list[str]:
        """Compare result, distances, the end of the game and the moves."""
        said = self.answer(position["fen"])
        moves = {one["uci"]: one["category"] for one in said["moves"]}
        faults = legal_moves(position, moves)
        if position["wdl"] is None:
            return faults
        for end in ("checkmate", "stalemate"):
            faults += wrong(end, said[end], getattr(board, f"is_{end}")())
        if said["category"] == "unknown":
            if faults:
                return faults
            raise NoAnswer("unknown")
        result, allowed = position["wdl50"], OPEN.get(position["wdl50"], set())
        if said["checkmate"] and board.halfmove_clock > LAST:
            # lichess's server judges by the claim of a draw that was possible before the mate.
            allowed = allowed | {"blessed-loss"}
        if said["category"] not in allowed:
            faults += wrong("category", said["category"], result)
        faults += wrong_distances(position, said)
        keeping = position["keeping_rule50"]
        if keeping is None:
            return faults
        if moves and (first := next(iter(moves))) not in keeping:
            faults.append(f"first move {first}, right is {' '.join(keeping)}")
        if {*moves.values()} <= {*OPPOSITE}:
            kept = [move for move, after in moves.items() if OPPOSITE[after] == result]
            faults += wrong_moves("moves that keep the result", kept, keeping)
        return faults

    def refusal(self, position: Position) -> list[str]:
        """Ask about what is no position; return a fault unless the server refuses it."""
        try:
            said = self.answer(position["fen"])
        except NoAnswer:
            return []
        return wrong("category", said["category"], "unknown")


def board_of(position: Position) -> chess.Board:
    """Return the board of a position."""
    try:
        return chess.Board(position["fen"], chess960=position["kind"] == "chess960")
    except ValueError as error:
        raise NoAnswer(f"python-chess does not read the FEN: {error}") from error


def outcomes(reader: Reader, positions: Iterable[Position]) -> Iterator[Outcome]:
    """Yield how a reader does at each position that has something to ask."""
    for position in positions:
        has_value = position["wdl"] is not None or position["legal"] is not None
        if not has_value and not isinstance(reader, Server):
            continue  # python-chess promises nothing of illegal boards, nor does an engine
        try:
            faults = (
                reader.judge(position, board_of(position))
                if has_value
                else reader.refusal(position)
            )
        except NoAnswer:
            yield Outcome(position, "no answer")
        except BadInput:
            raise
        except Exception as error:  # noqa: BLE001 -- whatever a reader raises is its answer
            yield Outcome(position, "wrong", (f"{type(error).__name__}: {error}",))
        else:
            yield Outcome(position, "wrong" if faults else "right", tuple(faults))


def read_suite(path: Path, men: int, kinds: list[str]) -> list[Position]:
    """Return the positions of a suite, of some kinds if any are given."""
    positions = []
    try:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            position = json.loads(line)
            if missing := sorted(KEYS - {*position}):
                raise BadInput(f"{path}, line {number}: no {missing[0]}: download the file again")
            positions.append(position)
    except (OSError, ValueError, TypeError) as error:
        raise BadInput(f"{path}: {error}: name positions.jsonl of the suite by --suite") from error
    there = sorted({position["kind"] for position in positions})
    if unknown := [kind for kind in kinds if kind not in there]:
        raise BadInput(f"no kind {unknown[0]!r}: choose from {', '.join(there)}")
    chosen = kinds or there
    found = [one for one in positions if one["kind"] in chosen and one["men"] <= men]
    if not found:
        raise BadInput(f"no positions of at most {men} men in {path}: give a larger --men")
    return found


def table_of(found: list[Outcome]) -> str:
    """Return the numbers of answers by kind."""
    kinds = list(dict.fromkeys(one.position["kind"] for one in found))
    width = max(map(len, ["kind", *kinds]))
    lines = [f"{'kind':{width}}  asked  right  wrong  no answer"]
    for kind in (*kinds, "all"):
        of_kind = [one for one in found if kind in {one.position["kind"], "all"}]
        numbers = Counter(one.verdict for one in of_kind)
        lines.append(
            f"{kind:{width}}  {len(of_kind):5}  {numbers['right']:5}  {numbers['wrong']:5}"
            f"  {numbers['no answer']:9}"
        )
    return "\n".join(lines)


def failure(one: Outcome) -> str:
    """Return a wrong answer, with what is right."""
    position = one.position
    right = f"{position['wdl']} ({position['wdl50']} by the 50-move rule)"
    right += f", DTM {position['dtm']}, DTZ {position['dtz']}"
    said = "\n".join(f"  {fault}" for fault in one.faults)
    return f"{position['id']}: {position['fen']}\n{said}\n  right: {right}. {position['why']}"


def python_chess_can_mate(board: chess.Board, color: chess.Color) -> bool:
    """Return what python-chess's rule of material says; lichess's is the same in these endings."""
    return not board.has_insufficient_material(color)


def fastchess_can_mate(board: chess.Board, _color: chess.Color) -> bool:
    """Return what a rule by the board alone says, as that of fastchess's library.

    Bare kings, one minor piece, and four men with two bishops on squares of one colour are drawn.
    """
    minor, men = board.knights | board.bishops, chess.popcount(board.occupied)
    if board.occupied & ~board.kings & ~minor or men > 4:
        return True
    one_color = board.bishops & chess.BB_LIGHT_SQUARES in (0, board.bishops)
    return men == 4 and not (one_color and not board.knights)


def cutechess_can_mate(board: chess.Board, _color: chess.Color) -> bool:
    """Return what a rule by the board alone says, as that of cutechess.

    Bare kings, one knight, and any number of bishops on squares of one colour are drawn.
    """
    if board.occupied & ~board.kings & ~board.knights & ~board.bishops:
        return True
    colors = sum(
        map(bool, (board.bishops & chess.BB_LIGHT_SQUARES, board.bishops & chess.BB_DARK_SQUARES))
    )
    return chess.popcount(board.knights) + colors > 1


ADJUDICATORS = {
    "python-chess": python_chess_can_mate,
    "fastchess": fastchess_can_mate,
    "cutechess": cutechess_can_mate,
}


def adjudicator_of(name: str) -> Callable[[chess.Board, chess.Color], bool]:
    """Return a rule of ours by its name, or a function by its module and its name."""
    if name in ADJUDICATORS:
        return ADJUDICATORS[name]
    module, _, function = name.partition(":")
    try:
        rule: Callable[[chess.Board, chess.Color], bool] = getattr(import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        known = ", ".join(ADJUDICATORS)
        raise BadInput(f"--adjudicator {name}: write {known} or MODULE:FUNCTION") from error
    return rule


def adjudicate(name: str, path: Path, shown: int) -> int:
    """Print how often a rule is right about who can mate; return the exit code.

    It is too generous if it lets a side win that can never mate, and a wrong draw is the reverse.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
        truth = [(row["kind"], chess.Board(row["fen"]), row["white_can_mate"] == "1",
                  row["black_can_mate"] == "1") for row in rows]  # fmt: skip
    except (OSError, ValueError, KeyError) as error:
        raise BadInput(f"{path}: {error}") from error
    rule = adjudicator_of(name)
    verdicts, failures = Counter[tuple[str, str]](), []
    for kind, board, *right in truth:
        for color, can in zip(chess.COLORS, right, strict=True):
            says = rule(board, color)
            verdict = "right" if says == can else "too generous" if says else "wrong draw"
            verdicts[kind, verdict] += 1
            if says != can:
                failures.append(f"{verdict}: {chess.COLOR_NAMES[color]} in {board.fen()}")
    kinds, names = sorted({kind for kind, _ in verdicts}), ("right", "too generous", "wrong draw")
    print(f"the rule of {name}, each side of {len(truth)} positions\n")
    print("\t".join(["kind", *names]))
    for kind in kinds:
        print("\t".join([kind, *(str(verdicts[kind, one]) for one in names)]))
    print("\t".join(["all", *(str(sum(verdicts[k, one] for k in kinds)) for one in names)]))
    for failure in failures[:shown]:
        print(failure)
    return int(bool(failures))


def reader_of(arguments: argparse.Namespace) -> Reader:
    """Open the reader that the command line names."""
    if arguments.syzygy is not None:
        return Syzygy(arguments.syzygy)
    if arguments.gaviota is not None:
        return Gaviota(arguments.gaviota, arguments.libgtb)
    if arguments.server is not None:
        return Server(arguments.server)
    options = {}
    for given in arguments.option:
        name, is_given, value = given.partition("=")
        if not is_given:
            raise BadInput(f"--option {given}: write NAME=VALUE")
        options[name] = value
    return Engine(arguments.engine, options, arguments.nodes)


def main(argv: list[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    reader = parser.add_mutually_exclusive_group(required=True)
    reader.add_argument(
        "--syzygy", type=Path, metavar="FOLDER", help="python-chess, .rtbw and .rtbz"
    )
    reader.add_argument("--gaviota", type=Path, metavar="FOLDER", help="python-chess, .gtb.cp4")
    reader.add_argument("--engine", metavar="COMMAND", help="a UCI engine")
    reader.add_argument("--adjudicator", metavar="RULE", help="a rule of who can mate: "
                        f"{', '.join(ADJUDICATORS)}, or MODULE:FUNCTION of your own")  # fmt: skip
    reader.add_argument("--server", metavar="URL", help="a server like lichess's")
    parser.add_argument("--libgtb", metavar="LIBRARY", help="with --gaviota: the library in C")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE",
                        help="an option of the engine, such as SyzygyPath=FOLDER")  # fmt: skip
    parser.add_argument("--nodes", type=int, default=NODES, help="nodes that the engine searches")
    parser.add_argument("--suite", type=Path, default=SUITE, metavar="FILE", help="the positions")
    parser.add_argument("--men", type=int, default=32, help="take positions of up to this many men")
    parser.add_argument("--kind", action="append", default=[], help="only this kind of position")
    parser.add_argument("--failures", type=int, default=5, help="how many to show")
    arguments = parser.parse_args(argv)
    try:
        if arguments.adjudicator:
            path = MATING if arguments.suite == SUITE else arguments.suite
            return adjudicate(arguments.adjudicator, path, arguments.failures)
        positions = read_suite(arguments.suite, arguments.men, arguments.kind)
        with ExitStack() as stack:
            tested = reader_of(arguments)
            stack.callback(getattr(tested, "close", lambda: None))
            found = list(outcomes(tested, positions))
    except BadInput as error:
        print(f"conformance.py: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    print(f"{tested.name}\n\n{table_of(found)}")
    failures = [one for one in found if one.verdict == "wrong"]
    for one in failures[: arguments.failures]:
        print(f"\n{failure(one)}")
    if all(one.verdict == "no answer" for one in found):
        print("conformance.py: nothing was answered: give it the tables of `needs`",
              file=sys.stderr)  # fmt: skip
        return 2
    return int(bool(failures))


def legal_moves(position: Position, moves: Iterable[str]) -> list[str]:
    """Return what is wrong about the legal moves of a reader."""
    return wrong_moves("legal moves", moves, position["legal"])


def wrong_moves(what: str, said: Iterable[str], right: Iterable[str] | None) -> list[str]:
    """Return a fault about a set of moves, or none, as where the suite leaves it open."""
    if right is None:
        return []
    shown = [" ".join(sorted({*moves})) or "none" for moves in (said, right)]
    return wrong(what, *shown)


def wrong(what: str, said: object, right: object) -> list[str]:
    """Return a fault, or none where both agree.

    >>> wrong("DTM", 3, 5), wrong("DTM", 5, 5)
    (['DTM 3, right is 5'], [])
    """
    return [] if said == right else [f"{what} {said}, right is {right}"]


def values_after(board: chess.Board, probe: Callable[[chess.Board], int]) -> dict[str, int] | None:
    """Return the value of each move for the mover; None if a table of one is missing."""
    try:
        return {move: -probe(after) for move, after in after_moves(board)}
    except KeyError:
        return None


def after_moves(board: chess.Board) -> Iterator[tuple[str, chess.Board]]:
    """Yield each legal move with the position after it."""
    for move in board.legal_moves:
        after = board.copy(stack=False)
        after.push(move)
        yield board.uci(move), after


def folder_of(folder: Path, pattern: str) -> str:
    """Return a folder that has files of a kind."""
    if not any(folder.glob(pattern)):
        raise BadInput(f"no {pattern} in {folder}: name the folder of the tables")
    return str(folder)


def sides_of(name: str) -> tuple[str, ...]:
    """Return the men of both sides of a table; which side is named first does not matter.

    >>> sides_of("KRvKN") == sides_of("KNKR")
    True
    """
    return tuple(sorted("K" + men for men in name.replace("v", "")[1:].split("K")))


def wrong_mate(position: Position, moves: int | None) -> list[str]:
    """Return what is wrong about a mate in some moves: the winner, or that it is too short."""
    if moves is None or position["wdl"] is None:
        return []
    winner = sign(moves) or -1  # mate 0: the side to move is checkmated
    plies = 2 * abs(moves) - (moves > 0)
    right = f"{position['wdl']}, mate in {position['dtm']} plies"
    if winner != SIGNS[position["wdl"]]:
        return [f"score mate {moves}, right is {right}"]
    too_short = position["dtm"] is not None and plies < abs(position["dtm"])
    return [f"score mate {moves}, shorter than can be: {right}"] if too_short else []


def sign(number: int) -> int:
    """Return 1, 0 or -1."""
    return (number > 0) - (number < 0)


def wrong_distances(position: Position, said: dict[str, Any]) -> list[str]:
    """Return what is wrong about the distances that a server gives."""
    faults: list[str] = []
    exact, rounded, dtm = (said.get(key) for key in ("precise_dtz", "dtz", "dtm"))
    if exact is not None and position["dtz"] is not None:
        faults += wrong("precise_dtz", exact, position["dtz"])
    elif rounded is not None and position["dtz"] is not None:
        faults += nearly("dtz", rounded, position["dtz"])
    if dtm is not None and position["dtm"] is not None:
        faults += wrong("dtm", dtm, position["dtm"])
    return faults


def nearly(what: str, said: int, right: int) -> list[str]:
    """Return a fault of a distance that may be rounded, down by one ply, but never to nothing.

    >>> nearly("DTZ", -3, -4), nearly("DTZ", 5, 4), nearly("DTZ", 0, 1)
    ([], ['DTZ 5, right is 4'], ['DTZ 0, right is 1'])
    """
    rounded = right - sign(right)
    return [] if rounded and said == rounded else wrong(what, said, right)


if __name__ == "__main__":
    try:
        code = main()
        sys.stdout.flush()
    except BrokenPipeError:  # who reads the output may leave
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code)
