"""The line that says how a turn has ended, and what it has left to review."""

from claude_ide.agents.events import TurnEndReason

STOPPED = (TurnEndReason.INTERRUPTED, TurnEndReason.REDIRECTED)
"""Ends that the user has brought about."""


def words(reason: TurnEndReason, counts: tuple[int, int, int]) -> str:
    """Return the line; `counts` are the changed files, the added lines and the removed ones."""
    is_done = reason is TurnEndReason.COMPLETED
    ended = "done" if is_done else "stopped" if reason in STOPPED else "failed"
    files, added, removed = counts
    if not files:
        return ended
    noun = "file" if files == 1 else "files"
    return f"{ended}, {files} {noun} +{added} \N{MINUS SIGN}{removed} · :ClaudeReview"
