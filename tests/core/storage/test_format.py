"""Attributes: those of every material are as they should be, and no others pass."""

import json
from pathlib import Path

import pytest

from tablebase.core.outcomes.metrics import METRICS
from tablebase.core.rules.material import Material, all_materials
from tablebase.core.storage.format import fixed_attributes, read_attributes
from tablebase.core.storage.reading import open_table

KRK = Material.from_name("KRK")


@pytest.fixture(scope="module")
def stored():
    """Return the attributes of a table as its file holds them."""
    with open_table("data/KRK.h5") as file:
        return file.stored_attributes()


@pytest.mark.parametrize("path", sorted(Path("data").glob("*.h5")), ids=lambda path: path.stem)
def test_the_tables_of_the_repository_pass(path):
    with open_table(path) as file:
        file.check()
        names = {needed.name for needed in file.material.dependencies()}
        assert file.attributes["subtables"].keys() == names


def test_sizes_are_those_of_the_material():
    for material in all_materials(3):
        fixed = fixed_attributes(material, METRICS)
        assert len(json.loads(fixed["men"])) == 3
        slots = fixed["king_pairs"] * fixed["ranks"] * fixed["slices"]
        assert slots == (3612 * 24 if material.has_pawns else 462 * 64)


def test_json_becomes_objects_and_more_attributes_do_no_harm(stored):
    found = read_attributes({**stored, "remark": "anything"}, KRK)
    assert found["counts"]["white_to_move"]["longest_win"]["plies"] == 31
    assert found["men"] == ["white king", "black king", "white rook"]
    assert found["remark"] == "anything"


@pytest.mark.parametrize(
    "name",
    [*fixed_attributes(KRK, METRICS), "created", "generator_version", "dtz_outcomes",
     *(f"{metric.prefix}{name}" for metric in METRICS
       for name in ("counts", "longest_wins", "sha256", "subtables"))],
)  # fmt: skip
@pytest.mark.parametrize(
    "value", [None, 0, -1, 2**62, "", "null", "{}", "[]", "0", "NaN", "[" * 60_000, '{"KK": 1}']
)
def test_another_value_or_none_is_refused(stored, name, value):
    changed = {**stored, name: value}
    if value is None:
        del changed[name]
    if (name.endswith("subtables") and value == "{}") or (
        name == "generator_version" and value in TEXTS
    ):
        assert name in read_attributes(changed, KRK)
        return
    with pytest.raises(ValueError, match=f"the attribute {name} is"):
        read_attributes(changed, KRK)


TEXTS = ["", "null", "{}", "[]", "0", "NaN", "[" * 60_000, '{"KK": 1}']


def with_counts(change):
    def changed(stored):
        counts = json.loads(stored["counts"])
        change(counts["white_to_move"])
        return {**stored, "counts": json.dumps(counts)}

    return changed


@pytest.mark.parametrize(
    "change",
    [
        lambda side: side.update(win=-1),
        lambda side: side.update(win=True),
        lambda side: side.update(win=1.5),
        lambda side: side.update(win=side["win"] + 1),
        lambda side: side.pop("illegal"),
        lambda side: side.update(dtm_histogram=[]),
        lambda side: side["dtm_histogram"].pop("loss"),
        lambda side: side["dtm_histogram"].update(win={"2": side["win"]}),
        lambda side: side["dtm_histogram"].update(win={"<b>": side["win"]}),
        lambda side: side["dtm_histogram"].update(loss={"0": "many"}),
        lambda side: side.update(inequivalent=None),
        lambda side: side.update(longest_win=[]),
        lambda side: side["longest_win"].update(plies="31"),
        lambda side: side["longest_win"].update(plies=32),
        lambda side: side["longest_win"].update(fen="8/8/8/8/8/8/8/9 w - - 0 1"),
        lambda side: side["longest_win"].update(fen="8/8/8/8/8/8/8/44 w - - 0 1"),
        lambda side: side["longest_win"].update(fen="8/8/8/8/8/8/8 w - - 0 1"),
        lambda side: side["longest_win"].update(fen="8/8/8/8/8/8/8/8 w KQ - 0 1"),
        lambda side: side["longest_win"].update(fen=7),
    ],
)
def test_counts_of_another_form_are_refused(stored, change):
    with pytest.raises(ValueError, match="the attribute counts is malformed"):
        read_attributes(with_counts(change)(stored), KRK)


def test_digests_of_what_is_no_sub_table_are_refused(stored):
    changed = {**stored, "subtables": json.dumps({"KQK": "0" * 64})}
    with pytest.raises(ValueError, match="the attribute subtables is malformed"):
        read_attributes(changed, KRK)
