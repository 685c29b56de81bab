from tablebase.solving.answers import (
    Estimate,
    NoProofError,
    NotSavedError,
    Solution,
    SolvedMove,
    estimate,
    solve_position,
)
from tablebase.solving.budget import Budget, BudgetError, read_budget
from tablebase.solving.places import check_solvable
from tablebase.solving.proofs import ProofSize
from tablebase.solving.regions import rank_proven

__all__ = [
    "Budget",
    "BudgetError",
    "Estimate",
    "NoProofError",
    "NotSavedError",
    "ProofSize",
    "Solution",
    "SolvedMove",
    "check_solvable",
    "estimate",
    "rank_proven",
    "read_budget",
    "solve_position",
]
