"""Options of the commands that write Parquet files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tablebase.cli.arguments import whole_number
from tablebase.finding.choices import COLUMN_CHOICES, IMAGE_CHOICES, SQUARE_CHOICES

ONE_MATERIAL = (
    "--parquet takes one material, because its pieces are the columns: "
    "run the command once for each material (--fen adds a column that all files share)"
)


def add_parquet(formats: Any, options: Any) -> None:
    """Add a Parquet file to a choice of formats, and the options of its contents."""
    formats.add_argument(
        "--parquet", metavar="FILE", type=Path, help="write the columns of one material to FILE"
    )
    options.add_argument(
        "--images",
        choices=IMAGE_CHOICES,
        default="canonical",
        help="of symmetric positions list one, or all of them (default: canonical)",
    )
    options.add_argument("--fen", action="store_true", help="with --parquet: add a column of FENs")
    options.add_argument(
        "--squares",
        choices=SQUARE_CHOICES,
        default="name",
        help="with --parquet: squares as names like b1 or as numbers 0 to 63 (default: name)",
    )
    options.add_argument(
        "--columns",
        nargs="+",
        choices=COLUMN_CHOICES,
        metavar="COLUMN",
        default=(),
        help="with --parquet: add orbit, the number up to symmetry; split, train, valid or test by "
        "this number; best, the moves that keep the result and the fastest of them; or help, the "
        "plies of helpmates",
    )
    options.add_argument(
        "--split-seed",
        type=whole_number,
        metavar="N",
        default=0,
        help="with --columns split: another choice of training and test data (default: 0)",
    )
    options.add_argument("--force", action="store_true", help="overwrite existing files")
