"""Two later versions of a text, ours and theirs, and what their merge is: lines between blanks."""

BASE = ["a", "b", "c", "d", "e"]

SEPARATE = [
    ("a b c d e", "a b c d e", "a b c d e"),
    ("a b c d e x", "a B c d e", "a B c d e x"),
    ("x a b c d e", "a b c d", "x a b c d"),
    ("a B c d e", "a b C d e", "a B C d e"),
    ("a b x c d e", "a b C d e", "a b x C d e"),
    ("a b c x d e", "a b C d e", "a b C x d e"),
    ("a b x c d e", "a b y c d e", "a b y x c d e"),
    ("a b x c d e", "a b x c d e", "a b x c d e"),
    ("a b X d e", "a b X d e", "a b X d e"),
    ("a c d e", "a b c d", "a c d"),
    ("", "a b c d e", ""),
]
"""They change different lines."""

CONFLICTS = [
    ("a b X d e", "a b Y d e", "a b Y d e"),
    ("a b X d E", "a b Y d e", "a b Y d E"),
    ("a B C D e", "a b Y d e", "a b Y d e"),
    ("a b x c d e", "a e", "a e"),
    ("x", "y", "y"),
]
"""They change the same lines; if they are merged all the same, theirs prevail."""
