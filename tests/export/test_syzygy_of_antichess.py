"""Syzygy files of antichess and suicide: ours read by python-chess, and their numbering."""

import chess.syzygy
import pytest
from support.few import thorough
from support.games import random_setups
from support.variants import ANTICHESS, BOARDS, SUICIDE

from tablebase import open_tablebase
from tablebase.cli.program import main
from tablebase.core.building.generator import generate
from tablebase.core.ground.errors import InvalidMaterialError
from tablebase.core.rules.material import Material
from tablebase.export.syzygy_audit import audit_syzygy
from tablebase.export.syzygy_games import named_file, syzygy_names
from tablebase.export.syzygy_layout import _like_leads, _like_pairs, make_cells, orderings
from tablebase.export.syzygy_writing import write_syzygy

# Which lead differs: a piece beside a pawn, pawns of both sides, single pieces of both sides.
TWO = ("KvN", "KvP", "PvP")
# Besides, like pieces lead, and like pieces follow.
THREE = ("RRvK", "QPvP", "NNvB", "PPvK", "KKvK", "QBvR")
SUFFIXES = {ANTICHESS: [".gtbw", ".gtbz"], SUICIDE: [".stbw", ".stbz"]}


def with_subtables(names, rules):
    """Return materials with all that captures and promotions lead to."""
    wanted = [Material.from_name(name, rules).normalized() for name in names]
    for material in wanted:
        wanted += [one for one in material.dependencies() if one not in wanted]
    return dict.fromkeys(wanted)


def assert_same_values(files, tables, names, rules, count):
    """Compare python-chess's values with ours; return the results that it had."""
    found, material = set(), None
    with (
        chess.syzygy.open_tablebase(files, VariantBoard=BOARDS[rules]) as others,
        open_tablebase(tables, rules=rules) as ours,
    ):
        for material in names:
            for setup in random_setups(material, rules, count):
                board = BOARDS[rules](setup.fen)
                result, plies = others.probe_wdl(board), others.probe_dtz(board)
                assert result == ours.probe_wdl50(setup), setup.fen
                found.add(result)
                if setup.end is None:
                    exact = ours.probe_dtz(setup)
                    # It looks for threats before moves of pawns, which win a ply earlier.
                    assert plies == exact or (exact, plies) == (1, 2), setup.fen
    return found


@pytest.fixture(scope="module", params=[ANTICHESS, thorough(SUICIDE)], ids=["antichess", "suicide"])
def exported(request, antichess_dir, suicide_dir, tmp_path_factory):
    """Return the rules, our tables, and Syzygy files of some of them."""
    rules, folder = request.param, tmp_path_factory.mktemp("exported")
    tables = antichess_dir if rules == ANTICHESS else suicide_dir
    for material in with_subtables(TWO, rules):
        written = write_syzygy(material, [tables], folder)
        assert [one.path.suffix for one in written] == SUFFIXES[rules]
    return rules, tables, folder


@pytest.mark.thorough
def test_python_chess_reads_our_files(exported):
    rules, tables, files = exported
    assert assert_same_values(files, tables, TWO, rules, 40) == {2, 0, -2}


def test_our_audit_passes_our_files(exported):
    rules, tables, files = exported
    compared = 0
    for name in TWO:
        for file in syzygy_names(Material.from_name(name, rules).normalized()):
            audit = audit_syzygy(files / file, [tables])
            assert not audit.differs
            compared += audit.compared
    assert compared > 4000


def test_wrong_values_are_found(exported, tmp_path):
    rules, tables, files = exported
    names = [syzygy_names(Material.from_name(one, rules).normalized())[0] for one in ("KvN", "KvB")]
    (tmp_path / names[0]).write_bytes((files / names[1]).read_bytes())
    with pytest.raises(Exception, match="its pieces are not those of its name"):
        audit_syzygy(tmp_path / names[0], [tables])
    pawns = syzygy_names(Material.from_name("PvP", rules))[0]
    other = tables.parent / ("two_men_of_suicide" if rules == ANTICHESS else "two_men_of_antichess")
    told = {ANTICHESS: ".stbw", SUICIDE: ".gtbw"}[rules]
    assert named_file(files / pawns)[0].rules == rules
    # Blocked pawns have other values in the other game, whose files begin with other bytes.
    renamed = (tmp_path / pawns).with_suffix(told)
    twin = {"gtbw": "bc55bc21", "stbw": "7bf69315"}[told[1:]]
    renamed.write_bytes(bytes.fromhex(twin) + (files / pawns).read_bytes()[4:])
    assert audit_syzygy(renamed, [other]).different > 0


def test_the_command_writes_and_audits(antichess_dir, tmp_path, capsys):
    options = ["--syzygy", str(tmp_path), "--rules", "antichess", "--dir", str(antichess_dir)]
    assert main(["export", "KvN", *options]) == 0
    assert main(["audit", "KvN", *options]) == 0
    assert "KvN.gtbw: OK" in capsys.readouterr().out
    with pytest.raises(InvalidMaterialError):
        named_file(tmp_path / "NvK.gtbw")


def test_like_pieces_that_lead_are_numbered_as_in_python_chess():
    syzygy = chess.syzygy
    for number, (first, second) in enumerate(_like_pairs().tolist()):
        assert syzygy.PP_IDX[syzygy.TRIANGLE[first]][second] == number
    assert number == 277
    for men in (3, 4):
        leads = _like_leads(men).tolist()
        assert len(leads) == syzygy.MFACTOR[men - 1]
        for number, (first, *others) in enumerate(leads[:: 7 if men == 3 else 997]):
            places = [syzygy.MTWIST[square] for square in others]
            found = syzygy.MULTIDX[men - 1][syzygy.TRIANGLE[first]]
            found += sum(syzygy.binom(place, i) for i, place in enumerate(places, 1))
            assert found == number * (7 if men == 3 else 997)


@pytest.mark.parametrize("name", ["KKvQ", "QQvRR", "KKKvQ", "KQvR", "PPvPP", "KvPP"])
def test_cells_are_positions(name):
    material = Material.from_name(name, ANTICHESS)
    for ordering in orderings(material):
        sizes = make_cells(material, ordering, 0).fields.sizes
        assert sizes.sum() == material.piece_count
        assert len({*ordering.men}) == material.piece_count


@pytest.mark.slow
@pytest.mark.parametrize("rules", [ANTICHESS, SUICIDE], ids=["antichess", "suicide"])
def test_python_chess_reads_files_of_three_men(rules, tmp_path):
    tables, files = tmp_path / "tables", tmp_path / "files"
    generate([Material.from_name(name, rules) for name in THREE], tables, metrics=None)
    for material in with_subtables(THREE, rules):
        write_syzygy(material, [tables], files)
    assert {2, 0, -2} <= assert_same_values(files, tables, THREE, rules, 200)
    for file in files.iterdir():
        assert not audit_syzygy(file, [tables]).differs
