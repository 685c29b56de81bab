"""How many positions there are: all, up to symmetry, and legal ones.

- `attack_sums`: placements that leave a king unattacked, by inclusion and exclusion
- `burnside`: the number of placements that each symmetry keeps, by formula
- `command`: `tablebase count`
- `counting`: the number of positions of a material: all, up to symmetry, and legal ones
- `enumeration`: the number of positions of a material, by making them one by one
- `legal_positions`: the number of legal positions of chess, up to eight men and with rights
- `position_counts`: numbers of positions, on the whole board and up to symmetry

May import the core, `cli`.
"""
