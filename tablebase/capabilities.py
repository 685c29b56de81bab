"""The commands, and what each capability brings to the seams, by names of modules.

Everything else that it brings is in its folder. A capability whose folder is deleted is missed by
nobody but its own command, which says so.
"""

from tablebase.core.ground import seams
from tablebase.core.ground.seams import Command

# In the order of help, by what they are for.
_COMMANDS = {
    "build and check tables": [
        ("build", "build tables and the sub-tables that they need", "tablebase.cli.commands.build"),
        (
            "plan",
            "show which sub-tables tables need, and what building them costs",
            "tablebase.cli.commands.plan",
        ),
        (
            "verify",
            "check every value against the values one move later",
            "tablebase.cli.commands.verify",
        ),
        (
            "rules",
            "show the games that tables can be built for, and how their pieces move",
            "tablebase.cli.commands.rules",
        ),
    ],
    "ask about positions": [
        (
            "probe",
            "look up a position: result, distances and all moves",
            "tablebase.cli.commands.probe",
        ),
        (
            "find",
            "find positions by result, distance, only moves, zugzwang or squares",
            "tablebase.finding.command",
        ),
        (
            "solve",
            "prove the result of a position with up to three pieces besides kings and pawns",
            "tablebase.solve.command",
        ),
    ],
    "study games and whole endings": [
        (
            "annotate",
            "annotate games with results, mistakes and better moves",
            "tablebase.annotate.command",
        ),
        (
            "info",
            "list tables, compare them, or show what some of them contain",
            "tablebase.cli.commands.info",
        ),
        (
            "report",
            "write reports: results, distances, longest wins, hard positions, maps",
            "tablebase.report.command",
        ),
        (
            "count",
            "count the positions of materials, with and without symmetry",
            "tablebase.count.command",
        ),
        (
            "butterfly",
            "count how often each from-to pair is a best move",
            "tablebase.butterfly.command",
        ),
        (
            "prove",
            "try whether a strategy always reaches its goal, and show what refutes it",
            "tablebase.strategies.command",
        ),
    ],
    "show and play, in a browser or another program": [
        (
            "serve",
            "serve the explorer for browsers, and lichess's HTTP API",
            "tablebase.serve.command",
        ),
        (
            "publish",
            "write the explorer and tables as files for any web host",
            "tablebase.publish.command",
        ),
        ("uci", "play from the tables as a UCI engine", "tablebase.uci.command"),
        ("mcp", "answer language models, as an MCP server", "tablebase.mcp.command"),
    ],
    "exchange tables with other programs": [
        ("export", "write tables as Syzygy, Gaviota or Parquet files", "tablebase.export.command"),
        ("audit", "check tables of other programs", "tablebase.audit.command"),
    ],
}
seams.COMMANDS += [Command(*one, group) for group, some in _COMMANDS.items() for one in some]
seams.FILE_KINDS[".region"] = "tablebase.solve.region_kind"
seams.EXECUTORS["cluster"] = "tablebase.cluster.executor"
seams.ENDPOINTS["/solve"] = "tablebase.solve.on_demand"
seams.MEASURES["difficulty"] = "tablebase.practice.sight:difficulty"
seams.MEASURES["rule"] = "tablebase.strategies.methods:rule_of_method"
seams.MEASURES["helpmate"] = "tablebase.arbiter.helpmate_search:search_helpmate"
seams.MEASURES["zugzwangs"] = "tablebase.report.survey:count_zugzwangs"
