"""Builds on other processes and machines, under Dask.

- `executor`: many workers under Dask, one task for each table after those of its sub-tables
- `worker`: a worker of a cluster: show that it is fit, and build one table

May import the core alone.
"""

from tablebase.core._face import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
