"""Values of positions of other games than chess."""

import re
import shutil
from functools import cache

import pytest
from support.few import few
from support.games import outcome_by_moves, random_setups

from tablebase.core.answers.tablebase import Tablebase
from tablebase.core.building.generator import generate
from tablebase.core.checking.verify import check_file
from tablebase.core.ground.errors import (
    CorruptTableError,
    UnsupportedPositionError,
)
from tablebase.core.outcomes.metrics import DTM, DTZ
from tablebase.core.positions.setup_fens import read_setup
from tablebase.core.rules.material import Material
from tablebase.core.rules.rule_files import built_in_rules, parse_rules

FAIRY = parse_rules("[fairy:chess]\nfers = f\ncustomPiece1 = a:BN\n")["fairy"]
SHATRANJ = built_in_rules()["shatranj"]
MAKRUK = built_in_rules()["makruk"]
GARDNER, LOS_ALAMOS = built_in_rules()["gardner"], built_in_rules()["losalamos"]
HILL = built_in_rules()["kingofthehill"]
OTHERS = parse_rules(
    """
    [tall:chess]
    maxFile = d
    maxRank = 7
    gold = g
    promotionPieceTypes = rg

    [lopsided:chess]
    customPiece1 = x:WfrBblB
    customPiece2 = y:RflB
    promotionPieceTypes = xy

    [walled:chess]
    startFen = rnbqkbnr/pppppppp/8/3**3/3**3/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
    """
)
APART = parse_rules(
    """
    [apart:chess]
    customPiece1 = a:mWcF
    customPiece2 = d:mKcQ
    customPiece3 = e:mRcN
    customPiece4 = f:cQ
    promotionPieceTypes = de
    """
)["apart"]
ZEROING = {
    built_in_rules()["capablanca8"]: ("KAPK", "KAKR"),
    GARDNER: ("KPKP",),
    HILL: ("KRKN",),
    APART: ("KDKA",),
}
TALL, LOPSIDED, WALLED = OTHERS["tall"], OTHERS["lopsided"], OTHERS["walled"]


TABLES = {
    FAIRY: ("KAKF", "KAK"),
    SHATRANJ: ("KQKQ", "KPKB"),
    MAKRUK: ("KSPK", "KPKP", "KRKS"),
    GARDNER: ("KBPK", "KPKP"),
    LOS_ALAMOS: ("KPKP", "KNPK", "KRKN"),
    TALL: ("KPKP", "KGPK"),
    LOPSIDED: ("KPK", "KXK"),
    WALLED: ("KRKN", "KBKN"),
    HILL: ("KPK", "KNK"),
    APART: ("KDPK", "KDKA", "KEKF", "KPKP"),
}
FEW = (GARDNER, LOPSIDED, WALLED, HILL, APART)


@pytest.fixture(scope="module")
def folder_of(tmp_path_factory):
    """Return a function that gives the folder of the tables of a game, made when first asked."""
    path = tmp_path_factory.mktemp("tables")

    @cache
    def folder_of(rules):
        materials = [Material.from_name(name, rules) for name in TABLES[rules]]
        generate(materials, path, metrics=(DTM,))
        return path

    return folder_of


@pytest.fixture(scope="module")
def fairy(folder_of):
    with Tablebase([folder_of(FAIRY)], rules=FAIRY) as tables:
        yield tables


def assert_values_follow_from_the_moves(tables, setups, metric=DTM):
    """Compare values with those after the moves, and with the best of all ranked moves."""
    for setup in setups:
        found = tables.probe_outcome(setup, metric)
        expected = outcome_by_moves(metric, setup, lambda one: tables.probe_outcome(one, metric))
        assert found == expected, setup
        ranked = tables.rank_moves(setup, rule50=False)
        assert len(ranked) == len(list(setup.moves()))
        if ranked:
            assert ranked[0].dtm == tables.probe_dtm(setup)


@pytest.mark.parametrize("name", ["KAKF", "KFKA"])
def test_values_follow_from_the_moves(fairy, name):
    assert_values_follow_from_the_moves(fairy, random_setups(name, FAIRY, 20))


SWAPPED = {
    SHATRANJ: ("KBKP", "KQK", "KKB"),
    MAKRUK: ("KKSP", "KSK", "KKS"),
    TALL: ("KKG",),
    LOPSIDED: ("KKX",),
    APART: ("KKDP",),
}


@pytest.mark.thorough
@pytest.mark.parametrize("rules", few(list(TABLES)[1:], SHATRANJ, *FEW))
def test_values_of_other_boards_and_promotions_follow_from_the_moves(folder_of, rules):
    with Tablebase([folder_of(rules)], rules=rules) as tables:
        for name in (*TABLES[rules], *SWAPPED.get(rules, ())):
            assert_values_follow_from_the_moves(tables, random_setups(name, rules, 8))


@pytest.mark.thorough
@pytest.mark.parametrize("rules", few(TABLES, FAIRY, SHATRANJ, *FEW[:-1]))
def test_files_of_other_boards_pass_verification(folder_of, rules):
    paths = sorted((folder_of(rules) / rules.folder).glob("*.h5"))
    assert len(paths) > 3
    for path in paths:
        report = check_file(path)
        assert report.passed, path
        assert report.is_complete, path


@pytest.mark.parametrize(
    ("rules", "fen", "message"),
    [
        (GARDNER, "8/8/8/8/8/8/8/8 w", "has 8 ranks, not 5"),
        (GARDNER, "k4/5/5/5/R3K1 w", "the rank 'R3K1' has 6 squares, not 5"),
        (GARDNER, "k4/5/5/5/K3P w", "a pawn stands on e1"),
        (GARDNER, "k3P/5/5/5/K4 w", "a pawn stands on e5"),
        (LOS_ALAMOS, "k5/6/6/6/6/B4K w", "'B' in the rank 'B4K' is not a piece of losalamos"),
        (WALLED, "k7/8/8/8/8/8/8/K7 w", "does not have the walls of walled: write * for each"),
        (WALLED, "k7/8/8/2K**3/3**3/8/8/8 w", None),
        (HILL, "k7/8/8/3K4/8/8/8/8 w", "the game is over, or the side to move could take the king"),
        (HILL, "8/8/8/3K4/8/8/8/7k b", None),
    ],
)
def test_positions_of_other_boards(rules, fen, message):
    if message is None:
        assert read_setup(fen, rules).fen == f"{fen} - - 0 1"
    else:
        with pytest.raises(UnsupportedPositionError, match=re.escape(message)):
            read_setup(fen, rules)


@pytest.fixture(scope="module")
def zeroing_folder_of(tmp_path_factory):
    """Return a function that makes the tables of a game with both distances."""
    path = tmp_path_factory.mktemp("zeroing")

    def folder_of(rules):
        materials = [Material.from_name(name, rules) for name in ZEROING[rules]]
        generate(materials, path, metrics=(DTM, DTZ))
        return path

    return folder_of


@pytest.mark.thorough
@pytest.mark.parametrize("rules", few(ZEROING, APART), ids=lambda rules: rules.name)
def test_distances_to_zeroing_of_other_games(zeroing_folder_of, rules):
    """They obey the local rule, in the files and by moves that know nothing of these."""
    zeroing_folder = zeroing_folder_of(rules)
    paths = list((zeroing_folder / rules.folder).glob("*.h5"))
    assert len(paths) >= len(ZEROING[rules])
    for path in paths:
        assert check_file(path).passed, path
    with Tablebase([zeroing_folder], rules=rules) as tables:
        for name in ZEROING[rules]:
            assert_values_follow_from_the_moves(tables, random_setups(name, rules, 10), DTZ)


def test_moves_have_the_names_of_the_board():
    """The square c3 is the middle of a board of 5 x 5, as it is c3 of one of 6 x 6."""
    for rules, fen, target in (
        (GARDNER, "k4/5/5/5/K3R w", "Re5+"),
        (LOS_ALAMOS, "k5/6/6/6/6/K4R w", "Rf6+"),
    ):
        setup = read_setup(fen, rules)
        assert target in map(setup.name_of, setup.moves())


def test_the_diamond_of_al_suli(folder_of):
    with Tablebase([folder_of(SHATRANJ)], rules=SHATRANJ) as tables:
        ranked = tables.rank_moves("8/8/8/3k4/8/1KQ5/8/q7 w")
    assert [(str(one.move), one.dtm) for one in ranked[:4]] == [
        ("b3b4", 39), ("b3c2", 41), ("c3b4", 43), ("c3d2", 43)
    ]  # fmt: skip


def test_bare_kings_draw_without_a_file(fairy):
    assert fairy.probe_outcome("8/8/8/3k4/8/8/8/K7 b") == 0


def test_a_table_that_takes_the_place_of_another_is_read(folder_of, tmp_path):
    shutil.copytree(folder_of(FAIRY) / FAIRY.folder, tmp_path / FAIRY.folder)
    position = "8/8/8/3k4/8/8/8/A6K w"
    with Tablebase([tmp_path], rules=FAIRY) as tables:
        before = tables.probe_dtm(position)
        inside = tmp_path / FAIRY.folder
        shutil.copy(inside / "KAK.h5", inside / "new")
        (inside / "new").replace(inside / "KAK.h5")
        assert tables.probe_dtm(position) == before
        shutil.copy(inside / "KFK.h5", inside / "new")
        (inside / "new").replace(inside / "KAK.h5")
        assert tables.available_tables  # which looks at the folder
        with pytest.raises(CorruptTableError, match="this is the table of KFK, not of KAK: "):
            tables.probe_dtm(position)
