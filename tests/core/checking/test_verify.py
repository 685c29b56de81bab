"""Verification: right tables pass, and no single wrong value does."""

import h5py
import numpy as np
import pytest
from support.few import few, thorough
from support.noise import noise_table

from tablebase.cli.program import main
from tablebase.core.board.geometry import Color
from tablebase.core.checking import verify
from tablebase.core.checking.findings import Difference, Report
from tablebase.core.checking.verify import check_file, check_table
from tablebase.core.ground.errors import CorruptTableError, MissingTableError
from tablebase.core.index.legality import NO_POSITION, mark_slots
from tablebase.core.outcomes.codes import DRAW
from tablebase.core.outcomes.metrics import DTM, DTZ, METRICS, Outcome
from tablebase.core.positions.chess_board import board_of
from tablebase.core.rules.material import Material, all_materials
from tablebase.core.storage.reading import TableFile, open_table
from tablebase.core.storage.subtables import Subtables
from tablebase.core.storage.table_names import table_path
from tablebase.core.storage.writing import write_table
from tablebase.core.tables.census import take_census
from tablebase.core.tables.table import Table

THREE = [material for men in (2, 3) for material in all_materials(men)]
FOUR = [*THREE, *all_materials(4)]
# Of four men, those whose every position is always checked; of all others a sample is.
WHOLE = (Material.from_name("KRKN"), Material.from_name("KPPK"))


def material_of(name):
    return Material.from_name(name)


def mutated(table, color, slots, codes):
    """Return a copy of a table with some codes changed for one side to move."""
    sides = [side.copy() for side in table.codes]
    sides[color][slots] = codes
    return Table(table.material, *sides, table.metric, table.outcomes)


def recoded(table, color, slot, outcome):
    """Return a copy of a table with the outcome of a slot changed, and a code for it if needed."""
    outcomes = [meant.copy() for meant in table.outcomes]
    if outcome and outcome not in outcomes[color]:
        spare = int(np.flatnonzero(outcomes[color] == 0)[0])
        outcomes[color][spare] = outcome
    changed = Table(table.material, *table.codes, table.metric, tuple(outcomes))
    return mutated(changed, color, slot, changed.code(color, outcome))


@pytest.fixture(scope="module", params=few(["KRKN", "KPKP"], "KPKP"))
def cursed(request):
    """Return distances to zeroing solved on noise, some above 100 plies, and the noise."""
    from tablebase.core.engine.driver import solve

    material = material_of(request.param)
    needed = enumerate(material.dependencies())
    noise = {one: noise_table(one, seed, DTZ) for seed, one in needed}
    return solve(material, noise, metric=DTZ), noise


def is_legal(table, color, slot):
    """Return whether a slot holds a legal position with a side to move."""
    squares, _ = table.index.decode_many(np.array([slot]))
    board = board_of(table.material, squares[0], color == Color.WHITE)
    return board.occupied.bit_count() == len(squares[0]) and not board.was_into_check()


def pick(table, color, slots, rng, *, legal):
    """Return one of some slots at random, with or without a legal position."""
    return next(int(s) for s in rng.permutation(slots) if is_legal(table, color, s) == legal)


@pytest.mark.parametrize("material", few(FOUR, *THREE, *WHOLE), ids=str)
def test_every_table_of_up_to_four_men_passes(solved, material):
    report = check_table(solved[material], solved)
    assert report == Report(material, (DTM,), report.checked, 0)
    assert report.passed
    assert report.checked > solved[material].index.size


@pytest.mark.parametrize("material", all_materials(4), ids=str)
def test_a_sample_of_every_table_of_four_men_passes(solved, material):
    report = check_table(solved[material], solved, sample=20_000)
    assert report.passed
    assert report.checked > 20_000


def alternatives(code):
    """Return the wrong codes that a right one is changed to, one at a time."""
    near = {code + step for step in (-2, -1, 1, 2)} if code != DRAW else {0, 1, 2, 253, 254}
    return sorted({other for other in near | {DRAW} if 0 <= other <= DRAW} - {code})


@pytest.mark.parametrize("name", ["KRK", thorough("KQK"), thorough("KPK")])
@pytest.mark.parametrize("color", Color)
def test_a_single_wrong_value_is_found(solved, name, color):
    table = solved[material_of(name)]
    codes = table.codes[color]
    rng = np.random.default_rng(10)
    # Of some codes that occur one position each, wrong in all ways.
    for code in sorted({*np.unique(codes).tolist()[::8], 0, 1, DRAW} & {*codes.tolist()}):
        candidates = np.flatnonzero(codes == code)
        try:
            slot = pick(table, color, candidates, rng, legal=True)
        except StopIteration:  # the code fills slots without a position only
            continue
        for wrong in alternatives(code):
            report = check_table(mutated(table, color, slot, wrong), solved, limit=100)
            assert not report.passed
            found = {(d.index, d.stored, d.expected) for d in report.differences}
            outcomes = table.outcomes[color]
            assert (slot, outcomes[wrong], outcomes[code]) in found


@pytest.mark.thorough
@pytest.mark.parametrize("name", few(["KQKR", "KPKP", "KNNK", "KBNK", "KRKP", "KPPK"], "KPKP"))
def test_wrong_values_among_four_men_are_found(solved, name):
    wrong = table = solved[material_of(name)]
    rng = np.random.default_rng(11)
    changed = set()
    for color in Color:
        codes = table.codes[color]
        slot = pick(table, color, rng.choice(table.index.size, 40), rng, legal=True)
        code = int(rng.choice(alternatives(int(codes[slot]))))
        wrong = mutated(wrong, color, slot, code)
        outcomes = table.outcomes[color]
        changed.add((slot, outcomes[code], outcomes[codes[slot]]))
    report = check_table(wrong, solved, limit=10**4)
    assert changed <= {(d.index, d.stored, d.expected) for d in report.differences}


@pytest.mark.parametrize("name", ["KRK", "KPK"])
@pytest.mark.parametrize("color", Color)
def test_slots_without_a_position_may_hold_anything(solved, name, color):
    table = solved[material_of(name)]
    codes = table.codes[color]
    rng = np.random.default_rng(12)
    for slot in (
        pick(table, color, rng.choice(len(codes), 2000), rng, legal=False) for _ in "12345"
    ):
        wrong = (int(codes[slot]) + 7) % 256
        report = check_table(mutated(table, color, slot, wrong), solved)
        # But the redundant copy of a position is checked like any other.
        assert {one.index for one in report.differences} <= {slot}


CONSPIRACIES = {
    "all decisive results are draws": lambda codes: np.full_like(codes, DRAW),
    "all but checkmates are draws": lambda codes: np.where(codes == 0, 0, DRAW),
    "long distances are draws": lambda codes: np.where(codes > 20, DRAW, codes),
    "all long distances are two plies longer": lambda codes: np.where(
        (codes > 20) & (codes < 250), codes + 2, codes
    ),
    "all long distances are two plies shorter": lambda codes: np.where(
        (codes > 20) & (codes < 250), codes - 2, codes
    ),
    "all draws are lost in 100": lambda codes: np.where(codes == DRAW, 100, codes),
    "wins and losses are exchanged": lambda codes: np.where(codes < 254, codes ^ 1, codes),
}


@pytest.mark.parametrize("name", ["KRK", "KPK"])
@pytest.mark.parametrize("conspiracy", CONSPIRACIES)
def test_many_wrong_values_do_not_support_each_other(solved, name, conspiracy):
    table = solved[material_of(name)]
    wrong = [CONSPIRACIES[conspiracy](codes).astype(np.uint8) for codes in table.codes]
    assert check_table(Table(table.material, *wrong), solved).different > 0


def test_wrong_subtables_show(solved):
    queen = material_of("KQK")
    wrong = {**solved, queen: noise_table(queen, 1)}
    assert check_table(solved[material_of("KPK")], wrong).different > 0
    with pytest.raises(MissingTableError, match=r"KPK needs the sub-tables KBK KNK KRK: build"):
        check_table(solved[material_of("KPK")], {queen: wrong[queen], material_of("KK"): None})


@pytest.mark.parametrize("name", few(["KPK", "KQKR", "KPKP", "KNKP"], "KPK", "KPKP"))
def test_distances_to_zeroing_pass(zeroing, name):
    table = zeroing[material_of(name)]
    report = check_table(table, zeroing)
    assert report == Report(table.material, (DTZ,), report.checked, 0)
    assert report.checked > table.index.size


@pytest.mark.thorough
def test_cursed_wins_and_blessed_losses_pass(cursed):
    table, subtables = cursed
    assert check_table(table, subtables).passed
    assert {~101, ~1, 0, 1, 2, 101, 102} <= {*np.concatenate(table.outcomes).tolist()}


def wrong_outcomes(outcome):
    """Return wrong outcomes close to a right one: of other results, by a ply, past the rule."""
    other = {0, 1, 2, 100, 101, ~0, ~1, ~2, ~100, ~101, ~outcome}
    if outcome:
        near = [Outcome(outcome).plies + step for step in (-1, 1)]
        other |= {n if outcome > 0 else ~n for n in near if n >= 0}
    return sorted(other - {outcome})


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["KRK", "KPK"])
@pytest.mark.parametrize("color", Color)
def test_a_single_wrong_distance_to_zeroing_is_found(zeroing, name, color):
    table = zeroing[material_of(name)]
    codes, rng = table.codes[color], np.random.default_rng(15)
    for outcome in sorted({*table.outcomes[color][np.unique(codes)].tolist()})[::8]:
        candidates = np.flatnonzero(table.outcomes[color][codes] == outcome)
        try:
            slot = pick(table, color, candidates, rng, legal=True)
        except StopIteration:  # the code fills slots without a position only
            continue
        for wrong in wrong_outcomes(outcome):
            report = check_table(recoded(table, color, slot, wrong), zeroing, limit=1000)
            found = {(d.index, d.stored, d.expected) for d in report.differences}
            assert (slot, wrong, outcome) in found


@pytest.mark.thorough
def test_wrong_values_around_the_50_move_rule_are_found(cursed):
    table, subtables = cursed
    rng = np.random.default_rng(16)
    changed, book = set(), table
    for outcome in (~101, ~1, 0, 1, 2, 101, 102):
        held = [table.outcomes[color][table.codes[color]] == outcome for color in Color]
        color = max(Color, key=lambda side: held[side].sum())
        slot = pick(table, color, np.flatnonzero(held[color]), rng, legal=True)
        wrong = int(rng.choice(wrong_outcomes(outcome)))
        book = recoded(book, color, slot, wrong)
        changed.add((slot, wrong, outcome))
    report = check_table(book, subtables, limit=10_000)
    assert changed <= {(d.index, d.stored, d.expected) for d in report.differences}


def test_a_code_without_a_meaning_is_a_difference(zeroing):
    table = zeroing[material_of("KRK")]
    slot = table.index.encode(np.array([2, 0, 58], dtype=np.uint8))
    codes = table.codes[Color.WHITE].copy()
    codes[slot] = 254
    assert table.outcomes[Color.WHITE][254] == 0
    wrong = Table(table.material, codes, table.black, DTZ, table.outcomes)
    found = {(d.index, d.stored, d.expected) for d in check_table(wrong, zeroing).differences}
    assert (slot, None, 1) in found


ZEROING_CONSPIRACIES = {
    "all decisive results are draws": lambda n: 0 * n,
    "wins and losses are exchanged": lambda n: np.where(n != 0, ~n, 0),
    "all distances are a ply longer": lambda n: np.where(n > 0, n + 1, np.where(n < -1, n - 1, n)),
    "all distances begin at 101": lambda n: np.where(n > 0, n + 100, np.where(n < -1, n - 100, n)),
    "long distances are draws": lambda n: np.where((n > 4) | (n < -4), 0, n),
    "all draws are won in 50": lambda n: np.where(n == 0, 50, n),
}


@pytest.mark.parametrize("name", ["KRK", "KPK"])
@pytest.mark.parametrize("conspiracy", ZEROING_CONSPIRACIES)
def test_a_wrong_book_of_outcomes_is_found(zeroing, name, conspiracy):
    table = zeroing[material_of(name)]
    wrong = tuple(
        ZEROING_CONSPIRACIES[conspiracy](meant).astype(np.int16) for meant in table.outcomes
    )
    book = Table(table.material, *table.codes, DTZ, wrong)
    assert check_table(book, zeroing).different > 0
    swapped = Table(table.material, *table.codes, DTZ, table.outcomes[::-1])
    assert check_table(swapped, zeroing).different > 0


def test_a_sample_without_a_legal_position_is_not_right(solved, monkeypatch, capsys):
    table = solved[material_of("KQK")]
    slots = np.flatnonzero(mark_slots(table.index) == NO_POSITION)[:10]
    monkeypatch.setattr(verify, "_sample_of", lambda *_: slots)
    report = check_table(table, solved, sample=10)
    assert (report.checked, report.passed, report.differs) == (0, False, False)
    assert main(["verify", "KQK", "--dir", "data", "--sample", "10"]) == 2
    assert "KQK: NOT CHECKED, " in capsys.readouterr().out


def test_samples_are_of_the_size_asked_for(solved):
    table = solved[material_of("KQKR")]
    report = check_table(table, solved, sample=10_000)
    assert report.passed
    assert not report.is_complete
    assert 10_000 < report.checked <= 20_000
    noise = noise_table(table.material, 4)
    assert check_table(noise, solved, sample=1000).different > 500
    small = solved[material_of("KK")]
    assert check_table(small, {}, sample=10_000).is_complete


def test_differences_are_told_in_words(solved):
    table = solved[material_of("KRK")]
    slot = table.index.encode(np.array([2, 0, 58], dtype=np.uint8))  # Kc1, Rc8 against Ka1
    wrong = mutated(table, Color.WHITE, slot, DRAW)
    report = check_table(wrong, solved, limit=1)
    (difference,) = report.differences
    assert difference == Difference("2R5/8/8/8/8/8/8/k1K5 w - - 0 1", slot, 0, 1)
    assert str(difference) == f"{difference.fen}: stored a draw, should be won in 1 move (1 ply)"
    assert str(Difference("8/8", 0, ~2, 255)).endswith("should be won in 128 moves (255 plies)")
    assert str(Difference("8/8", 0, ~100, ~101, DTZ)) == (
        "8/8: stored lost in 100 plies, should be lost in 101 plies but for the 50-move rule"
    )
    assert "stored a code without a meaning" in str(Difference("8/8", 0, None, 1, DTZ))


def test_progress_is_told_and_threads_make_no_difference(solved):
    table = noise_table(material_of("KNNK"), 2)
    told = []
    one = check_table(table, solved, threads=1, progress=lambda *done: told.append(done))
    assert told == [(i + 1, len(told)) for i in range(len(told))]
    assert len(told) > 10
    assert check_table(table, solved, threads=3) == one


@pytest.fixture
def folder(tmp_path, solved, zeroing):
    """Return a folder with the tables of KPK and what it needs."""
    for tables in (solved, zeroing):
        digests = {}
        for name in ("KK", "KQK", "KRK", "KBK", "KNK", "KPK"):
            write(tables[material_of(name)], tmp_path, digests)
    return tmp_path


def write(table, folder, digests, **options):
    """Write a table with the digests of those that it needs, and add its own."""
    needed = {one.name: digests[one.name] for one in table.material.dependencies()}
    path = table_path(folder, table.material)
    digests[table.material.name] = write_table(table, path, subtables=needed, **options)


def recorded(folder, metric=DTM):
    """Return the digests of the tables of a folder."""
    found = {}
    for path in folder.glob("*.h5"):
        with open_table(path) as file:
            found[file.material.name] = file.sha256_of(metric)
    return found


def test_a_right_file_passes(folder, solved):
    told = []
    report = check_file(folder / "KPK.h5", progress=lambda *done: told.append(done))
    assert report.passed
    assert report.is_complete
    assert report.metrics == METRICS
    assert report.checked == check_table(solved[material_of("KPK")], solved).checked
    assert told == [(i + 1, len(told)) for i in range(len(told))]


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_one_distance_may_be_checked_alone(folder, metric):
    report = check_file(folder / "KPK.h5", metric=metric, sample=1000)
    assert report.passed
    assert report.metrics == (metric,)


def test_distances_to_zeroing_without_others(tmp_path, zeroing):
    digests = {}
    for name in ("KK", "KRK"):
        write(zeroing[material_of(name)], tmp_path, digests)
    assert check_file(tmp_path / "KRK.h5").metrics == (DTZ,)
    with pytest.raises(MissingTableError, match="KRK"):
        check_file(tmp_path / "KRK.h5", metric=DTM)


def test_a_file_with_a_wrong_distance_to_zeroing_fails(folder, zeroing):
    table = zeroing[material_of("KPK")]
    slot = table.index.encode(np.array([0, 2, 8], dtype=np.uint8))
    write(recoded(table, Color.WHITE, slot, 50), folder, recorded(folder, DTZ))
    report = check_file(folder / "KPK.h5")
    assert report.different > 0
    assert {one.metric for one in report.differences} == {DTZ}
    assert report.contradicting == 1
    (contradiction,) = report.contradictions
    assert contradiction.index == slot
    assert str(contradiction).endswith("but won in 50 plies by distance to zeroing")
    assert check_file(folder / "KPK.h5", metric=DTM).passed


def test_distances_to_zeroing_from_another_sub_table_and_counts_fail(folder, zeroing):
    from tablebase.core.tables.census import take_census

    digests = {**recorded(folder, DTZ), "KQK": "0" * 64}
    census = take_census(zeroing[material_of("KRK")])
    write(zeroing[material_of("KPK")], folder, digests, census=census)
    another, *counts = check_file(folder / "KPK.h5").problems
    assert another.startswith("dtz: it was made from another KQK than ")
    assert counts == [
        "dtz: its counts do not match its values",
        "dtz: its longest wins do not match its values",
    ]


def test_a_file_with_a_wrong_value_and_right_checksums_fails(folder, solved):
    table = solved[material_of("KPK")]
    slot = table.index.encode(np.array([0, 2, 8], dtype=np.uint8))
    write(mutated(table, Color.WHITE, slot, 5), folder, recorded(folder))
    report = check_file(folder / "KPK.h5")
    assert report.different > 0
    assert not report.passed


def test_a_file_from_another_subtable_fails(folder, solved):
    table = solved[material_of("KQK")]
    slots = np.arange(table.index.size)
    slot = pick(table, Color.WHITE, slots, np.random.default_rng(14), legal=True)
    write(mutated(table, Color.WHITE, slot, 254), folder, recorded(folder))
    problems = check_file(folder / "KPK.h5").problems
    assert len(problems) == 1
    assert problems[0].startswith("dtm: it was made from another KQK than ")


def test_a_file_that_counts_wrong_fails(folder, solved):
    from tablebase.core.tables.census import take_census

    table = solved[material_of("KRK")]
    census = take_census(solved[material_of("KQK")])
    write(table, folder, recorded(folder), census=census)
    report = check_file(folder / "KRK.h5")
    assert report.different == 0
    assert report.problems == (
        "dtm: its counts do not match its values",
        "dtm: its longest wins do not match its values",
    )
    assert not report.passed


@pytest.mark.parametrize("kept", [[], ["KRK"]])
def test_a_file_that_does_not_record_its_sub_tables_fails(folder, solved, kept):
    digests = recorded(folder)
    table = solved[material_of("KPK")]
    write_table(table, folder / "KPK.h5", subtables={name: digests[name] for name in kept})
    report = check_file(folder / "KPK.h5")
    assert not report.passed
    missing = [name for name in ("KBK", "KNK", "KRK", "KQK") if name not in kept]
    assert {f"dtm: it does not say from which {name} it was made" for name in missing} <= {
        *report.problems
    }


def test_a_malformed_file_is_no_difference(folder, capsys):
    from tablebase.cli.program import main

    with h5py.File(folder / "KRK.h5", "r+") as file:
        file.attrs.create("subtables", np.bytes_(b"null"))
    assert main(["verify", "--dir", str(folder), "KRK"]) == 2
    assert "the attribute subtables is malformed" in capsys.readouterr().err


def test_missing_and_damaged_files_are_named(folder):
    (folder / "KQK.h5").unlink()
    with pytest.raises(MissingTableError, match=r"KPK .*`tablebase build KQK --dir"):
        check_file(folder / "KPK.h5")
    with pytest.raises(MissingTableError, match="KQK"):
        check_file(folder / "KQK.h5")
    (folder / "KRK.h5").write_bytes((folder / "KRK.h5").read_bytes()[:-1000])
    with pytest.raises(CorruptTableError, match="KRK"):
        check_file(folder / "KRK.h5")


@pytest.fixture
def _nothing_is_held(monkeypatch):
    """All tables are too large to be held for a sample, and few rows are read at a time."""
    monkeypatch.setattr(verify, "LARGEST_HELD", 0)
    monkeypatch.setattr(verify, "ROWS_PER_READING", 900)


@pytest.mark.thorough
@pytest.mark.usefixtures("_nothing_is_held")
@pytest.mark.parametrize("name", few(["KRKN", "KPPK", "KQKP", "KRPK", "KRRK"], "KPPK"))
def test_a_sample_needs_no_more_than_some_rows(name, solved, tables_dir, monkeypatch):
    material = material_of(name)
    monkeypatch.setattr(Subtables, "table", lambda _, needed: solved[needed])
    monkeypatch.setattr(TableFile, "read", None)  # it would read a whole table
    told = []
    path = table_path(tables_dir, material)
    report = check_file(path, metric=DTM, sample=500_000, progress=lambda *t: told.append(t))
    assert not report.different
    assert not report.is_complete
    assert report.checked > 10_000
    assert told[-1][0] == told[-1][1]


@pytest.mark.thorough
@pytest.mark.usefixtures("_nothing_is_held")
@pytest.mark.parametrize("name", ["KRKN", pytest.param("KRPK", marks=pytest.mark.slow)])
def test_a_sample_of_all_rows_finds_what_a_full_check_finds(name, solved, tables_dir, tmp_path):
    table = solved[material_of(name)]
    rng = np.random.default_rng(5)
    slots = np.unique(rng.integers(table.index.size, size=300))
    wrong = mutated(table, Color.BLACK, slots, rng.integers(0, 40, len(slots)))
    path = tmp_path / f"{name}.h5"
    write_table(wrong, path, census=take_census(table))
    full = check_file(path, tables_dir, metric=DTM)
    sampled = check_file(path, tables_dir, metric=DTM, sample=table.index.size)
    assert sampled.checked == full.checked
    assert sampled.different == full.different > 100
    everything = set(check_table(wrong, solved, limit=10_000).differences)
    assert len(set(sampled.differences) & everything) == 10
