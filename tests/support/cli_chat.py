"""The file that is edited in tests of the chat panel with the real CLI."""

LINES = [f"line {number}" for number in range(1, 10)]


def lines(**changed: str) -> str:
    """Return the text of the file with some lines replaced: `lines(line_2="two")`."""
    return "".join(f"{changed.get(line.replace(' ', '_'), line)}\n" for line in LINES)
