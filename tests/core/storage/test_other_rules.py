"""Files of tables by other rules than chess: where they lie, what they say, what is refused."""

import shutil

import h5py
import numpy as np
import pytest

from tablebase.core.board.geometry import Color
from tablebase.core.building.generator import generate
from tablebase.core.ground.errors import CorruptTableError, InvalidRulesError, MissingTableError
from tablebase.core.rules.material import Material
from tablebase.core.rules.rule_files import parse_rules
from tablebase.core.rules.rules import CHESS
from tablebase.core.storage.reading import open_table, read_table
from tablebase.core.storage.subtables import read_subtables
from tablebase.core.storage.table_names import table_path

FAIRY = parse_rules("[fairy:chess]\nfers = f\ncustomPiece1 = a:BN\n")["fairy"]
OTHER = parse_rules("[fairy:chess]\nfers = f\ncustomPiece1 = a:RN\n")["fairy"]
NAMES = ("KAK", "KAKF", "KRK")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("tables")
    generate([Material.from_name(name, FAIRY) for name in NAMES], path)
    generate([Material.from_name("KAK", OTHER), Material.from_name("KRK")], path)
    return path


def path_of(folder, name, rules=FAIRY):
    return table_path(folder, Material.from_name(name, rules))


def test_each_set_of_rules_has_a_folder(folder):
    assert path_of(folder, "KRK", CHESS) == folder / "KRK.h5"
    assert path_of(folder, "KRK") == folder / FAIRY.folder / "KRK.h5"
    assert FAIRY.folder != OTHER.folder
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*.h5")}
    fairy = {f"{FAIRY.folder}/{name}.h5" for name in ("KAK", "KAKF", "KFK", "KK", "KRK")}
    other = {f"{OTHER.folder}/{name}.h5" for name in ("KAK", "KK")}
    assert found == {"KK.h5", "KRK.h5"} | fairy | other


def test_a_file_says_by_which_rules_it_is(folder):
    with open_table(path_of(folder, "KAKF")) as file:
        assert file.material == Material.from_name("KAKF", FAIRY)
        assert file.material.rules.name == "fairy"
        assert file.attributes["format_version"] == 5
        assert file.attributes["rules_sha256"] == FAIRY.digest
        assert file.attributes["men"] == ["white K", "black K", "white A", "black F"]
    with open_table(path_of(folder, "KRK", CHESS)) as file:
        assert file.material.rules == CHESS
        assert "rules" not in file.attributes
        assert file.attributes["format_version"] == 3


def test_equal_values_have_another_digest(folder):
    """King and rook against king is the same ending in both games."""
    fairy, chess = (read_table(path_of(folder, "KRK", rules)) for rules in (FAIRY, CHESS))
    for color in Color:
        assert np.array_equal(fairy.codes[color], chess.codes[color])
    with (
        open_table(path_of(folder, "KRK")) as one,
        open_table(path_of(folder, "KRK", CHESS)) as other,
    ):
        assert one.attributes["sha256"] != other.attributes["sha256"]
        assert one.attributes["counts"] == other.attributes["counts"]


def test_sub_tables_are_those_of_the_rules(folder, tmp_path):
    material = Material.from_name("KAKF", FAIRY)
    assert set(read_subtables(material, folder)) == set(material.dependencies())
    (tmp_path / OTHER.folder).mkdir()
    shutil.copy(path_of(folder, "KAK", OTHER), path_of(tmp_path, "KAK", OTHER))
    shutil.copy(path_of(folder, "KRK", CHESS), tmp_path / "KAK.h5")
    with pytest.raises(MissingTableError):
        read_subtables(material, tmp_path)


@pytest.mark.parametrize(
    ("name", "value"),
    [("rules", OTHER.text), ("rules", CHESS.text), ("rules", "{}"), ("rules", FAIRY.text + " "),
     ("rules_sha256", OTHER.digest), ("rules_sha256", "x"), ("rules_sha256", None),
     ("rules", None), ("rules_name", None), ("format_version", 3), ("format_version", 7)],
)  # fmt: skip
def test_rules_that_were_changed_are_damage(folder, tmp_path, name, value):
    path = tmp_path / "KAK.h5"
    shutil.copy(path_of(folder, "KAK"), path)
    with h5py.File(path, "r+") as file:
        del file.attrs[name]
        if value is not None:
            file.attrs[name] = value
    with pytest.raises(CorruptTableError):
        open_table(path)


def test_a_table_put_among_those_of_other_rules_is_not_read(folder, tmp_path):
    material = Material.from_name("KAKF", FAIRY)
    shutil.copytree(folder, tmp_path / "tables")
    shutil.copy(path_of(folder, "KAK", OTHER), path_of(tmp_path / "tables", "KAK"))
    with pytest.raises(CorruptTableError, match="KAK"):
        generate([material], tmp_path / "tables", force=False)


def test_a_file_of_rules_that_this_program_does_not_know(folder, monkeypatch):
    """As one of a later version: it is refused, not read as something else."""

    def refuse(*_):
        raise InvalidRulesError("not rules")

    monkeypatch.setattr("tablebase.core.rules.rules.Rules.from_text", refuse)
    with pytest.raises(CorruptTableError, match="not rules"):
        open_table(path_of(folder, "KAK"))
