"""The explorer and tables as files of any web host.

The pages themselves are in `tablebase/explorer`, which is laid out as the site is.

- `command`: `tablebase publish`
- `game_data`: a game as data for the reader: its rules, and the numbering of its positions
- `laboratory`: what the page of the laboratory of games reads
- `listing`: the lists of a published folder, and the places of its tables
- `materials`: the figures of a material
- `own_files`: the files of a published folder that are its own
- `publication`: tables as files of any web host, with indexes for the reader in JavaScript
- `site`: the explorer as files of any web host
- `table_index`: the index of a published table
- `table_records`: the JSON records of published tables

May import the core, `cli`, `practice`, `finding`, `report`.
"""
