"""Makes text from outside safe for a buffer: single lines, without invisible characters."""

import re

# Lone surrogates cannot be encoded; they result from invalid UTF-8 and from texts that were cut.
_UNSAFE = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\ud800-\udfff]")
_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*(?:[@-~]|\Z)"
    r"|[\]PX^_](?:[^\x07\x1b]*(?:\x07|\x1b\\)|[^\x07\x1b\n]*\x1b?\Z)"
    r"|[ -/]*(?:[0-~]|\Z))"
)
"""Escape sequences of terminals, also an incomplete one at the end of what has arrived so far."""

_TO_FIRST_COLUMN = re.compile(r"\x1b\[[01]?G")
REPLACEMENT = "\ufffd"


def harmless(line: str) -> str:
    """Return a line with `^X` for control characters, and without trailing carriage returns.

    8-bit control characters become `<9b>`; `lua/claude_ide/messages/plain.lua` has the same rule.
    """
    return _UNSAFE.sub(_shown, line.rstrip("\r"))


def lines(text: str) -> list[str]:
    """Return a text's lines, each `harmless`; a final line break does not start another line."""
    found = [harmless(line) for line in text.split("\n")]
    if found[-1] == "":
        found.pop()
    return found


def as_printed(text: str) -> str:
    """Return a program's output without its colours and cursor movements.

    If a line overwrites itself, as progress bars do, only its final text is kept. Use this only for
    output: text that the user must judge must not disappear behind a carriage return.
    """
    if "\x1b" in text:
        text = _ESCAPES.sub("", _TO_FIRST_COLUMN.sub("\r", text))
    if "\r" in text:
        text = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    if "\b" in text:
        text = "\n".join(map(_struck, text.split("\n")))
    return text


def one_line(text: str, most: int = 200) -> str:
    """Return a text's first non-blank line, cut to `most` characters."""
    stripped = text.strip()
    first, _, rest = stripped.partition("\n")
    first = harmless(first.rstrip())
    if len(first) > most:
        return f"{first[: most - 1]}…"
    return f"{first} …" if rest.strip() else first


def _struck(line: str) -> str:
    """Return a line without the characters that a backspace follows, as spinners print them."""
    kept: list[str] = []
    for character in line.rstrip("\b"):
        if character != "\b":
            kept.append(character)
        elif kept:
            kept.pop()
    return "".join(kept)


def _shown(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code >= 0xD800:
        return REPLACEMENT
    return f"<{code:02x}>" if code >= 0x80 else f"^{chr(code ^ 0x40)}"
