from tablebase.solve.answers import (
    Estimate,
    NoProofError,
    NotSavedError,
    Solution,
    SolvedMove,
    estimate,
    solve_position,
)
from tablebase.solve.budget import Budget, BudgetError, read_budget
from tablebase.solve.places import check_solvable
from tablebase.solve.proof_file import POSITION_WORDS, Proof, ProofPart, write_proof
from tablebase.solve.proofs import ProofSize
from tablebase.solve.region_file import (
    FROM_TABLE,
    NOT_ASKED,
    PASSING,
    REGION_SUFFIX,
    RegionFile,
    RegionHeader,
    prepare_writing,
    rehearse_writing,
    write_region,
)
from tablebase.solve.regions import rank_proven

__all__ = [
    "FROM_TABLE",
    "NOT_ASKED",
    "PASSING",
    "POSITION_WORDS",
    "REGION_SUFFIX",
    "Budget",
    "BudgetError",
    "Estimate",
    "NoProofError",
    "NotSavedError",
    "Proof",
    "ProofPart",
    "ProofSize",
    "RegionFile",
    "RegionHeader",
    "Solution",
    "SolvedMove",
    "check_solvable",
    "estimate",
    "prepare_writing",
    "rank_proven",
    "read_budget",
    "rehearse_writing",
    "solve_position",
    "write_proof",
    "write_region",
]
