"""Count all positions of two to eight men, by the laws and as NULP counts, for docs/symmetry.md.

Usage: python scripts/count_all.py [--men N] [--save]

With --save the numbers go to benchmarks/results/count_all.json, from which ``figures.py`` makes the
tables of the page.
"""

from __future__ import annotations

import argparse
import sys

from measurement import save

from tablebase.core.ground.streams import reader_may_leave
from tablebase.count.counting import MAX_COUNTED_MEN, count_all


@reader_may_leave()
def main() -> int:
    """Print the numbers of each number of men."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--men", type=int, default=MAX_COUNTED_MEN, help="most men (default: 8)")
    parser.add_argument("--save", action="store_true", help="into benchmarks/results")
    options = parser.parse_args()
    found = {}
    for men in range(2, options.men + 1):
        found[men] = {"by_law": count_all(men), "as_nulp": count_all(men, as_nulp=True)}
        by_law, as_nulp = (sum(one.values()) for one in found[men].values())
        print(
            f"{men} men: {by_law:,} positions by the laws, {as_nulp:,} as NULP counts", flush=True
        )
    if options.save:
        print(save("count_all", found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
