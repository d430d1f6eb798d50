"""Why an agent wants an edit: the last sentence that it has said before."""

import re

LONGEST = 300
_CODE = re.compile(r"^(```|~~~).*?(^\1|\Z)", re.DOTALL | re.MULTILINE)
_MARKS = re.compile(r"^\s*(#+|[-*+>]|\d+[.)])\s+|[*`]")
_END = re.compile(r"(?<=[.!?])\s+")


def sentence(text: str) -> str:
    """Return the last sentence of a text in Markdown, without its marks; empty if it has none."""
    lines = [_MARKS.sub("", line).strip() for line in _CODE.sub("", text).splitlines()]
    paragraph: list[str] = []
    for line in reversed(lines):
        if line:
            paragraph.insert(0, line)
        elif paragraph:
            break
    return _END.split(" ".join(paragraph))[-1].rstrip(":")[:LONGEST]
