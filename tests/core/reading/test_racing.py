"""Tables of racing kings: both orders of the sides, probes one by one and many at once."""

import chess
import numpy as np
import pytest
from support.games import outcome_by_moves, random_setups
from support.variants import RACING

from tablebase import open_tablebase
from tablebase.core.answers.known import look_up
from tablebase.core.building.generator import generate
from tablebase.core.checking.verify import check_file
from tablebase.core.ground.errors import MissingTableError
from tablebase.core.outcomes.metrics import DTM, DTZ
from tablebase.core.positions.any_position import as_position
from tablebase.core.rules.material import Material

BLACK_ARRIVED = "7k/8/8/8/8/8/8/1N2K3 w"


def test_each_order_of_the_sides_is_a_file_that_is_verified(racing_dir):
    (folder,) = racing_dir.glob("racingkings-*")
    names = {file.stem for file in folder.glob("*.h5")}
    assert names == {"KK", "KQK", "KKQ", "KRK", "KKR", "KBK", "KKB", "KNK", "KKN"}
    for name in ("KK", "KNK", "KKN"):
        assert check_file(folder / f"{name}.h5").passed


@pytest.mark.parametrize("metric", [DTM, DTZ], ids=str)
@pytest.mark.parametrize("name", ["KK", "KNK", "KKN"])
def test_probes_follow_from_the_moves(racing_tables, name, metric):
    def probe(setup):
        return racing_tables.probe_outcome(setup, metric)

    for setup in random_setups(name, RACING, 60, seed=metric.name):
        if not setup.end:
            assert probe(setup) == outcome_by_moves(metric, setup, probe), setup.fen


def test_many_are_probed_as_one_by_one(racing_tables):
    setups = [*random_setups("KKN", RACING, 60), *random_setups("KNK", RACING, 60)]
    fens = [setup.fen for setup in setups]
    dtm, valid = racing_tables.probe_dtm_many(fens)
    assert valid.all()
    assert dtm.tolist() == [racing_tables.probe_dtm(fen) for fen in fens]
    assert len({*np.sign(dtm).tolist()}) == 3
    rows = np.array([setup.squares for setup in setups[:60]], dtype=np.uint8)
    for turn in chess.COLORS:
        of_rows, valid = racing_tables.probe_dtm_many(rows, "KKN", turn)
        chosen = [n for n in range(60) if setups[n].color == (not turn)]
        assert valid[chosen].all()
        assert of_rows[chosen].tolist() == dtm[chosen].tolist()


@pytest.mark.parametrize(
    ("fen", "results"),
    [
        (BLACK_ARRIVED, (-1, 0)),
        ("K7/7k/8/8/8/8/8/6N1 b", (0, 0)),
        ("K7/8/7k/8/8/8/8/6N1 b", (-1, 0)),
        ("8/K7/8/8/7k/8/8/6N1 w", (1, 1)),
        ("K6k/8/8/8/8/8/8/6N1 w", (0, 0)),
    ],
)
def test_a_race_is_won_unless_black_answers(racing_tables, fen, results):
    assert (racing_tables.probe_wdl(fen), racing_tables.probe_dtm(fen)) == results
    assert racing_tables.probe_wdl_many([fen])[0].tolist() == [results[0]]


def test_moves_that_do_not_answer_lose(racing_tables):
    ranked = racing_tables.rank_moves("K7/7k/8/8/8/8/8/6N1 b")
    assert {str(one.move) for one in ranked if one.wdl == 0} == {"h7h8", "h7g8"}
    assert {int(one.wdl) for one in ranked[2:]} == {-1}


def test_a_race_that_white_has_won_is_won_in_no_ply(racing_tables):
    """Files store a win in one ply; Black's moves that give this away lose in one."""
    fen, before = "K7/8/4k3/8/8/8/8/8 w", "K7/4k3/8/8/8/8/8/8 b"
    probes = (racing_tables.probe_dtm, racing_tables.probe_dtz, racing_tables.probe_wdl50)
    assert [probe(fen) for probe in probes] == [0, 0, 2]
    many = (racing_tables.probe_dtm_many, racing_tables.probe_dtz_many)
    many += racing_tables.probe_wdl_many, racing_tables.probe_wdl50_many
    for probe, value in zip(many, (0, 0, 1, 2), strict=True):
        for found in (probe([fen]), probe(np.array([[chess.A8, chess.E6]]), "KK", turn=True)):
            assert [one.tolist() for one in found] == [[value], [True]]
    ranked = racing_tables.rank_moves(before)
    told = {str(one.move): (int(one.wdl), one.dtm, one.dtz, int(one.wdl50)) for one in ranked}
    assert told["e7e6"] == (-1, -1, -1, -2)
    assert told["e7e8"] == (0, 0, 0, 0)
    known = look_up(racing_tables, as_position(fen, RACING))
    assert (known.wdl, known.dtm, known.dtz, known.moves) == (1, 0, 0, [])


def test_a_table_of_the_other_order_does_not_serve(tmp_path):
    generate([Material.from_name("KKN", RACING)], tmp_path, metrics=(DTM,))
    with open_tablebase(tmp_path, rules=RACING) as tables:
        assert tables.probe_wdl("8/8/8/8/2k5/8/8/K6n w") in (-1, 0, 1)
        with pytest.raises(MissingTableError, match="KNK"):
            tables.probe_wdl("8/8/8/8/2k5/8/8/K6N w")
