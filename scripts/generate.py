"""Build tables in a batch: the arguments of ``tablebase build``, a log, an exit code.

Exit codes: 0 all tables are there, 2 they cannot be built (the log says why), 130 interrupted.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Callable, Sequence

from tablebase.cli.choice import choose
from tablebase.cli.commands.build import add_build_arguments, describe_event
from tablebase.cli.program import REFUSED
from tablebase.cli.terminal import explain
from tablebase.core.building.builder import Built
from tablebase.core.building.generator import generate
from tablebase.core.building.progress import Event
from tablebase.core.ground.errors import TablebaseError
from tablebase.core.ground.interruptions import INTERRUPTED
from tablebase.core.ground.streams import reader_may_leave
from tablebase.core.ground.words import counted

logger = logging.getLogger("generate")


def _logger_of_events() -> Callable[[Event], None]:
    """Return a function that logs the beginning of each stage, and each table that is there."""
    begun = set()

    def log(event: Event) -> None:
        stage = event.material, event.stage, event.worker
        if event.built is not None:
            logger.info("%d of %d: %s", event.number, event.total, _describe(event.built))
        elif stage not in begun:
            begun.add(stage)
            logger.info("%s", describe_event(event, 0))

    return log


def _describe(table: Built) -> str:
    state = "exists" if table.seconds is None else f"built in {table.seconds:.2f} s"
    return f"{table.material} {state}, {table.path.stat().st_size} bytes"


@reader_may_leave()
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
        choice = choose(options)
        built = generate(
            choice.materials_to_build,
            choice.directories[0],
            threads=options.threads,
            force=options.force,
            memory=options.memory,
            report=_logger_of_events(),
        )
    except KeyboardInterrupt:
        logger.warning("interrupted; run the same command again to resume")
        return INTERRUPTED
    except (TablebaseError, OSError, MemoryError) as error:
        logger.error("%s", explain(error))  # noqa: TRY400 (one line is enough)
        return REFUSED
    new = sum(table.seconds is not None for table in built)
    logger.info("%s built, %d existed", counted(new, "table"), len(built) - new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
