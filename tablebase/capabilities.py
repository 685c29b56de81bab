"""The commands, and what each capability brings to the seams, by names of modules.

Everything else that it brings is in its folder. A capability whose folder is deleted is missed by
nobody but its own command, which says so.
"""

from tablebase import seams
from tablebase.seams import Command

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
        "tablebase.cli.commands.solve",
    ),
    Command(
        "find",
        "find positions by result, distance, only moves, zugzwang or squares",
        "tablebase.cli.commands.find",
    ),
    Command(
        "annotate",
        "annotate games with values, mistakes and better moves",
        "tablebase.cli.commands.annotate",
    ),
    Command(
        "serve",
        "serve the explorer for browsers, and lichess's HTTP API",
        "tablebase.cli.commands.serve",
    ),
    Command("info", "list tables, or show the contents of some", "tablebase.cli.commands.info"),
    Command(
        "count",
        "count the positions of materials, with and without symmetry",
        "tablebase.cli.commands.count",
    ),
    Command(
        "stats",
        "compare tables: results, longest wins, zugzwangs, sizes",
        "tablebase.cli.commands.stats",
    ),
    Command(
        "report",
        "write reports: results, distances, longest wins, hard positions, maps",
        "tablebase.cli.commands.report",
    ),
    Command(
        "butterfly",
        "count how often each from-to pair is a best move",
        "tablebase.cli.commands.butterfly",
    ),
    Command(
        "verify",
        "check every value against the values one move ahead",
        "tablebase.cli.commands.verify",
    ),
    Command(
        "export",
        "write tables as Syzygy, Gaviota or Parquet files, for other programs",
        "tablebase.cli.commands.export",
    ),
    Command(
        "audit",
        "check tables of other programs, by tables of ours or without any",
        "tablebase.cli.commands.audit",
    ),
    Command(
        "publish",
        "write the explorer and tables for any web host, without a server program",
        "tablebase.cli.commands.publish",
    ),
    Command(
        "uci",
        "play from the tables as an engine for chess programs (UCI)",
        "tablebase.cli.commands.uci",
    ),
    Command(
        "rules",
        "show the games that tables can be built for, and how their pieces move",
        "tablebase.cli.commands.rules",
    ),
]
seams.FILE_KINDS[".region"] = "tablebase.solving.region_kind"
seams.EXECUTORS["cluster"] = "tablebase.building.cluster"
seams.ENDPOINTS["/solve"] = "tablebase.web.on_demand"
seams.RATINGS["difficulty"] = "tablebase.probing.sight"
