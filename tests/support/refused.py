"""Illegal positions, and the ends of the messages that refuse them."""

REFUSED = [
    ("4k2R/8/8/8/8/8/8/4K3 w - - 0 1", "try b instead of w: 4k2R/8/8/8/8/8/8/4K3 b - - 0 1"),
    ("8/8/8/8/8/8/1Q6/k2K4 w - - 0 1", "try b instead of w: 8/8/8/8/8/8/1Q6/k2K4 b - - 0 1"),
    ("8/8/8/8/8/8/1q6/K2k4 b - - 0 1", "try w instead of b: 8/8/8/8/8/8/1q6/K2k4 w - - 0 1"),
    (
        "8/8/8/8/8/8/8/kK6 w - - 0 1",
        "illegal position: the kings stand next to each other: 8/8/8/8/8/8/8/kK6 w - - 0 1",
    ),
]
