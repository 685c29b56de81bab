"""The words that conditions know, kept apart so that a command's help loads no library."""

RESULT_NAMES = ("win", "cursed_win", "draw", "blessed_loss", "loss")
BEST_MOVES = ("capture", "promotion", "underpromotion", "queen", "rook", "bishop", "knight")
ZUGZWANG_SIDES = ("any", "white", "black", "both")
NEVER_SIDES = ("white", "black", "both")
MATED_SIDES = ("white", "black")
ORDERS = INDEX, SHORTEST, LONGEST, DIFFICULTY = ("index", "shortest", "longest", "difficulty")
CANONICAL, ALL_IMAGES = IMAGE_CHOICES = ("canonical", "all")
ORBIT, SPLIT, BEST, HELP = COLUMN_CHOICES = ("orbit", "split", "best", "help")
NAME, NUMBER = SQUARE_CHOICES = ("name", "number")
