"""Text that cannot be shown, or is not Unicode: bytes that are not UTF-8, halves of surrogates.

Neovim's text has such bytes as surrogates (PEP 383). JSON cannot hold them, and models refuse them.
"""

from typing import Any

REPLACEMENT = "\ufffd"
LONGEST_SHOWN = 200


def shown(text: str, most: int = LONGEST_SHOWN) -> str:
    """Return a text of others as one printable line, of at most so many characters."""
    plain = "".join(letter if letter.isprintable() else REPLACEMENT for letter in text)
    return plain if len(plain) <= most else f"{plain[:most]}…"


def readable(value: Any) -> Any:
    """Return the value with U+FFFD in place of surrogates, such as those for undecodable bytes."""
    match value:
        case str():
            return value if value.isascii() else _readable_text(value)
        case dict():
            return {readable(key): readable(item) for key, item in value.items()}
        case list() | tuple():
            return [readable(item) for item in value]
    return value


def _readable_text(text: str) -> str:
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    except UnicodeEncodeError:  # a surrogate that does not represent a byte
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
