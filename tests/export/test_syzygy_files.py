"""Syzygy files: ours read by python-chess, official ones by us, and damaged ones by nobody."""

import os
import random
import shutil
from contextlib import suppress

import chess
import chess.syzygy
import numpy as np
import pytest
from support.few import few, thorough
from support.oracle import DATA, NO_SYZYGY, SYZYGY, random_boards

from tablebase import open_tablebase
from tablebase.core.ground.errors import CorruptTableError, InvalidMaterialError, MissingTableError
from tablebase.core.index.numbering import table_index
from tablebase.core.positions.chess_board import board_of
from tablebase.core.rules.material import Material, generation_order
from tablebase.export.syzygy_audit import audit_syzygy
from tablebase.export.syzygy_games import syzygy_names
from tablebase.export.syzygy_reading import read_syzygy
from tablebase.export.syzygy_writing import write_syzygy

SMALL = ("KRK", "KPK", "KQK", "KBK", "KNK")
OFFICIAL = DATA / "syzygy"


@pytest.fixture(scope="module")
def source(folders_by_metric):
    return folders_by_metric["both"]


@pytest.fixture(scope="module", params=["exact", thorough("rounded")])
def exported(request, source, tmp_path_factory):
    """Return a folder of our three-man files, and whether distances are rounded."""
    folder = tmp_path_factory.mktemp(request.param)
    rounded = request.param == "rounded"
    for name in SMALL:
        written = write_syzygy(Material.from_name(name), [source], folder, rounded=rounded)
        assert [one.path.name for one in written] == syzygy_names(Material.from_name(name))
        assert all(one.path.stat().st_size == one.size for one in written)
    return folder, rounded


def every_board(material):
    """Yield every legal position of a material, one of each set of symmetric ones."""
    index = table_index(material)
    squares, valid = index.decode_many(np.arange(index.size))
    for row in squares[valid].tolist():
        for turn in chess.COLORS:
            board = board_of(material, row, turn)
            if board.is_valid():
                yield board


def some_boards(material):
    return random_boards(material, 300, seed=2)


@pytest.mark.parametrize("boards_of", few([some_boards, every_board], some_boards))
@pytest.mark.parametrize("name", SMALL)
def test_python_chess_reads_our_files(exported, source, name, boards_of):
    folder, rounded = exported
    count = 0
    with chess.syzygy.open_tablebase(folder) as others, open_tablebase(source) as ours:
        for board in boards_of(Material.from_name(name)):
            dtz = ours.probe_dtz(board)
            assert others.probe_wdl(board) == ours.probe_wdl50(board), board.fen()
            found = others.probe_dtz(board)
            shorter = dtz - (dtz > 0) + (dtz < 0)
            assert found == dtz or (rounded and found == shorter), board.fen()
            count += 1
    assert count >= 300


def test_mirrored_positions_have_the_same_value(exported, source):
    """Positions with two cells are looked up in either: boards are turned before probing."""
    folder, _ = exported
    turns = (chess.flip_vertical, chess.flip_horizontal, chess.flip_diagonal)
    with chess.syzygy.open_tablebase(folder) as others, open_tablebase(source) as ours:
        for name in ("KRK", "KQK"):
            for board in random_boards(Material.from_name(name), 200, seed=1):
                for turn in turns:
                    board.apply_transform(turn)
                    assert others.probe_wdl(board) == ours.probe_wdl50(board), board.fen()


# All is drawn, so readers use none of their distances.
WITHOUT_VALUES = {"KBvK.rtbz", "KNvK.rtbz"}


@pytest.mark.parametrize("name", SMALL)
def test_our_audit_passes_our_files(exported, source, name):
    folder, _ = exported
    for file in syzygy_names(Material.from_name(name)):
        audit = audit_syzygy(folder / file, [source])
        assert not audit.differs, audit
        assert audit.passed == (file not in WITHOUT_VALUES)


@pytest.mark.parametrize("name", SMALL)
def test_our_audit_passes_official_files(source, name):
    for file in syzygy_names(Material.from_name(name)):
        audit = audit_syzygy(OFFICIAL / file, [source], threads=1)
        assert (audit.differs, audit.passed) == (False, file not in WITHOUT_VALUES), audit


def test_our_files_are_about_as_small_as_official_ones(exported):
    folder, rounded = exported
    ours = sum(path.stat().st_size for path in folder.iterdir())
    official = sum((OFFICIAL / path.name).stat().st_size for path in folder.iterdir())
    assert ours < official * (1.1 if rounded else 1.4)


def test_writing_again_gives_the_same_bytes(exported, source, tmp_path):
    folder, rounded = exported
    for one in write_syzygy(
        Material.from_name("KPK"), [source], tmp_path, rounded=rounded, threads=1
    ):
        assert one.path.read_bytes() == (folder / one.path.name).read_bytes()


DAMAGED = ["KRvK.rtbz", "KPvK.rtbw", "KPvK.rtbz", "KQvK.rtbw", "KBvK.rtbw"]


@pytest.mark.parametrize("name", few(DAMAGED[:4], "KPvK.rtbz"))
def test_a_file_that_is_cut_or_lengthened_is_damaged(source, tmp_path, name):
    whole = (OFFICIAL / name).read_bytes()
    path = tmp_path / name
    cuts = {0, 1, 4, 5, 16, 80, len(whole) - 64, len(whole) - 1, len(whole) // 128 * 64 + 16}
    for data in [whole[:cut] for cut in cuts if cut < len(whole)] + [
        whole + b"x",
        whole + bytes(64),
    ]:
        path.write_bytes(data)
        with pytest.raises(CorruptTableError, match=f"{name} is damaged: .*make it again"):
            audit_syzygy(path, [source])


@pytest.mark.parametrize("name", few(DAMAGED, "KRvK.rtbz", "KPvK.rtbw"))
def test_no_flipped_bit_is_worse_than_damage(tmp_path, name):
    """What can still be read is compared: nothing but the last 16 bytes may change unseen."""
    whole = (OFFICIAL / name).read_bytes()
    path = tmp_path / name
    draw = random.Random(name)
    places = {*range(min(64, len(whole) - 16)), *draw.choices(range(len(whole) - 16), k=60)}
    found = 0
    for place in sorted(places):
        changed = bytearray(whole)
        changed[place] ^= 1 << draw.randrange(8)
        path.write_bytes(changed)
        with suppress(CorruptTableError):
            parts = list(read_syzygy(path))
            found += 1
            assert all(len(part.values) for part in parts)
    assert found < len(places)


def test_a_wrong_value_is_named(source, tmp_path):
    """A table of another ending under this name: every value can be read, many are wrong."""
    path = tmp_path / "KQvK.rtbw"
    changed = bytearray((OFFICIAL / "KQvK.rtbw").read_bytes())
    draw = random.Random(3)
    first = None
    while first is None:
        place = draw.randrange(64, len(changed) - 16)
        path.write_bytes(bytes([*changed[:place], changed[place] ^ 255, *changed[place + 1 :]]))
        with suppress(CorruptTableError):
            first = audit_syzygy(path, [source]).first
    assert chess.Board(first.fen).is_valid()
    assert first.found != first.expected
    assert str(first).startswith(first.fen)


def test_wrong_distances_are_named(source, tmp_path):
    path = tmp_path / "KRvK.rtbz"
    whole = (OFFICIAL / "KRvK.rtbz").read_bytes()
    draw = random.Random(4)
    first = None
    while first is None:
        place = draw.randrange(1000, len(whole) - 16)
        path.write_bytes(bytes([*whole[:place], whole[place] ^ 1, *whole[place + 1 :]]))
        with suppress(CorruptTableError):
            first = audit_syzygy(path, [source]).first
    assert "a DTZ of " in first.expected


@pytest.mark.parametrize(
    "name", ["KvK.rtbw", "KKvR.rtbw", "KRK.rtbw", "krvk.rtbw", "KvKR.rtbw", "KRvK.x"]
)
def test_names_that_no_syzygy_file_has(source, tmp_path, name):
    path = tmp_path / name
    shutil.copy(OFFICIAL / "KRvK.rtbw", path)
    with pytest.raises(InvalidMaterialError, match="not named as Syzygy files are"):
        audit_syzygy(path, [source])


def test_a_file_of_other_men_is_damaged(source, tmp_path):
    shutil.copy(OFFICIAL / "KRvK.rtbw", tmp_path / "KQvK.rtbw")
    with pytest.raises(CorruptTableError, match="its pieces are not those of its name"):
        audit_syzygy(tmp_path / "KQvK.rtbw", [source])


def test_what_is_no_file(source, tmp_path):
    with pytest.raises(MissingTableError, match="there is no file"):
        audit_syzygy(tmp_path / "KRvK.rtbw", [source])
    (tmp_path / "KRvK.rtbw").mkdir()
    with pytest.raises(CorruptTableError, match="not a regular file"):
        audit_syzygy(tmp_path / "KRvK.rtbw", [source])
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "KRvK.rtbz")
        with pytest.raises(CorruptTableError, match="not a regular file"):
            audit_syzygy(tmp_path / "KRvK.rtbz", [source])


def test_distances_to_mate_alone_are_not_enough(folders_by_metric, tmp_path):
    with pytest.raises(MissingTableError, match=r"tablebase build --metric dtz KRK"):
        write_syzygy(Material.from_name("KRK"), [folders_by_metric["dtm"]], tmp_path)
    assert not list(tmp_path.iterdir())


def test_what_does_not_read_back_gets_no_name(source, tmp_path, monkeypatch):
    from tablebase.export import syzygy_writing

    def damaged(path, *, name):
        data = bytearray(path.read_bytes())
        data[10] ^= 255  # a man
        path.write_bytes(data)
        return read_syzygy(path, name=name)

    monkeypatch.setattr(syzygy_writing, "read_syzygy", damaged)
    with pytest.raises(CorruptTableError):
        write_syzygy(Material.from_name("KRK"), [source], tmp_path)
    assert not list(tmp_path.iterdir())  # not even a leftover


@pytest.mark.thorough
@pytest.mark.parametrize("name", few(["KPKP", "KNNK", "KQKR", "KBBK", "KBPK"], "KPKP"))
def test_files_of_four_men(zeroing_dir, tmp_path, name):
    """Readers of distances of pawns look at the tables of promotions, which take long to write."""
    material = Material.from_name(name)
    for needed in generation_order([material])[1:]:
        if needed.piece_count == 3 or needed == material:
            write_syzygy(needed, [zeroing_dir], tmp_path)
    for file in syzygy_names(material):
        assert audit_syzygy(tmp_path / file, [zeroing_dir]).passed
    with chess.syzygy.open_tablebase(tmp_path) as others, open_tablebase(zeroing_dir) as ours:
        for board in random_boards(material, 200, seed=6):
            assert others.probe_wdl(board) == ours.probe_wdl50(board), board.fen()
            if not material.has_pawns:
                assert others.probe_dtz(board) == ours.probe_dtz(board), board.fen()


@pytest.mark.slow
@pytest.mark.skipif(not SYZYGY, reason=NO_SYZYGY)
def test_all_official_files_of_three_and_four_men(zeroing_dir):
    from pathlib import Path

    paths = [path for path in sorted(Path(SYZYGY).glob("*.rtb?")) if len(path.stem) <= 5]
    assert len(paths) == 70
    for path in paths:
        audit = audit_syzygy(path, [zeroing_dir])
        assert not audit.differs, path.name
        assert audit.passed == (audit.compared > 0)
