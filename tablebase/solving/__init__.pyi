from tablebase.solving.solver import Solver

__all__ = ["Solver"]
