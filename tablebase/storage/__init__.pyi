from tablebase.storage.atomic import (
    complete_or_absent,
    partial_file,
    remove_leftovers,
    sole_writer,
    write_text,
)
from tablebase.storage.damage import check_regular, damaged
from tablebase.storage.memory import available_memory
from tablebase.storage.order import indices_of, places_of, slot_of_index, slot_order
from tablebase.storage.proof_file import POSITION_WORDS, Proof, ProofPart, write_proof
from tablebase.storage.reading import TableFile, open_table, read_table
from tablebase.storage.region_file import (
    FROM_TABLE,
    NOT_ASKED,
    PASSING,
    REGION_SUFFIX,
    RegionFile,
    RegionHeader,
    prepare_writing,
    rehearse_writing,
    write_region,
)
from tablebase.storage.sections import WriteSection, write_sections
from tablebase.storage.subtables import Subtables, read_subtables
from tablebase.storage.table_names import (
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
from tablebase.storage.writing import write_table

__all__ = [
    "FROM_TABLE",
    "NOT_ASKED",
    "PASSING",
    "POSITION_WORDS",
    "REGION_SUFFIX",
    "SUFFIX",
    "Proof",
    "ProofPart",
    "RegionFile",
    "RegionHeader",
    "Subtables",
    "TableFile",
    "WriteSection",
    "available_memory",
    "check_regular",
    "complete_or_absent",
    "damaged",
    "find_table",
    "how_to_build_again",
    "indices_of",
    "is_game_folder",
    "is_table_name",
    "new_table_path",
    "open_table",
    "partial_file",
    "places_of",
    "prepare_writing",
    "read_subtables",
    "read_table",
    "rehearse_writing",
    "remove_leftovers",
    "scan_folder",
    "slot_of_index",
    "slot_order",
    "sole_writer",
    "table_path",
    "tables_among",
    "tables_folder",
    "tables_in",
    "write_proof",
    "write_region",
    "write_sections",
    "write_table",
    "write_text",
]
