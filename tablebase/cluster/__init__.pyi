from tablebase.cluster.executor import ClusterExecutor, start_workers

__all__ = [
    "ClusterExecutor",
    "start_workers",
]
