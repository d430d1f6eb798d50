"""The secrets of this process, which no log may contain."""

MARK = "[hidden]"
"""Stands for a secret in a text."""

_secrets: set[str] = set()


def conceal(secret: str) -> None:
    """Replace a secret in all logs from now on; it must be plain ASCII, as base64 is."""
    _secrets.add(secret)


def without_secrets(text: str) -> str:
    """Return a text with a mark in place of each secret."""
    for secret in _secrets:
        text = text.replace(secret, MARK)
    return text
