from tablebase.solving.answers import Estimate, Solution, SolvedMove, estimate, solve_position
from tablebase.solving.budget import Budget, BudgetError, read_budget
from tablebase.solving.positions import check_solvable
from tablebase.solving.verifying import RegionReport, check_region

__all__ = [
    "Budget",
    "BudgetError",
    "Estimate",
    "RegionReport",
    "Solution",
    "SolvedMove",
    "check_region",
    "check_solvable",
    "estimate",
    "read_budget",
    "solve_position",
]
