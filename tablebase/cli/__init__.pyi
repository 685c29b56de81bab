from tablebase.cli.arguments import (
    Parser,
    add_json,
    add_threads,
    men_count,
    positive_number,
    whole_number,
)
from tablebase.cli.choice import (
    Choice,
    add_directory,
    add_materials,
    add_rules,
    add_table_names,
    add_tables,
    choose,
)
from tablebase.cli.commands.verify import each_file, exit_code, verdict_of
from tablebase.cli.display import board_text, line_text, new_console, result_words, side_by_side
from tablebase.cli.lines import COLUMNS
from tablebase.cli.notice import COMPILES, NOTICE
from tablebase.cli.program import main, make_parser
from tablebase.cli.terminal import (
    complain,
    explain,
    new_table,
    print_json,
    print_trimmed,
    printable,
    show,
    showing_progress,
)
from tablebase.cli.texts import name_of, open_text

__all__ = [
    "COLUMNS",
    "COMPILES",
    "NOTICE",
    "Choice",
    "Parser",
    "add_directory",
    "add_json",
    "add_materials",
    "add_rules",
    "add_table_names",
    "add_tables",
    "add_threads",
    "board_text",
    "choose",
    "complain",
    "each_file",
    "exit_code",
    "explain",
    "line_text",
    "main",
    "make_parser",
    "men_count",
    "name_of",
    "new_console",
    "new_table",
    "open_text",
    "positive_number",
    "print_json",
    "print_trimmed",
    "printable",
    "result_words",
    "show",
    "showing_progress",
    "side_by_side",
    "verdict_of",
    "whole_number",
]
