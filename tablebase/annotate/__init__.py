"""Games judged by tables: annotations, summaries, mistakes.

- `annotation`: games judged by tables
- `command`: `tablebase annotate`
- `pgn`: the games of a PGN, and their faults
- `summary`: games counted by ending, by player and by position up to symmetry
- `summary_page`: a page of the mistakes of games

May import the core, `cli`, `practice`, `finding`, `report`.
"""
