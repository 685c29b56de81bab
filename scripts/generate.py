"""Build tables in a batch: the arguments of ``tablebase build``, a log, an exit code.

Exit codes: 0 all tables are there, 2 they cannot be built (the log says why), 130 interrupted.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence

from tablebase.building import Event, generate
from tablebase.cli.arguments import add_build_arguments, chosen_materials, directory_to_write
from tablebase.cli.commands.build import describe_event
from tablebase.cli.program import INTERRUPTED, REFUSED
from tablebase.cli.terminal import explain
from tablebase.errors import TablebaseError

logger = logging.getLogger("generate")


def _log_stages(event: Event) -> None:
    if event.progress is None and event.stage is not None:
        line = describe_event(event, 0)
        logger.info("%d/%d %s", event.number + 1, event.total, line)


def main(arguments: Sequence[str] | None = None) -> int:
    """Build what the arguments say and return the exit code."""
    parser = argparse.ArgumentParser(description="Build tables in a batch, with a log.")
    add_build_arguments(parser)
    parser.add_argument("--log", metavar="FILE", help="write the log there, not to the terminal")
    options = parser.parse_args(arguments)
    try:
        logging.basicConfig(
            filename=options.log,
            level=logging.INFO,
            format="%(asctime)s %(levelname)s %(message)s",
            force=True,
        )
        built = generate(
            chosen_materials(options),
            directory_to_write(options),
            threads=options.threads,
            force=options.force,
            memory=options.memory,
            report=_log_stages,
        )
    except KeyboardInterrupt:
        logger.warning("interrupted; run the same command again to resume")
        return INTERRUPTED
    except (TablebaseError, OSError, MemoryError) as error:
        logger.error("%s", explain(error))  # noqa: TRY400 (one line is enough)
        return REFUSED
    for table in built:
        state = "was there" if table.seconds is None else f"built in {table.seconds:.2f} s"
        logger.info("%s %s, %d bytes", table.material, state, table.path.stat().st_size)
    return 0


if __name__ == "__main__":
    sys.exit(main())
