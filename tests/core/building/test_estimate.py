"""Estimates: counts by formula against the arrays themselves, and the law of costs."""

import pytest
from support.few import few

from tablebase.core.building import estimate
from tablebase.core.building.estimate import (
    MAX_KEPT_MEN,
    build_memory,
    epochs_of,
    estimated_seconds,
    file_size,
    is_measured,
    load_costs,
    read_memory,
    solving_memory,
)
from tablebase.core.building.executors import LocalExecutor
from tablebase.core.building.steps import plan_steps
from tablebase.core.engine.needs import is_read_by_slices, needed_positions, rows_of_slices
from tablebase.core.engine.requirements import obstacle
from tablebase.core.engine.slice_order import pushes, slice_batches
from tablebase.core.index.numbering import slot_count
from tablebase.core.outcomes.metrics import DTM, DTZ, METRICS
from tablebase.core.rules.material import Material, all_materials
from tablebase.core.rules.rule_files import built_in_rules

UP_TO_FOUR = [material for men in (2, 3, 4) for material in all_materials(men)]
SOME_OF_FIVE = [Material.from_name(name) for name in ("KQQQK", "KRRKN", "KPPPK", "KQPKQ", "KQBKR")]


def test_a_build_holds_its_table_and_its_sub_tables():
    material = Material.from_name("KPK")
    size = sum(2 * slot_count(needed) for needed in material.dependencies())
    assert read_memory(material) == (size, 0)
    own = 2 * slot_count(material)
    assert build_memory(material, [DTM], 1) > size + own
    assert build_memory(material, METRICS, 1) > 2 * size + own


def test_of_large_sub_tables_captures_read_all_and_promotions_a_part():
    six = Material.from_name("KQRKBN")
    sides = six.dependencies()
    assert all(needed.piece_count > MAX_KEPT_MEN for needed in sides)
    small, large = read_memory(six)
    assert small == 0
    assert large == sum(slot_count(needed) for needed in sides)
    five = Material.from_name("KQPKR")
    promoted = [needed for needed in five.dependencies() if needed.piece_count == 5]
    assert 0 < read_memory(five)[1] < sum(slot_count(needed) for needed in promoted)


def test_measured_seconds_are_given_as_they_are():
    costs = load_costs()
    for name, seconds in costs.seconds.items():
        material = Material.from_name(name)
        assert is_measured(material)
        assert estimated_seconds(material, METRICS) == pytest.approx(seconds)
        parts = [estimated_seconds(material, [metric]) for metric in METRICS]
        assert min(parts) > 0
        assert sum(parts) == pytest.approx(seconds)
    for name, seconds in costs.dtm_seconds.items():
        assert is_measured(Material.from_name(name))
        assert estimated_seconds(Material.from_name(name), [DTM]) == seconds


@pytest.mark.parametrize("men", few([4, 5], 4))
def test_runs_take_what_is_estimated_within_a_quarter(tmp_path, men):
    costs = load_costs()
    assert {run.men for run in costs.runs} == {4, 5}
    for run in (one for one in costs.runs if one.men == men):
        steps = plan_steps(all_materials(run.men), tmp_path / "none", threads=costs.threads)
        seconds = sum(step.build.seconds for step in steps)
        assert seconds == pytest.approx(run.seconds, rel=0.25)
        builder = LocalExecutor(threads=costs.threads, memory=run.memory)
        assert builder.peak_memory(steps) == pytest.approx(run.peak, rel=0.25)


@pytest.mark.slow
def test_the_peak_is_that_of_the_largest_table_or_the_limit(tmp_path):
    steps = plan_steps(all_materials(5), tmp_path / "none", threads=1)
    least = max(step.memory for step in steps)
    peaks = [
        LocalExecutor(threads=1, memory=limit).peak_memory(steps)
        for limit in (least // 2, least, 2 * least, 4 * least, 1000 * least)
    ]
    assert peaks[:2] == [least, least]
    assert peaks == sorted(peaks)
    assert least < peaks[2] <= 2 * least < peaks[3] <= 4 * least < peaks[4] < 1000 * least


def test_the_law_is_right_on_the_whole():
    costs = load_costs()
    measured = [Material.from_name(name) for name in costs.seconds]
    law = [
        costs.factor * slot_count(m) ** costs.exponent * costs.pawn_factor ** min(m.pawn_count, 2)
        for m in measured
        if m.piece_count >= 4
    ]
    total = sum(costs.seconds[m.name] for m in measured if m.piece_count >= 4)
    assert total / costs.spread < sum(law) < total * costs.spread


def test_materials_that_nobody_measured_follow_the_law():
    costs = load_costs()
    six = Material.from_name("KQRKBP")
    assert not is_measured(six)
    law = costs.factor * slot_count(six) ** costs.exponent * costs.pawn_factor
    law *= costs.metric_seconds["dtm"]
    assert estimated_seconds(six) == pytest.approx(law)
    assert estimated_seconds(six.swapped()) == pytest.approx(law)


def test_games_without_kings_take_longer_than_the_law():
    rules = built_in_rules()["antichess"]
    costs = load_costs()
    queens = Material.from_name("QQvRN", rules)
    law = costs.factor * slot_count(queens) ** costs.exponent
    expected = law * costs.metric_seconds["dtz"] * costs.seconds_without_kings
    assert estimated_seconds(queens, [DTZ]) == pytest.approx(expected)
    assert costs.seconds_without_kings > 2


def test_files_have_the_size_that_was_measured(zeroing_dir):
    for path in zeroing_dir.glob("K*.h5"):
        size = file_size(Material.from_name(path.stem), METRICS)
        # Another version of libdeflate may pack a little otherwise.
        assert path.stat().st_size == pytest.approx(size, 0.02)


def test_sizes_that_nobody_measured_follow_the_average():
    costs = load_costs()
    for name, pawns in (("KQRKBN", 0), ("KQRKBP", 1), ("KPPKPP", 2)):
        slots = slot_count(Material.from_name(name)) * (1 if name == "KPPKPP" else 2)
        size = file_size(Material.from_name(name))
        expected = costs.six_men_bytes * costs.bytes_a_slot[pawns] * slots
        expected *= costs.metric_bytes["dtm"]
        assert size == pytest.approx(expected, 1e-3)


def test_the_law_is_fitted_to_what_builds_print():
    from scripts.fit_costs import bytes_a_slot, fit, read_costs, read_run

    text = """[done/all]  material  positions  longest win  seconds  bytes
[1/3]  KQKR  2,467,122  35 moves (69 plies)  exists  1,392,743
[2/3]  KRKN  2,915,128  40 moves (79 plies)  0.11  708,873
[3/3]  KRKP  9,031,524  43 moves (85 plies)  0.29  3,571,367
\tCommand being timed: "tablebase build --men 4 --memory 4G --dir tables"
\tElapsed (wall clock) time (h:mm:ss or m:ss): 1:02.50
\tMaximum resident set size (kbytes): 500000
"""
    seconds, sizes = read_costs(text)
    assert seconds == {"KRKN": 0.11, "KRKP": 0.29}
    assert sizes == {"KRKN": 708_873, "KRKP": 3_571_367}
    assert read_run(text) == (4, 4_000_000_000, 62.5, 512_000_000)
    slots = {m.name: 2 * slot_count(m) for m in SOME_OF_FIVE}
    assert bytes_a_slot({name: size // 4 for name, size in slots.items()}) == [0.25] * 3
    law = {"factor": 3e-9, "exponent": 1.2, "pawn_factor": 0.5}
    seconds = {
        m.name: 3e-9 * slot_count(m) ** 1.2 * 0.5 ** min(m.pawn_count, 2)
        for m in [*UP_TO_FOUR, *SOME_OF_FIVE]
    }
    found = fit(seconds)
    assert {name: found[name] for name in law} == pytest.approx(law, rel=1e-2)
    assert found["spread"] == 1.0


def test_the_law_is_linear_at_least():
    from scripts.fit_costs import fit

    found = fit({m.name: 1e-4 * slot_count(m) ** 0.5 for m in SOME_OF_FIVE})
    assert found["exponent"] == 1


def test_six_men_with_pawns_take_less_memory_than_their_tables():
    """The largest have 41 GB of codes."""
    for material in all_materials(6)[::5]:
        if material.has_pawns:
            assert build_memory(material, [DTM], 2) < (17e9 if epochs_of(material) > 1 else 12e9)
            assert not obstacle(material)


def test_what_leads_to_long_distances_may_have_some():
    long = {"KRNKNN", "KRPKNN", "KRNKNP", "KNPKPP", "KPPKPP"}
    short = {"KRNKN", "KRPKN", "KRNKNB", "KRPKNB", "KQPKNN"}
    assert {n for n in long | short if epochs_of(Material.from_name(n)) > 1} == long
    queen, rook = (Material.from_name(name) for name in ("KQPKNN", "KRPKNN"))
    assert read_memory(rook)[1] > 1.1 * read_memory(queen)[1]
    assert solving_memory(rook, [DTM], 2) > solving_memory(queen, [DTM], 2)


@pytest.mark.parametrize("name", few(["KRPK", "KPPK", "KPKP"], "KPPK"))
def test_slices_need_no_more_of_sub_tables_than_is_counted_on(name, monkeypatch):
    """Of two pawns in groups of as many slices as with six men."""
    material = Material.from_name(name)
    size = 1 if material.pawn_count == 1 else 16
    monkeypatch.setattr(estimate, "batch_size", lambda _: size)
    needs = needed_positions(material)
    read = [needed for needed in needs if is_read_by_slices(material, needed, needs[needed])]
    assert read
    for batch in slice_batches(pushes(material), size):
        for needed in read:
            share = rows_of_slices(material, batch, needed).mean()
            assert 0 <= share <= estimate._slice_share(material, needed, needs[needed])
