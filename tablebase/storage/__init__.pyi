from tablebase.storage.atomic import (
    complete_or_absent,
    partial_file,
    remove_leftovers,
    sole_writer,
    write_text,
)
from tablebase.storage.damage import check_regular
from tablebase.storage.format import SUFFIX, table_path, tables_folder
from tablebase.storage.memory import available_memory
from tablebase.storage.order import indices_of, slot_of_index, slot_order
from tablebase.storage.proof_file import POSITION_WORDS, Proof, ProofPart, write_proof
from tablebase.storage.reading import TableFile, open_table, places_of, read_table
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
    "indices_of",
    "open_table",
    "partial_file",
    "places_of",
    "prepare_writing",
    "read_subtables",
    "read_table",
    "rehearse_writing",
    "remove_leftovers",
    "slot_of_index",
    "slot_order",
    "sole_writer",
    "table_path",
    "tables_folder",
    "write_proof",
    "write_region",
    "write_sections",
    "write_table",
    "write_text",
]
