"""A game in three modules, with an end and captures that no built-in one has.

A king that stands in a corner when its side is to move has lost, and nobody takes what is there.
"""
