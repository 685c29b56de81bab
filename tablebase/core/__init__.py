"""The generator and prober of tables: what everything else in the package stands on.

Each folder is a wing with a task of its own, and knows no capability: the seams of `ground` have
their names.
"""
