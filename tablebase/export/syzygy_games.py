"""The games that have Syzygy files: how their files are called and begin, and what they number."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from tablebase.core.ground.errors import InvalidMaterialError, InvalidRulesError
from tablebase.core.ground.words import listed
from tablebase.core.rules.material import Material
from tablebase.core.rules.rule_files import built_in_rules
from tablebase.core.rules.rules import Rules


class SyzygyKind(NamedTuple):
    """One of the two kinds of files of a game: results, or distances to zeroing."""

    suffix: str
    magic: bytes  # with which its files begin
    has_distances: bool


class SyzygyGame(NamedTuple):
    """A game that has Syzygy files."""

    rules: Rules
    kinds: tuple[SyzygyKind, SyzygyKind]  # of results, then of distances
    kings_touch: bool  # whether pairs of kings side by side are numbered, too


@cache
def syzygy_games() -> tuple[SyzygyGame, ...]:
    """Return the games that have Syzygy files, chess first."""

    def game(name: str, suffix: str, magics: tuple[str, str], *, kings_touch: bool) -> SyzygyGame:
        results, distances = map(bytes.fromhex, magics)
        kinds = (
            SyzygyKind(f"{suffix}w", results, has_distances=False),
            SyzygyKind(f"{suffix}z", distances, has_distances=True),
        )
        return SyzygyGame(built_in_rules()[name], kinds, kings_touch)

    return (
        game("chess", ".rtb", ("71e8235d", "d7660ca5"), kings_touch=False),
        game("atomic", ".atb", ("558da449", "91a95eeb"), kings_touch=True),
        game("antichess", ".gtb", ("bc55bc21", "d6f51b50"), kings_touch=True),
        game("suicide", ".stb", ("7bf69315", "e4cfe723"), kings_touch=True),
    )


def syzygy_game(rules: Rules) -> SyzygyGame:
    """Return the game of some rules, or raise an `InvalidRulesError` if it has no Syzygy files."""
    found = next((one for one in syzygy_games() if one.rules == rules), None)
    if found is None:
        known = listed(one.rules.name for one in syzygy_games())
        raise InvalidRulesError(f"Syzygy files are only for {known}, not for {rules.name}")
    return found


def syzygy_names(material: Material) -> list[str]:
    """Return the names of a material's files, of results and of distances."""
    return [f"{syzygy_name(material)}{kind.suffix}" for kind in syzygy_game(material.rules).kinds]


def syzygy_name(material: Material) -> str:
    """Return the name of the files of a normalized material, without suffix.

    >>> syzygy_name(Material.from_name("KRPKR"))
    'KRPvKR'
    """
    if not material.rules.royal:
        return material.name
    white, black = (
        "".join(man.letter for man in side) for side in (material.white, material.black)
    )
    return f"K{white}vK{black}"


def named_file(path: Path) -> tuple[Material, SyzygyKind]:
    """Return the material that a file is named after, and the kind of the file.

    Raises `InvalidMaterialError` if the name is not one of a Syzygy file.
    """
    for game in syzygy_games():
        for kind in game.kinds:
            if path.suffix == kind.suffix:
                try:
                    material = Material.from_name(path.stem, game.rules)
                except InvalidMaterialError:
                    continue
                if not material.is_bare and path.name in syzygy_names(material.normalized()):
                    return material, kind
    raise InvalidMaterialError(
        f"{path} is not named as Syzygy files are: like KRvK.rtbw or KRvK.rtbz"
    )
