"""Texts of files that may not be UTF-8: without loss, as the user reads them, and in a buffer.

A text without loss has a surrogate for each byte that is not UTF-8 (PEP 383): it is that of exactly
one content. Its line ends are those of ASCII, as in all encodings whose texts have no NUL.
"""

import re

from claude_ide.base.errors import UserError
from claude_ide.editor.port.files import NewText
from claude_ide.editor.port.review import ShownBuffer
from claude_ide.review.baseline import Texts, lines_of

UTF_8 = "utf-8"
USUAL = "latin1"
"""How editors read what is not UTF-8, unless the user has set 'fileencodings'."""

CONTROLS = re.compile(rb"[\0-\x08\x0e-\x1a\x1c-\x1f]")
"""What no text has."""


def decoded(content: bytes) -> str | None:
    """Return the text of a content, without loss; None if it is no text."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        is_text = not CONTROLS.search(content)
        return content.decode(UTF_8, "surrogateescape") if is_text else None
    return None if "\0" in text else text


def encoded(text: str) -> bytes:
    """Return the content of a text without loss."""
    return text.encode(UTF_8, "surrogateescape")


def readable(text: str, encoding: str = UTF_8) -> str:
    """Return a text without loss as the user reads it in a buffer with this 'fileencoding'."""
    if encoding == UTF_8 and is_utf8(text):
        return text
    try:
        return encoded(text).decode(USUAL if encoding == UTF_8 else encoding, "replace")
    except LookupError:
        return encoded(text).decode(USUAL)


def lines_shown(texts: Texts, encoding: str = UTF_8) -> tuple[list[str], list[str]]:
    """Return the lines of the base and of the text now, as the user reads them."""
    base, now = (lines_of(readable(each or "", encoding)) for each in (texts.base, texts.now))
    return base, now


def are_alike(*texts: str | None) -> bool:
    """Return whether texts can be of one encoding: a buffer has only one."""
    return len({is_utf8(text) for text in texts if text and not text.isascii()}) < 2


def of_buffer(buffer: ShownBuffer) -> str:
    """Return the text of a buffer, without loss. Raises `UserError` if it cannot be written so."""
    if buffer.encoding == UTF_8:
        return buffer.text
    try:
        return buffer.text.encode(buffer.encoding).decode(UTF_8, "surrogateescape")
    except UnicodeEncodeError:
        reason = "lacks some of its characters"
    except LookupError:
        reason = "is not known here"
    raise UserError(f"{buffer.path}: its encoding ({buffer.encoding}) {reason}")


def for_buffer(text: str, encoding: str) -> NewText:
    """Return a text without loss for a buffer with this 'fileencoding', which may get another."""
    try:
        return NewText(encoded(text).decode(encoding))
    except (UnicodeDecodeError, LookupError):
        return NewText(encoded(text).decode(USUAL), encoding=USUAL)


def is_utf8(text: str) -> bool:
    """Return whether the content of a text is UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
