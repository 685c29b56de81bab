"""The tools of the server: positions and whole endings, answered from tables or proven."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, ParamSpec

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from tablebase._version import __version__
from tablebase.cli.display import line_text, position_words
from tablebase.core.answers.known import best_line, look_up
from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.ground.errors import TablebaseError
from tablebase.core.positions.any_position import as_position, position_of
from tablebase.core.rules.material import Material
from tablebase.finding.conditions import conditions_for
from tablebase.finding.expression_text import read_expression
from tablebase.finding.find import iter_found
from tablebase.serve.collection import STANDARD, Collection
from tablebase.serve.lichess import describe_standard, read_legal
from tablebase.solve.answers import solve_position
from tablebase.solve.command import headline

MOST_FOUND, MOST_SECONDS = 50, 600
_MEMORY = "2GB"  # that solving may take
_INSTRUCTIONS = (
    "Exact answers about chess endings, computed, never guessed. Distances are in plies (moves of "
    "one side), signed for the side to move: positive if it wins, negative if it loses. A category "
    "in a move's entry is from the opponent's side, as in lichess's tablebase API."
)
_Fen = Annotated[str, Field(description="The position as a FEN.", max_length=200)]
_Game = Annotated[str, Field(description=f"{STANDARD} for chess, or another game with tables.")]
_Asked = ParamSpec("_Asked")


class _Tools:
    def __init__(self, tables: Tablebase) -> None:
        self._collection = Collection(tables)

    def probe(self, fen: _Fen, game: _Game = STANDARD) -> dict[str, Any]:
        """Look up the result of a position, all moves with their values, and best play to the end.

        For positions whose pieces have a table.
        """
        tables = self._collection.tables_of(game)
        board = read_legal(fen, tables.rules)
        position = as_position(board)
        words = str(position_words(position, look_up(tables, position)))
        line = line_text(position, best_line(tables, position))
        return {"result": words, "best_line": line} | describe_standard(tables, board)

    def solve(
        self,
        fen: _Fen,
        seconds: Annotated[int, Field(description="The most seconds.", ge=1, le=MOST_SECONDS)] = 60,
    ) -> dict[str, Any]:
        """Prove the result of a chess position with up to three pieces besides kings and pawns.

        It may have any number of pawns; the 50-move rule does not count. Without a proof in time,
        the result says what is known.
        """
        board: Any = read_legal(fen)
        tables = self._collection.tables_of(STANDARD)
        solution = solve_position(board, f"{seconds}s,{_MEMORY}", tables=tables)
        return {"words": headline(board, solution)} | solution.as_dict()

    def find(
        self,
        material: Annotated[str, Field(description="The pieces, like KQKR; White's come first.")],
        conditions: Annotated[
            dict[str, Any],
            Field(
                description="Conditions of tablebase.find, all of which hold, such as turn (true: "
                "White to move), result (win, draw, loss), plies or moves ([least, most]), "
                "only_move, zugzwang, best_move, check, longest, order (distance, difficulty), on "
                '({"R": "a1-h1"}), where ("white_king.rank == 6").'
            ),
        ],
        limit: Annotated[int, Field(description="The most positions.", ge=1, le=MOST_FOUND)] = 10,
        game: _Game = STANDARD,
    ) -> dict[str, Any]:
        """Find positions of an ending that meet conditions, each with its result."""
        tables = self._collection.tables_of(game)
        asked: Any = {
            name: tuple(one) if isinstance(one, list) else one for name, one in conditions.items()
        } | {"limit": limit}
        if isinstance(asked.get("where"), str):
            asked["where"] = read_expression(asked["where"])
        wanted = Material.from_name(material, tables.rules).normalized()
        parts = iter_found(wanted, tables.directories, conditions_for("find", asked))
        return {"positions": [self._described(tables, one) for part in parts for one in part]}

    @staticmethod
    def _described(tables: Tablebase, found: Any) -> dict[str, str]:
        position = position_of(found.setup())
        words = str(position_words(position, look_up(tables, position)))
        return {"fen": position.fen, "result": words}


def make_server(tables: Tablebase) -> MCPServer[Any]:
    """Return a server whose tools answer from some tables, which the caller closes."""
    server: MCPServer[Any] = MCPServer("tablebase", version=__version__, instructions=_INSTRUCTIONS)
    tools = _Tools(tables)
    for tool in (tools.probe, tools.solve, tools.find):
        server.tool(structured_output=True)(_told(tool))
    return server


def _told(tool: Callable[_Asked, dict[str, Any]]) -> Callable[_Asked, dict[str, Any]]:
    """Return a tool that tells the model why it does not answer; else the SDK would hide it."""

    @wraps(tool)
    def asked(*given: _Asked.args, **named: _Asked.kwargs) -> dict[str, Any]:
        try:
            return tool(*given, **named)
        except (TablebaseError, OSError, TypeError, ValueError) as error:
            raise ToolError(str(error)) from error

    return asked
