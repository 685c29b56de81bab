from tablebase.study.analysis import (
    Analysis,
    Line,
    ZugzwangExample,
    analyse,
    best_line,
    longest_wins,
    zugzwang_examples,
)
from tablebase.study.annotation import CHANGES, SLOWER, Annotations, annotate, read_game
from tablebase.study.butterfly import (
    WEIGHTING,
    ButterflyBoards,
    butterflies,
    count_best_moves,
    text_sheet,
)
from tablebase.study.choices import (
    BEST_MOVES,
    IMAGES,
    ORDERS,
    RESULT_NAMES,
    SQUARES,
    ZUGZWANG_SIDES,
)
from tablebase.study.conditions import ConditionArguments, Conditions
from tablebase.study.countermoves import NO_ANSWER, CountermoveBoards, count_countermoves
from tablebase.study.counting import Count, PositionCounts, count_positions, fixed_placements
from tablebase.study.dataset import TableData, load_first, load_table
from tablebase.study.finding import find, iter_found
from tablebase.study.parquet import write_parquet
from tablebase.study.pictures import (
    draw_counters,
    draw_distances,
    draw_results,
    draw_sheet,
    draw_squares,
)
from tablebase.study.positions import Position, Positions, man_names
from tablebase.study.report import html_report, title_of, write_html, write_index, write_markdown
from tablebase.study.survey import Survey, Zugzwang, survey_table

__all__ = [
    "BEST_MOVES",
    "CHANGES",
    "IMAGES",
    "NO_ANSWER",
    "ORDERS",
    "RESULT_NAMES",
    "SLOWER",
    "SQUARES",
    "WEIGHTING",
    "ZUGZWANG_SIDES",
    "Analysis",
    "Annotations",
    "ButterflyBoards",
    "ConditionArguments",
    "Conditions",
    "Count",
    "CountermoveBoards",
    "Line",
    "Position",
    "PositionCounts",
    "Positions",
    "Survey",
    "TableData",
    "Zugzwang",
    "ZugzwangExample",
    "analyse",
    "annotate",
    "best_line",
    "butterflies",
    "count_best_moves",
    "count_countermoves",
    "count_positions",
    "draw_counters",
    "draw_distances",
    "draw_results",
    "draw_sheet",
    "draw_squares",
    "find",
    "fixed_placements",
    "html_report",
    "iter_found",
    "load_first",
    "load_table",
    "longest_wins",
    "man_names",
    "read_game",
    "survey_table",
    "text_sheet",
    "title_of",
    "write_html",
    "write_index",
    "write_markdown",
    "write_parquet",
    "zugzwang_examples",
]
