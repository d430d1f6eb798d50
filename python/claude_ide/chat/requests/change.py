"""A proposed change of a file as a unified diff, which contains all that the change does."""

from collections.abc import Sequence

from claude_ide import text_diff
from claude_ide.chat.requests.proposal import Proposal
from claude_ide.paths import within

CONTEXT = 2


def unified(proposed: Proposal) -> tuple[str, ...]:
    """Return the lines of the diff; empty if the change is too large, or nothing changes."""
    lines = text_diff.unified(proposed.original or "", proposed.text, CONTEXT)
    # The position in a new file is obvious.
    return lines if proposed.original else lines[1:]


def of_files(proposed: Sequence[Proposal], root: str) -> tuple[str, ...]:
    """Return the diffs of several files, each below its path; empty if one is not known.

    Paths below `root` are relative to it.
    """
    if len(proposed) == 1:
        return unified(proposed[0])
    diffs = [(f"{within(each.path, root)}:", *unified(each)) for each in proposed]
    is_known = all(len(diff) > 1 for diff in diffs)
    return tuple(line for diff in diffs for line in diff) if is_known else ()
