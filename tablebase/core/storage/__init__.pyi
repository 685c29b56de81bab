from tablebase.core.storage.atomic import (
    complete_or_absent,
    partial_file,
    remove_leftovers,
    sole_writer,
    write_text,
)
from tablebase.core.storage.chunks import pack
from tablebase.core.storage.damage import (
    check_regular,
    damaged,
    naming_damage,
    naming_refusal,
    require,
)
from tablebase.core.storage.datasets import (
    chunk_size_of,
    open_dataset,
    read_attribute,
    write_packed,
)
from tablebase.core.storage.memory import available_memory
from tablebase.core.storage.order import indices_of, places_of, slot_of_index, slot_order
from tablebase.core.storage.reading import TableFile, open_table, read_table
from tablebase.core.storage.sections import WriteSection, write_sections
from tablebase.core.storage.subtables import Subtables, read_subtables
from tablebase.core.storage.table_names import (
    SUFFIX,
    find_table,
    how_to_build_again,
    is_game_folder,
    is_table_name,
    new_table_path,
    scan_folder,
    table_path,
    tables_among,
    tables_folder,
    tables_in,
)
from tablebase.core.storage.writing import (
    create_dataset,
    create_file,
    write_attributes,
    write_table,
)

__all__ = [
    "SUFFIX",
    "Subtables",
    "TableFile",
    "WriteSection",
    "available_memory",
    "check_regular",
    "chunk_size_of",
    "complete_or_absent",
    "create_dataset",
    "create_file",
    "damaged",
    "find_table",
    "how_to_build_again",
    "indices_of",
    "is_game_folder",
    "is_table_name",
    "naming_damage",
    "naming_refusal",
    "new_table_path",
    "open_dataset",
    "open_table",
    "pack",
    "partial_file",
    "places_of",
    "read_attribute",
    "read_subtables",
    "read_table",
    "remove_leftovers",
    "require",
    "scan_folder",
    "slot_of_index",
    "slot_order",
    "sole_writer",
    "table_path",
    "tables_among",
    "tables_folder",
    "tables_in",
    "write_attributes",
    "write_packed",
    "write_sections",
    "write_table",
    "write_text",
]
