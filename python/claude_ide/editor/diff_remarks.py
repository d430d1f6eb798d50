"""What the user says about a proposed edit, in words for its agent."""

from collections.abc import Sequence

from claude_ide.base.quotation import MOST, no_command, quoted, span
from claude_ide.editor.port.events import DiffComment, DiffDecided


def on_decision(event: DiffDecided) -> tuple[str, str]:
    """Return what goes with the answer, and what an agent has to be told in its next prompt."""
    said = _said(event.path, event.comments)
    reason = "" if event.accepted else event.reason
    if not said and not reason:
        return "", ""
    done = "accepted" if event.accepted else "rejected"
    head = f"I have {done} your edit of {event.path}"
    if reason:
        lines = ", ".join(span(first, last) for first, last in event.hunks)
        head += f" ({lines}): {reason}" if lines else f": {reason}"
    else:
        head += "."
    answer = "" if event.accepted else "\n\n".join([*([reason] if reason else []), *said])
    return answer, "\n\n".join([head, *said])


def on_edit(path: str, comments: Sequence[DiffComment]) -> str:
    """Return the comments on an edit that was decided elsewhere."""
    return "\n\n".join([f"About your edit of {path}:", *_said(path, comments)])


def _said(path: str, comments: Sequence[DiffComment]) -> list[str]:
    def words(each: DiffComment) -> str:
        lines = [f"-{line}" for line in each.lines] if each.is_removed else each.lines
        heading = f"{no_command(path)}, {span(each.first, each.last)}"
        return f"{quoted(heading, lines, MOST)}\n{each.words}"

    return [words(each) for each in comments]
