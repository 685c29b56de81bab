"""Waiting for events: limits of time are there so that a hang ends, not to tell slow from fast."""

import time

PATIENCE = 600.0  # seconds


def until(condition):
    """Wait until a condition holds; return what it gives."""
    give_up = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < give_up, "nothing happened"
        time.sleep(0.01)
    return found


def lift_limits(replace=setattr):
    """Make the server's limits of time so long that only a hang reaches them.

    `replace` is like `setattr`.
    """
    from tablebase.serve import answering, castling_jobs, limits, server

    replace(answering, "WAIT", PATIENCE)
    replace(castling_jobs, "WAIT", PATIENCE)
    replace(limits, "REQUEST_LIMIT", PATIENCE)
    replace(server, "SHUTDOWN_LIMIT", int(PATIENCE))
    replace(server.create_app, "__kwdefaults__", server.create_app.__kwdefaults__ | {
        "time_limit": PATIENCE
    })  # fmt: skip
