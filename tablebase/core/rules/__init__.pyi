from tablebase.core.rules.material import (
    Material,
    MoveOut,
    all_materials,
    generation_key,
    generation_order,
)
from tablebase.core.rules.rule_files import RULE_KEYS, built_in_rules, parse_rules, read_rules
from tablebase.core.rules.rules import CHESS, Kind, Rules

__all__ = [
    "CHESS",
    "RULE_KEYS",
    "Kind",
    "Material",
    "MoveOut",
    "Rules",
    "all_materials",
    "built_in_rules",
    "generation_key",
    "generation_order",
    "parse_rules",
    "read_rules",
]
