"""The generator and prober of tables: what everything else in the package stands on.

Each folder is a wing with a task of its own, and knows no capability: the seams have their names.

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
- `words`: numbers and units in words
"""

from tablebase.core._face import modules_of

__getattr__ = modules_of(__name__)
