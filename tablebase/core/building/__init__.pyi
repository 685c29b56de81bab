from tablebase.core.building.builder import Built, Stage, build_table, digests_of
from tablebase.core.building.estimate import load_costs
from tablebase.core.building.executors import Executor, LocalExecutor
from tablebase.core.building.generator import DEFAULT_MATERIALS, generate
from tablebase.core.building.graph import Build, BuildGraph, plan
from tablebase.core.building.progress import Event, Listener, ProgressCounter
from tablebase.core.building.schedule import Assignment, Schedule, simulate
from tablebase.core.building.steps import BuildStep, plan_steps
from tablebase.core.building.subtable_store import Key, SubtableStore
from tablebase.core.engine import Progress

__all__ = [
    "DEFAULT_MATERIALS",
    "Assignment",
    "Build",
    "BuildGraph",
    "BuildStep",
    "Built",
    "Event",
    "Executor",
    "Key",
    "Listener",
    "LocalExecutor",
    "Progress",
    "ProgressCounter",
    "Schedule",
    "Stage",
    "SubtableStore",
    "build_table",
    "digests_of",
    "generate",
    "load_costs",
    "plan",
    "plan_steps",
    "simulate",
]
