"""Text from outside, made harmless for a buffer: lines without line breaks, nothing invisible."""

import re

# A lone surrogate cannot be encoded; it comes with bytes that are not UTF-8, or with cut texts.
_UNSAFE = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\ud800-\udfff]")
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")
REPLACEMENT = "\ufffd"


def harmless(line: str) -> str:
    """Return a line as a buffer may hold it: `^X` for control characters, a DOS end removed.

    Control characters of 8 bits become `<9b>`; `lua/claude_ide/say/plain.lua` has the same rule.
    """
    return _UNSAFE.sub(_shown, line.rstrip("\r"))


def lines(text: str) -> list[str]:
    """Return a text's lines, harmless; a line break at the end begins no line."""
    found = [harmless(line) for line in text.split("\n")]
    if found[-1] == "":
        found.pop()
    return found


def as_printed(text: str) -> str:
    """Return what a program has put out without its colours and cursor movements.

    Of what was written over itself, as progress bars are, the last is kept. Only output is read
    like this: what is yet to be done, or was said, must not hide behind a carriage return.
    """
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    if "\r" not in text:
        return text
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))


def one_line(text: str, most: int = 200) -> str:
    """Return a text's first line that says something, cut to `most` characters."""
    stripped = text.strip()
    first, _, rest = stripped.partition("\n")
    first = harmless(first.rstrip())
    if len(first) > most:
        return f"{first[: most - 1]}…"
    return f"{first} …" if rest.strip() else first


def _shown(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code >= 0xD800:
        return REPLACEMENT
    return f"<{code:02x}>" if code >= 0x80 else f"^{chr(code ^ 0x40)}"
