from tablebase.solving.answers import (
    Estimate,
    NoProofError,
    NotSavedError,
    Solution,
    SolvedMove,
    estimate,
    solve_position,
)
from tablebase.solving.bounds import Bounds, bounds_in, with_queens
from tablebase.solving.budget import Budget, BudgetError, read_budget
from tablebase.solving.measuring import ZeroingDistances, region_around
from tablebase.solving.places import check_solvable, structure_of
from tablebase.solving.plans import (
    Distance,
    ProvenMove,
    dtz_of_position,
    proven_line,
    rank_proven,
)
from tablebase.solving.proofs import ProofSize
from tablebase.solving.verifying import RegionReport, check_region

__all__ = [
    "Bounds",
    "Budget",
    "BudgetError",
    "Distance",
    "Estimate",
    "NoProofError",
    "NotSavedError",
    "ProofSize",
    "ProvenMove",
    "RegionReport",
    "Solution",
    "SolvedMove",
    "ZeroingDistances",
    "bounds_in",
    "check_region",
    "check_solvable",
    "dtz_of_position",
    "estimate",
    "proven_line",
    "rank_proven",
    "read_budget",
    "region_around",
    "solve_position",
    "structure_of",
    "with_queens",
]
