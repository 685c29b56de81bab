"""SHA-256 of tables, of all their metrics."""

from pathlib import Path

from tablebase.core.storage.reading import open_table


def digests_in(folder):
    """Return the digests that the files of a folder state, by name of material and of metric."""
    found = {}
    for path in sorted(Path(folder).glob("K*.h5")):
        with open_table(path) as file:
            for metric in file.metrics:
                found[file.material.name, metric.name] = file.sha256_of(metric)
    return found


def digests_of_built(built):
    """Return the digests of `Built` tables, by name of material and of metric."""
    return {
        (table.material.name, metric.name): digest
        for table in built
        for metric, digest in table.header.digests.items()
    }
