"""Functions in forked processes: a child has only the thread that forked."""

import os
import threading

import pytest
from support.waiting import PATIENCE


def in_child(function):
    """Return whether a function runs to its end and is true in a forked process."""
    child = os.fork()
    if not child:
        os._exit(0 if function() else 1)
    timer = threading.Timer(PATIENCE, os.kill, (child, 9))
    timer.start()
    _, status = os.waitpid(child, 0)
    timer.cancel()
    return status == 0


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
threads_may_fork = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
