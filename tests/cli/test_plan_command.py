"""``tablebase plan``: what it prints, for people, for programs and for Graphviz."""

import json

import pytest

from tablebase.cli.program import main


def planned(capsys, *arguments):
    assert main(["plan", *arguments]) == 0
    return capsys.readouterr().out


def test_by_default_all_tables_of_up_to_five_men(capsys):
    lines = [line.split() for line in planned(capsys).splitlines() if line.strip()]
    for men, tables in (("2", "1"), ("3", "5"), ("4", "30"), ("5", "110"), ("all", "146")):
        assert [men, tables] in [line[:2] for line in lines]
    assert any(line[:3] == ["critical", "path:", "KK"] for line in lines)


def test_the_list_names_the_sub_tables(capsys):
    lines = [line.split() for line in planned(capsys, "KRKN", "--list").splitlines()]
    assert ["KRKN", "KNK", "KRK"] in [line[:3] for line in lines]


def test_json(capsys):
    told = json.loads(planned(capsys, "--men", "4", "--json", "--workers", "1", "3"))
    assert told["tables"] == 36
    assert [one["workers"] for one in told["schedules"]] == [1, 3]
    assert told["schedules"][0]["seconds"] == pytest.approx(told["seconds"], abs=0.01)
    assert told["schedules"][1]["seconds"] >= told["critical_path_seconds"] - 0.01


def test_materials_may_stand_after_the_workers(capsys):
    told = json.loads(planned(capsys, "--json", "--workers", "2", "KQKR"))
    assert [one["workers"] for one in told["schedules"]] == [2]
    assert told["tables"] == 4


def test_graphviz(capsys):
    assert planned(capsys, "KRK", "--dot").splitlines()[-2:] == ["  KK -> KRK [color=red];", "}"]


def test_seven_men_can_be_planned_but_not_built(capsys, tmp_path):
    text = planned(capsys, "KQQQQKB", "--list")
    assert "KQQQQKB" in text
    reason = "KQQQQKB has 7 pieces: tables have up to 6"
    assert f"Cannot be built yet: 1 of 10 tables ({reason})" in text
    told = json.loads(planned(capsys, "KQQQQKB", "--json"))
    assert {one["obstacle"] for one in told["builds"] if one["obstacle"]} == {reason}
    assert main(["build", "KQQQQKB", "--dir", str(tmp_path)]) == 2
    assert reason in capsys.readouterr().err


def test_six_men_without_pawns_are_a_question_of_memory(capsys, tmp_path):
    assert "Cannot be built" not in planned(capsys, "KRRKBB")
    for name, memory in (("KRRKBB", "17.2 GB"), ("KQRKBN", "36.1 GB")):
        assert main(["build", name, "--dir", str(tmp_path), "--memory", "10G"]) == 2
        refused = capsys.readouterr().err
        assert (
            f"building {name} takes about {memory} of memory, but only 10.0 GB is allowed"
            in refused
        )
    assert main(["build", "KRRKBB", "--dir", str(tmp_path), "--metric", "both"]) == 2
    assert "KRRKBB: DTZ is not available for six pieces yet" in capsys.readouterr().err


@pytest.mark.parametrize("men", ["1", "8"])
def test_other_numbers_of_men_are_refused(men, capsys):
    with pytest.raises(SystemExit) as caught:
        main(["plan", "--men", men])
    assert caught.value.code == 2
    assert "is out of range: choose from 2 to 7" in capsys.readouterr().err


def test_materials_of_too_many_men_are_refused_in_one_line(capsys):
    name = f"K{'Q' * 10}KPP"
    assert main(["plan", name]) == 2
    assert f"tablebase: {name} has 14 pieces: plans cover up to 10\n" in capsys.readouterr().err
