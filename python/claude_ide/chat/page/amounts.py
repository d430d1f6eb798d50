"""Formats durations, counts and money for readers."""


def duration(seconds: float) -> str:
    """Return `12 ms`, `3.2 s` or `2 min 5 s`."""
    if seconds < 0.9995:
        return f"{round(seconds * 1000)} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def money(dollars: float) -> str:
    """Return `$1.23`; amounts below one cent have four decimals, since a question costs little."""
    return f"${dollars:.2f}" if dollars >= 0.01 else f"${dollars:.4f}"


def count(number: int, noun: str) -> str:
    """Return `1 line` or `1,034 lines`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
