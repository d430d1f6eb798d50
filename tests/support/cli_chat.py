"""What the tests of the chat panel with the real CLI look at."""

LINES = [f"line {number}" for number in range(1, 10)]


def lines(**changed: str) -> str:
    """The lines of a file, some of them replaced: `lines(line_2="two")`."""
    return "".join(f"{changed.get(line.replace(' ', '_'), line)}\n" for line in LINES)
