"""The largest numbers of men of tables."""

# Kings included; `tablebase.board` hands it on.
MAX_MEN = 6
# With distances to zeroing; `tablebase.engine.obstacle` says why.
MAX_MEN_OF_DTZ = 5
