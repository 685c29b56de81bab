"""The records of published tables: exercises, lists, and indexes that take no pass over a file."""

from pathlib import Path

import chess
import pytest
from support.games import GAMES, OTHERS, source_of

import tablebase
from tablebase.core.errors import CorruptTableError
from tablebase.core.outcomes import DTM, DTZ
from tablebase.core.positions import read_position
from tablebase.core.probing import Tablebase
from tablebase.core.rules import CHESS, Material
from tablebase.core.storage import open_table
from tablebase.practice import difficulty
from tablebase.web import table_records
from tablebase.web.game_data import rules_record
from tablebase.web.table_index import index_record
from tablebase.web.table_records import (
    EXERCISES_OF_LEVEL,
    LEVELS,
    exercises_record,
    list_record,
    summaries_record,
    summary_record,
    survey_record,
)

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(scope="module")
def tables():
    with tablebase.open_tablebase(DATA) as tables:
        yield tables


def exercises(tables, name):
    return exercises_record(tables, Material.from_name(name, tables.rules))["levels"]


@pytest.mark.parametrize("name", ["KRK", "KPK", "KRNK"])
def test_an_exercise_is_of_its_level(tables, name):
    levels = exercises(tables, name)
    assert len(levels) == LEVELS
    for level, found in enumerate(levels):
        assert len(found) <= EXERCISES_OF_LEVEL
        for one in found:
            board = chess.Board(one["fen"])
            assert board.is_valid()
            exact = difficulty(tables, board)
            assert one["difficulty"] == round(exact, 4)
            assert min(round(10 * exact), LEVELS - 1) == level
            is_won = tables.probe_wdl50(board) == 2
            assert one["result"] == ("win" if is_won else "draw")
            assert one.get("dtm") == (tables.probe_dtm(board) if is_won else None)
    fens = [one["fen"] for found in levels for one in found]
    assert len(fens) > EXERCISES_OF_LEVEL
    assert {fen.split()[1] for fen in fens} == {"w", "b"}


def test_exercises_are_always_the_same(tables):
    assert exercises(tables, "KPK") == exercises(tables, "KPK")
    assert sum(map(len, exercises(tables, "KPK"))) > 100


def test_who_cannot_err_has_no_exercise(tables):
    assert not any(exercises(tables, "KNNK"))


def test_without_distances_to_zeroing_there_is_no_exercise(mate_dir):
    with tablebase.open_tablebase(mate_dir) as tables:
        assert not any(exercises(tables, "KRK"))
    record = survey_record(mate_dir / "KRK.h5", [mate_dir])
    assert record["difficult"] is None
    assert record["survey"]["longest_wins"]["white_to_move"]


def test_without_distances_to_mate_exercises_name_none(zeroing_only_dir):
    with tablebase.open_tablebase(zeroing_only_dir) as tables:
        found = [one for level in exercises(tables, "KRK") for one in level]
    assert {one["result"] for one in found} == {"win", "draw"}
    assert not any("dtm" in one for one in found)


@pytest.mark.parametrize("game", OTHERS)
def test_exercises_of_other_games(made_games, game, monkeypatch):
    """Where they have distances to zeroing, on boards of all sizes."""
    monkeypatch.setattr(table_records, "DRAWN", 300)
    name = GAMES[game].names[0]
    with Tablebase([made_games], rules=source_of(game, made_games)) as tables:
        levels = exercises(tables, name)
        if DTZ not in GAMES[game].metrics:
            assert not any(levels)
            return
        for level in levels:
            for one in level[:3]:
                position = read_position(one["fen"], tables.rules)
                assert position.fen == one["fen"]
                rule50 = tables.rules.fifty_moves
                assert one["difficulty"] == round(
                    difficulty(tables, position.board, rule50=rule50), 4
                )
                if "dtm" in one:
                    assert one["dtm"] == tables.probe_outcome(position.board, DTM) > 0


def test_difficult_positions_of_other_games(made_games):
    with Tablebase([made_games], rules=source_of("fairy", made_games)) as tables:
        path = tables.available_tables["KPK"]
        found = survey_record(path, tables.directories)["difficult"]
        assert found
        for one in found:
            position = read_position(one["fen"], tables.rules)
            assert (position.fen, one["turn"]) == (one["fen"], one["fen"].split()[1])


def test_an_index_without_a_pass_over_the_file():
    with open_table(DATA / "KRNK.h5") as file:
        checked, parts = index_record(file)
        assert index_record(file, check=False) == (checked | {"file_crc32": None}, parts)
    assert checked["file_crc32"] is not None


def test_an_index_that_is_not_checked_needs_sound_places(tmp_path):
    """What lies there is not read."""
    data = bytearray((DATA / "KRK.h5").read_bytes())
    with open_table(DATA / "KRK.h5") as file:
        offset, size, _ = file.chunks.extents(0, "dtm")[0]
    data[offset + size // 2] ^= 1
    (tmp_path / "KRK.h5").write_bytes(data)
    with open_table(tmp_path / "KRK.h5") as file:
        assert index_record(file, check=False)[0]["datasets"]
        with pytest.raises(CorruptTableError):
            index_record(file)


def test_lists_name_what_is_asked_for():
    summaries = [summary_record(DATA / f"{name}.h5") for name in ("KRNK", "KRK")]
    files = list_record(summaries, CHESS, checksums={"KRK": 7}, base="https://host.example/t")
    assert files == {
        "format": "chess-tablebase-publication",
        "version": 2,
        "tables": {
            one["material"]: {
                "bytes": one["bytes"],
                "crc32": 7 if one["material"] == "KRK" else None,
                "metrics": ["dtm", "dtz"],
            }
            for one in summaries
        },
        "base": "https://host.example/t/",
        "rules": rules_record(CHESS),
    }
    served = list_record(summaries, CHESS, server={"solve": None})
    assert served.keys() - files.keys() == {"server"}
    listed = summaries_record(summaries, CHESS)["tables"]
    assert [one["material"] for one in listed] == ["KRK", "KRNK"]
    assert listed[0].items() < summaries[1].items()
    assert "histograms" not in listed[0]
