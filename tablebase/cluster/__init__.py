"""Builds on other processes and machines, under Dask.

- `executor`: many workers under Dask, one task for each table, sub-tables first
- `worker`: a worker of a cluster, which shows that it is fit, and builds one table at a time

May import only the core.
"""
