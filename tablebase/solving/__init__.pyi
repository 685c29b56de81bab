from tablebase.solving.answers import Estimate, Solution, SolvedMove, estimate, solve_position
from tablebase.solving.budget import Budget, BudgetError, read_budget
from tablebase.solving.verifying import RegionReport, check_region

__all__ = [
    "Budget",
    "BudgetError",
    "Estimate",
    "RegionReport",
    "Solution",
    "SolvedMove",
    "check_region",
    "estimate",
    "read_budget",
    "solve_position",
]
