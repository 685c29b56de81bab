"""Targets of fuzzing that fail on purpose, importable in the processes that try them."""

import os
import signal
import subprocess
import sys
import time

from fuzzing.target import REFUSED, RIGHT, Mutant, Target, WrongAnswerError
from fuzzing.worker import MEMORY


class Failing(Target):
    """Does what its input says."""

    name = "failing"
    kinds = ("right", "refused", "wrong", "error", "exit", "memory", "crash", "hang", "child")

    def valid(self):
        return [Mutant("input", "nothing", b"right")]

    def mutant(self, rng):
        kind = rng.choice(self.kinds)
        return Mutant("input", kind, kind.encode())

    def judge(self, mutant, path):
        assert path.read_bytes() == mutant.data
        kind = mutant.data.decode()
        if kind == "wrong":
            raise WrongAnswerError("1 instead of 2")
        if kind == "error":
            raise KeyError(1)
        if kind == "exit":
            sys.exit("the program wants to end")
        if kind == "memory":
            bytearray(2 * MEMORY)
        if kind == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        if kind == "hang":
            time.sleep(600)
        if kind == "child":
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        return REFUSED if kind == "refused" else RIGHT


class Wrong(Failing):
    """Is wrong about valid input, too."""

    name = "wrong"

    def valid(self):
        return [Mutant("input", "nothing", b"refused")]
