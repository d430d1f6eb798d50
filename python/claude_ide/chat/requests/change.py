"""Proposed changes in words.

A unified diff of a file contains all that the change does. An agent that cannot read the user's
changes of its proposal gets them as its next prompt.
"""

from collections.abc import Sequence
from dataclasses import replace

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


def instead_of_files(proposed: Sequence[Proposal], texts: Sequence[str], root: str) -> str:
    """Return the user's versions of proposed files; paths below `root` are relative to it."""
    pairs = zip(proposed, texts, strict=True)
    versions = [_of_file(replace(each, text=text), root) for each, text in pairs]
    return "\n\n".join(["Make this change instead of the one that you proposed.", *versions])


def instead_of_plan(plan: str) -> str:
    """Return the user's version of a plan."""
    return f"I have changed your plan. It now reads:\n\n{plan}"


def _of_file(version: Proposal, root: str) -> str:
    path = within(version.path, root)
    if diff := unified(version):
        return f"{path}:\n{_fenced('diff', diff)}"
    return f"The whole text of {path}:\n{_fenced('', version.text.splitlines())}"


def _fenced(language: str, lines: Sequence[str]) -> str:
    longest = max((len(line) - len(line.lstrip("`")) for line in lines), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([fence + language, *lines, fence])
