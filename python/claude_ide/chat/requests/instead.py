"""Words for an agent that cannot read the user's changes of its proposal: its next prompt."""

from collections.abc import Sequence
from dataclasses import replace

from claude_ide.chat.requests import change
from claude_ide.chat.requests.proposal import Proposal
from claude_ide.paths import within


def of_files(proposed: Sequence[Proposal], texts: Sequence[str], root: str) -> str:
    """Return the user's versions of proposed files; paths below `root` are relative to it."""
    pairs = zip(proposed, texts, strict=True)
    versions = [_of_file(replace(each, text=text), root) for each, text in pairs]
    return "\n\n".join(["Make this change instead of the one that you proposed.", *versions])


def of_plan(plan: str) -> str:
    """Return the user's version of a plan."""
    return f"I have changed your plan. It now reads:\n\n{plan}"


def _of_file(version: Proposal, root: str) -> str:
    path = within(version.path, root)
    if diff := change.unified(version):
        return f"{path}:\n{_fenced('diff', diff)}"
    return f"The whole text of {path}:\n{_fenced('', version.text.splitlines())}"


def _fenced(language: str, lines: Sequence[str]) -> str:
    longest = max((len(line) - len(line.lstrip("`")) for line in lines), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([fence + language, *lines, fence])
