"""The files to edit, Python with 60 bytes a line, and the texts to propose."""

KB = 1024
SIZES = {"10 KB": 10 * KB, "100 KB": 100 * KB, "1 MB": KB * KB, "10 MB": 10 * KB * KB}
FEW = 10
"""The number of changed lines, spread over the file, if few are changed."""


def original(size: int) -> str:
    """Return a text of at most `size` bytes."""
    return "".join(_line(number, 0) for number in range(size // len(_line(0, 0))))


def few_changed(text: str) -> str:
    """Return the text with ten lines changed."""
    lines = text.splitlines(keepends=True)
    for number in range(0, len(lines), max(1, len(lines) // FEW)):
        lines[number] = _line(number, 1)
    return "".join(lines)


def all_changed(text: str) -> str:
    """Return the text with every line changed."""
    return "".join(_line(number, 1) for number in range(text.count("\n")))


def _line(number: int, value: int) -> str:
    return f"value_{number:07} = compute(argument_{number:07}, scale={value})  # x\n"
