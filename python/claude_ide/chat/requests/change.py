"""A proposed change of a file as a unified diff, which contains all that the change does."""

from claude_ide import text_diff
from claude_ide.chat.requests.proposal import Proposal

CONTEXT = 2


def unified(proposed: Proposal) -> tuple[str, ...]:
    """Return the lines of the diff; empty if the change is too large, or nothing changes."""
    lines = text_diff.unified(proposed.original or "", proposed.text, CONTEXT)
    # The position in a new file is obvious.
    return lines if proposed.original else lines[1:]
