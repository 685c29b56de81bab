"""What every part stands on, and nothing of chess: errors, words, streams, seams.

- `argument_readers`: words, flags, numbers and ranges as arguments of functions
- `capacity`: the largest numbers of men of tables, and of pieces of regions
- `closing`: objects that a `with` statement closes
- `compiling`: the time in which kernels have been compiled
- `errors`: exceptions, under one root
- `extras`: packages that optional parts need, and their installation
- `interruptions`: Ctrl-C, wherever the program is
- `locations`: the folders of tables
- `parallel`: threads that share out work
- `remedies`: advice about missing tables and rules
- `seams`: the places where capabilities meet the core
- `streams`: standard input and output, whatever they are
- `tasks`: tasks of a server that a process of its own carries out
- `verdicts`: what all reports of checks say
- `words`: numbers and units in words

Imports no other wing. What two wings need and no game knows belongs here.
"""
