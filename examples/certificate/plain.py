"""Write the bytes of tables as plain files: ``python plain.py FOLDER_OF_TABLES FOLDER``.

``KRK.h5`` gives ``KRK.white`` and ``KRK.black``, the distances to mate with either side to move in
the order of the file. Their SHA-256 must be the one that `data/SHA256SUMS` publishes.
"""

import argparse
import hashlib
import sys
from pathlib import Path

import h5py

TABLES = ("KK", "KQK", "KRK", "KBK", "KNK", "KPK", "KNNK", "KRNK")
SUMS = Path(__file__).resolve().parents[2] / "data" / "SHA256SUMS"


def write_plain(path: Path, folder: Path) -> str:
    """Write the bytes of a table, and return their SHA-256."""
    digest = hashlib.sha256()
    published = dict(line.split()[::-1] for line in SUMS.read_text("utf-8").splitlines())
    with h5py.File(path) as file:
        for side in ("white", "black"):
            name = f"{side}_to_move/dtm"
            if name in file:
                values = file[name][:].tobytes()
                digest.update(values)
                (folder / f"{path.stem}.{side}").write_bytes(values)
    if published[path.stem] != digest.hexdigest():
        raise ValueError(f"the values do not have the SHA-256 of {SUMS.name}")
    return digest.hexdigest()


def main() -> None:
    """Write the files of the eight tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", type=Path, help="folder with KK.h5, KQK.h5, ...")
    parser.add_argument("folder", type=Path, help="where to write")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name in TABLES:
        path = arguments.tables / f"{name}.h5"
        try:
            print(f"{write_plain(path, arguments.folder)}  {name}")
        except (KeyError, OSError, ValueError) as error:
            print(f"plain.py: {path}: {error}", file=sys.stderr)
            raise SystemExit(2) from error


if __name__ == "__main__":
    main()
