from tablebase.solving.answers import Estimate, Solution, SolvedMove, estimate, solve_position
from tablebase.solving.budget import Budget, BudgetError, read_budget

__all__ = [
    "Budget",
    "BudgetError",
    "Estimate",
    "Solution",
    "SolvedMove",
    "estimate",
    "read_budget",
    "solve_position",
]
