"""What tables say about a position: results, distances, moves in order, lines.

- `canonical`: the canonical image of a position, which stands in its table, and its slot
- `helpmates`: who can still mate if both sides help
- `known`: the knowledge of a position in one record, from tables or proven
- `mating_chances`: whether a side can still mate, by rules, tables, or a search
- `notebooks`: what a notebook shows of positions, moves and tables
- `opening`: tablebases by folder
- `proven`: lines of moves whose results are proven without a table
- `ranking`: the moves of a position in order of preference, with and without the 50-move rule
- `sources`: the results in other kinds of files
- `tablebase`: all this as one object for users

May import `board`, `outcomes`, `rules`, `positions`, `castling`, `index`, `storage`,
`reading`.
Another question to tables belongs here.
"""
