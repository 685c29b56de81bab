"""The generator and prober of tables: what everything else in the package stands on.

Each folder is a wing with a task of its own, and knows no capability: what capabilities bring is
named at the seams.

- `capacity`: the largest numbers of men of tables, and of pieces of regions
- `closing`: what a `with` statement closes
- `compiling`: how long kernels have been compiled
- `errors`: exceptions, under one root
- `extras`: how to install what a part of the program needs
- `interruptions`: Ctrl-C, wherever the program is
- `locations`: the folders of tables
- `parallel`: threads that share out work
- `remedies`: advice about what is missing
- `seams`: where capabilities meet the core
- `streams`: standard input and output, whatever they are
- `words`: numbers and units in words
"""
