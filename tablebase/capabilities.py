"""The commands, and what each capability brings to the seams, by names of modules.

Everything else that it brings is in its folder. A capability whose folder is deleted is missed by
nobody but its own command, which says so.
"""

from tablebase.core import seams
from tablebase.core.seams import Command

seams.COMMANDS += [
    Command(
        "build", "build tables and the sub-tables that they need", "tablebase.cli.commands.build"
    ),
    Command(
        "plan",
        "show the sub-tables of tables, and the cost of building them",
        "tablebase.cli.commands.plan",
    ),
    Command(
        "probe", "look up a position: result, distances, all moves", "tablebase.cli.commands.probe"
    ),
    Command(
        "solve",
        "prove the result of a position of kings, pawns and up to three pieces",
        "tablebase.solve.command",
    ),
    Command(
        "find",
        "find positions by result, distance, only moves, zugzwang or squares",
        "tablebase.study.find_command",
    ),
    Command(
        "annotate",
        "annotate games with values, mistakes and better moves",
        "tablebase.study.annotate_command",
    ),
    Command(
        "serve",
        "serve the explorer for browsers, and lichess's HTTP API",
        "tablebase.web.serve_command",
    ),
    Command(
        "info",
        "list tables, compare them, or show the contents of some",
        "tablebase.cli.commands.info",
    ),
    Command(
        "count",
        "count the positions of materials, with and without symmetry",
        "tablebase.study.count_command",
    ),
    Command(
        "report",
        "write reports: results, distances, longest wins, hard positions, maps",
        "tablebase.study.report_command",
    ),
    Command(
        "butterfly",
        "count how often each from-to pair is a best move",
        "tablebase.study.butterfly_command",
    ),
    Command(
        "verify",
        "check every value against the values one move ahead",
        "tablebase.cli.commands.verify",
    ),
    Command(
        "export",
        "write tables as Syzygy, Gaviota or Parquet files, for other programs",
        "tablebase.export.command",
    ),
    Command(
        "audit",
        "check tables of other programs, by tables of ours or without any",
        "tablebase.audit.command",
    ),
    Command(
        "publish",
        "write the explorer and tables for any web host, without a server program",
        "tablebase.web.publish_command",
    ),
    Command(
        "uci",
        "play from the tables as an engine for chess programs (UCI)",
        "tablebase.uci.command",
    ),
    Command(
        "rules",
        "show the games that tables can be built for, and how their pieces move",
        "tablebase.cli.commands.rules",
    ),
]
seams.FILE_KINDS[".region"] = "tablebase.solve.region_kind"
seams.EXECUTORS["cluster"] = "tablebase.cluster.executor"
seams.ENDPOINTS["/solve"] = "tablebase.solve.on_demand"
seams.MEASURES["difficulty"] = "tablebase.practice.sight:difficulty"
seams.MEASURES["zugzwangs"] = "tablebase.study.survey:count_zugzwangs"
