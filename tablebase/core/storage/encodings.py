"""The meaning of the bytes of each distance, in the words that files state.

Other words are another version of the format.
"""

from __future__ import annotations

from tablebase.core.outcomes.codes import EPOCH_PLIES
from tablebase.core.outcomes.metrics import DTM, DTZ, HELPMATES

EPOCH_SUFFIX = "_epoch"
_DTM_ENCODING = (
    "Each byte is the distance to mate of one position with one side to move, in plies (single "
    "moves), with best play: an odd number n means the side to move wins in n plies, an even "
    "number n that it loses in n (0: it is checkmated), 255 is a draw. Illegal positions, with "
    "the side not to move in check, have no value of their own: their bytes mean nothing. The "
    "50-move rule, castling and en passant are left out."
)
LONG_ENCODING = (
    f"{_DTM_ENCODING} In the data set dtm{EPOCH_SUFFIX} of the same side to move each byte says "
    f"how many times {EPOCH_PLIES} plies are to be added to the number n."
)
_DTZ_ENCODING = (
    "Each byte is a code of one position with one side to move, 255 for a draw. The attribute "
    "dtz_outcomes has, by side to move, a list of what the codes 0, 1, 2, ... mean: n > 0 that the "
    "side to move wins, a negative number -n - 1 that it loses (-1: it is checkmated), with best "
    "play for that purpose: n is the number of plies (single moves) up to a capture or pawn move "
    "that keeps the result, or up to checkmate; 100 is added if the result is a draw under the "
    "50-move rule, which begins to count in the position (n > 100: a cursed win or blessed loss). "
    "Illegal positions have no value of their own: their bytes mean nothing. Castling and en "
    "passant are left out."
)
_HELP_ENCODING = (
    "Each byte is the fewest plies (single moves) after which {colour} has given checkmate if both "
    "sides play for it, from one position with one side to move: an odd number if {colour} is to "
    "move, an even one if the other side is (0: it is checkmated), 255 if no sequence of legal "
    "moves leads there. Illegal positions, with the side not to move in check, have no value of "
    "their own: their bytes mean nothing. Castling and en passant are left out."
)
ENCODINGS = {
    DTM: _DTM_ENCODING,
    DTZ: _DTZ_ENCODING,
    **{
        metric: _HELP_ENCODING.format(colour=colour)
        for metric, colour in zip(HELPMATES, ("White", "Black"), strict=True)
    },
}
# What is added where no king is royal.
OFFSET_ENCODING = (
    " Distances have as many plies more as the attribute ply_offset says, since the turn in which"
    " a side has won, because it has no move, counts as a ply: 1 means that it has. Distances in "
    "other attributes are without these."
)
# What is added where checks are counted.
CHECKS_ENCODING = (
    " The third check of a side wins as a mate does, and where a mate is meant, it is meant, too."
)
LAYERS_SCHEME = (
    "Checks are counted here: slices are those of a layer, and layers follow one another, so that "
    "the slice is layer * (slices of a layer) + the slice of the pawns. The attribute layers has, "
    "White's x Black's, how many numbers of checks left have layers of their own: 1 for a bare "
    "king, which never gives check. layer = white * (Black's number) + black, where white and "
    "black are the checks left to each side, less 1, and 0 for a bare king."
)
LEADS_SCHEME = (
    "No king is royal here, kings are pieces like others. In place of the kings are the first two"
    " of the attribute men, the leads: of each side the piece of which it has the fewest, and of "
    "several such the one that comes last in the order king, queen, rook, bishop, knight. A side "
    "of pawns alone has nobody there, for whom a1 is numbered, whatever stands on it. Where "
    "another piece is like a lead, it may lead as well. Of all slots of a position that with the "
    "smallest (slice * ranks + rank) * king_pairs + king_pair counts."
)
