"""The line that says how a turn has ended, and what it has left to review."""

from claude_ide.agents.events import TurnEndReason
from claude_ide.config import ReviewConfig
from claude_ide.editor.attention import Attention, Session

STOPPED = (TurnEndReason.INTERRUPTED, TurnEndReason.REDIRECTED)
"""Ends that the user has brought about."""


def tell(
    attention: Attention,
    config: ReviewConfig,
    session: Session,
    reason: TurnEndReason,
    counts: tuple[int, int, int],
) -> None:
    """Say how a turn has ended, if it has left something to review, or calls the user."""
    is_told = bool(counts[0]) and config.notify
    calls = reason not in STOPPED
    attention.turn_ended(session, words(reason, counts), is_told=is_told, calls=calls)


def words(reason: TurnEndReason, counts: tuple[int, int, int]) -> str:
    """Return the line; `counts` are the changed files, the added lines and the removed ones."""
    is_done = reason is TurnEndReason.COMPLETED
    ended = "done" if is_done else "stopped" if reason in STOPPED else "failed"
    files, added, removed = counts
    if not files:
        return ended
    noun = "file" if files == 1 else "files"
    return f"{ended}, {files} {noun} +{added} \N{MINUS SIGN}{removed} · :ClaudeReview"
