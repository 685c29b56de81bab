"""The records of published tables: exercises, lists, and indexes that take no pass over a file."""

from pathlib import Path

import pytest
from support.games import source_of

from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.ground.errors import CorruptTableError
from tablebase.core.positions.any_position import read_position
from tablebase.core.rules.material import Material
from tablebase.core.rules.rules import CHESS
from tablebase.core.storage.reading import open_table
from tablebase.practice.exercises import draw_exercises
from tablebase.publish.game_data import rules_record
from tablebase.publish.table_index import index_record
from tablebase.publish.table_records import (
    exercises_record,
    list_record,
    summaries_record,
    summary_record,
    survey_record,
)

DATA = Path(__file__).parents[2] / "data"


@pytest.mark.thorough
def test_exercises_are_recorded_with_their_goals(tables):
    record = exercises_record(tables, Material.from_name("KPK"))
    drawn = draw_exercises(tables, Material.from_name("KPK"))
    assert record["why"] is None
    assert [len(level) for level in record["levels"]] == [len(level) for level in drawn.levels]
    for told, one in zip(
        (one for level in record["levels"] for one in level),
        (one for level in drawn.levels for one in level),
        strict=True,
    ):
        expected = {"fen", "goal", "kind", "moves", "difficulty"} | {*["dtm"] * (one.goal == "win")}
        assert told.keys() == expected
        assert told == {name: getattr(one, name) for name in told}


def test_without_exercises_a_record_says_why(tables):
    record = exercises_record(tables, Material.from_name("KNNK"))
    assert record["levels"] == []
    assert "no win or draw in it is hard to keep" in record["why"]


def test_a_survey_without_distances_to_zeroing(mate_dir):
    record = survey_record(mate_dir / "KRK.h5", [mate_dir])
    assert record["difficult"] is None
    assert record["survey"]["longest_wins"]["white_to_move"]


@pytest.mark.thorough
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
