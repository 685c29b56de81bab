from tablebase.building.builder import Built, Stage
from tablebase.building.cluster import ClusterExecutor, start_workers
from tablebase.building.estimate import load_costs
from tablebase.building.executors import Executor, LocalExecutor
from tablebase.building.generator import DEFAULT_MATERIALS, generate
from tablebase.building.graph import Build, BuildGraph, plan
from tablebase.building.progress import Event
from tablebase.building.schedule import Assignment, Schedule, simulate
from tablebase.building.steps import BuildStep, plan_steps

__all__ = [
    "DEFAULT_MATERIALS",
    "Assignment",
    "Build",
    "BuildGraph",
    "BuildStep",
    "Built",
    "ClusterExecutor",
    "Event",
    "Executor",
    "LocalExecutor",
    "Schedule",
    "Stage",
    "generate",
    "load_costs",
    "plan",
    "plan_steps",
    "simulate",
    "start_workers",
]
