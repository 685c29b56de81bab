"""Words that options of commands can have, apart from code that takes time to load."""

# How the side of the tables plays: the old way, or the move that is hardest to answer.
RESISTANCES = LONGEST_DEFENCE, PRACTICAL = ("longest", "practical")
