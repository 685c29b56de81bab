"""Positions as bits of planes, and their values as bytes beside them.

- `bits`: set-wise operations on words, lines and planes of positions
- `helpmate_values`: values where both sides help one of them to give mate
- `leads`: set-wise operations on pairs of leads, where no king is royal
- `metric_tables`: what the engine knows of each metric
- `planes`: the planes that hold positions, and the tracks along which a man moves
- `preimages`: preimages under piece moves, one track after the other
- `values`: what the engine knows of a metric, and the bytes that stand for values meanwhile

Imports no other room of the engine.
"""
