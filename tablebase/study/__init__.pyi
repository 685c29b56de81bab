from tablebase.study.analysis import Analysis, analyse, longest_wins, zugzwang_examples
from tablebase.study.annotation import CHANGES, SLOWER, Annotations, annotate
from tablebase.study.butterfly import (
    WEIGHTING,
    ButterflyBoards,
    butterflies,
    count_best_moves,
    text_sheet,
)
from tablebase.study.choices import (
    BEST_MOVES,
    IMAGE_CHOICES,
    ORDERS,
    RESULT_NAMES,
    SQUARE_CHOICES,
    ZUGZWANG_SIDES,
)
from tablebase.study.conditions import ConditionArguments, Conditions
from tablebase.study.countermoves import CountermoveBoards, count_countermoves
from tablebase.study.counting import MAX_COUNTED_MEN, count_all, count_positions
from tablebase.study.dataset import TableData, load_first, load_table
from tablebase.study.expression_text import as_condition
from tablebase.study.expressions import (
    Expression,
    ValueKind,
    as_expression,
    col,
    columns_of,
    distance,
    maximum,
    minimum,
    opposition,
    square_at,
)
from tablebase.study.finding import MOST_VALUES, find, hardest_positions, iter_found
from tablebase.study.found import save_parquet
from tablebase.study.layouts import BoardLayout, straight_step
from tablebase.study.legal_moves import (
    CAPTURE,
    PROMOTION,
    PROMOTIONS_TO,
    UNDERPROMOTION,
    MoveCounter,
    Moves,
    iter_moves,
)
from tablebase.study.orbit_keys import SPLITS, OrbitImage, orbit, orbit_image, orbits, splits
from tablebase.study.parquet import write_parquet
from tablebase.study.parquet_options import ONE_MATERIAL, add_parquet
from tablebase.study.pgn import GameText, read_game, split_games, write_game
from tablebase.study.pictures import draw_counters, draw_disc, draw_sheet
from tablebase.study.position_counts import PositionCounts
from tablebase.study.positions import FoundPosition, Positions, man_names
from tablebase.study.report import title_of, write_html, write_index, write_markdown
from tablebase.study.summary import EndingCount, GameSummary, Mistake, PlayerCount, PositionCount
from tablebase.study.survey import Survey, survey_table
from tablebase.study.trials import RuleCounts, Trial, trial

__all__ = [
    "BEST_MOVES",
    "CAPTURE",
    "CHANGES",
    "IMAGE_CHOICES",
    "MAX_COUNTED_MEN",
    "MOST_VALUES",
    "ONE_MATERIAL",
    "ORDERS",
    "PROMOTION",
    "PROMOTIONS_TO",
    "RESULT_NAMES",
    "SLOWER",
    "SPLITS",
    "SQUARE_CHOICES",
    "UNDERPROMOTION",
    "WEIGHTING",
    "ZUGZWANG_SIDES",
    "Analysis",
    "Annotations",
    "BoardLayout",
    "ButterflyBoards",
    "ConditionArguments",
    "Conditions",
    "CountermoveBoards",
    "EndingCount",
    "Expression",
    "FoundPosition",
    "GameSummary",
    "GameText",
    "Mistake",
    "MoveCounter",
    "Moves",
    "OrbitImage",
    "PlayerCount",
    "PositionCount",
    "PositionCounts",
    "Positions",
    "RuleCounts",
    "Survey",
    "TableData",
    "Trial",
    "ValueKind",
    "add_parquet",
    "analyse",
    "annotate",
    "as_condition",
    "as_expression",
    "butterflies",
    "col",
    "columns_of",
    "count_all",
    "count_best_moves",
    "count_countermoves",
    "count_positions",
    "distance",
    "draw_counters",
    "draw_disc",
    "draw_sheet",
    "find",
    "hardest_positions",
    "iter_found",
    "iter_moves",
    "load_first",
    "load_table",
    "longest_wins",
    "man_names",
    "maximum",
    "minimum",
    "opposition",
    "orbit",
    "orbit_image",
    "orbits",
    "read_game",
    "save_parquet",
    "split_games",
    "splits",
    "square_at",
    "straight_step",
    "survey_table",
    "text_sheet",
    "title_of",
    "trial",
    "write_game",
    "write_html",
    "write_index",
    "write_markdown",
    "write_parquet",
    "zugzwang_examples",
]
