"""How files and their lines are named and quoted in a text for an agent.

A text may begin with any of it: none is a command of an agent, such as `!sh x/a.py` or `/clear`.
"""

import re
from collections.abc import Sequence

from claude_ide.base.paths import within

MOST_LINES = 20
"""Lines of a quotation from a file, which the agent can read."""

PLAIN = re.compile(r"[\w.]|/[^\s/]+/", re.ASCII)
COMMAND = re.compile(r"[!#/]")
"""Begins a command of an agent, or a note for its memory."""
BLANK = re.compile(r"\s")
UNPRINTABLE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f]")


def shown(path: str, folder: str) -> str:
    """Return a path as an agent in a folder knows it."""
    return UNPRINTABLE.sub("?", within(path, folder))


def named(path: str, folder: str) -> str:
    """Return the same, with which a text can begin."""
    return no_command(shown(path, folder))


def no_command(path: str) -> str:
    """Return a path with which a prompt can begin: `!sh x/a.py` would be a command."""
    if PLAIN.match(path):
        return path
    return f"/.{path}" if path.startswith("/") else f"./{path}"


def fenced(language: str, text: str) -> str:
    """Return a text in a fence of Markdown that nothing in it ends."""
    fence = "`" * max(3, max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def mention(path: str, folder: str, lines: tuple[int, int] | None = None) -> str:
    """Return a mention of a file, perhaps of lines of it, such as `@a.py#L3-9`."""
    name, span = shown(path, folder), ""
    if lines is not None:
        first, last = lines
        span = f"#L{first}" + (f"-{last}" if last > first else "")
    # The CLI reads a path with blanks only if it is quoted, together with the lines.
    return f'@"{name}{span}"' if BLANK.search(name) else f"@{name}{span}"


def span(first: int, last: int) -> str:
    """Return lines in words."""
    return f"line {first}" if first == last else f"lines {first}-{last}"


def quoted(heading: str, lines: Sequence[str], most: int | None = None) -> str:
    """Return lines below a heading, each with the mark of a quotation."""
    shown_lines = [f"> {UNPRINTABLE.sub('', line)}" for line in lines[:most]]
    more = ["> …"] if most is not None and len(lines) > most else []
    return "\n".join([f"{heading}:", *shown_lines, *more])
