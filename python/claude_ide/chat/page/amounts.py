"""Formats durations, counts and money for readers."""


def duration(seconds: float) -> str:
    """Return `12 ms`, `3.2 s` or `2 min 5 s`."""
    if seconds < 0.9995:
        return f"{round(seconds * 1000)} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def seconds(number: int) -> str:
    """Return `34 s` or `2 min 5 s`, for a duration that is not over."""
    minutes, rest = divmod(number, 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def short(number: int) -> str:
    """Return `345`, `1.2k` or `34k`."""
    thousands = number / 1000
    if thousands < 1:
        return str(number)
    return f"{thousands:.1f}k" if thousands < 9.95 else f"{thousands:.0f}k"


def money(dollars: float) -> str:
    """Return `$1.23`; amounts below one cent have four decimals, since a question costs little."""
    return f"${dollars:.2f}" if dollars >= 0.01 else f"${dollars:.4f}"


def count(number: int, noun: str) -> str:
    """Return `1 line` or `1,034 lines`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
