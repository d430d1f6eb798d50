"""Proposed edits, one-off requests, and the review of what agents have changed."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from claude_ide.editor.port.binding import Payload, notification, request


class Diffs(Protocol):
    """Proposals, each by an id of ours; their events are in `editor/events.py`."""

    @request("diff.open")
    async def open(self, id_: int, diff: Mapping[str, Any]) -> None:
        """Show a proposal as soon as this disturbs nobody (`claude_ide.DiffRequest`)."""
        ...

    @notification("diff.offer")
    def offer(self, id_: int, what: str) -> None:
        """Offer to accept a proposal together with the edits that follow; `what` that allows."""
        ...

    @request("diff.accept")
    async def accept(self, id_: int) -> None:
        """Accept a proposal with its current text."""
        ...

    @notification("diff.close")
    def close(self, id_: int) -> None:
        """Close a proposal that is no longer needed."""
        ...

    @notification("diff.accepted.settle")
    def report_written(self, id_: int, is_written: bool = ...) -> None:
        """Report whether an accepted text was written; otherwise the editor looks at the file.

        A text that the user had edited, and that was not written, stays in a buffer.
        """
        ...

    @notification("diff.winbar.tell")
    def explain(self, launch: str, path: str, words: str) -> None:
        """Say why the CLI of a launch edits a file; empty if the edit is over.

        Its diff may open later.
        """
        ...


class BufferText(Payload, frozen=True):
    """All lines of a buffer, each with its end, and its 'changedtick'."""

    tick: int
    text: str

    @property
    def lines(self) -> list[str]:
        """The lines of the text."""
        return lines_of(self.text)


class Lines(Payload, frozen=True):
    """Lines, each with its end."""

    text: str


def lines_of(text: str) -> list[str]:
    """Return the lines of a text, each of which has its end."""
    return text.split("\n")[:-1]


def with_ends(lines: Sequence[str]) -> Lines:
    """Return a text of lines."""
    return Lines("".join(f"{line}\n" for line in lines))


class Question(Protocol):
    """One-off requests, each by the id that the editor has given it."""

    @request("headless.update")
    async def update(self, id_: int, news: Mapping[str, Any]) -> None:
        """Show news of a running request: its answer so far, or its progress, in a `row`."""
        ...

    @request("headless.finish")
    async def finish(self, id_: int, ended: Mapping[str, Any]) -> None:
        """Report the end of a request: `text`, `result` or `error`."""
        ...

    @request("headless.rewrite.look")
    async def look(self, buffer: int) -> BufferText:
        """Return the lines of a buffer. Raises `EditorError` if they cannot be changed."""
        ...

    @request("file.edit.change")
    async def replace(self, buffer: int, lines: Sequence[str]) -> None:
        """Give a buffer these lines, in one undo step."""
        ...

    @request("headless.rewrite.show")
    async def show_rewrite(self, diff: int, id_: int, proposal: Mapping[str, Any]) -> None:
        """Show a rewrite as a diff: the `text` of the buffer, made from its lines `base`.

        Its events are those of `Diffs`, without the text.
        """
        ...

    @request("headless.rewrite.revise")
    async def revise(self, id_: int, lines: Lines) -> int:
        """Replace the text of a rewrite's proposal; return the number of this version."""
        ...

    @request("headless.rewrite.keep")
    async def keep_rewrite(self, id_: int, lines: Lines, why: str) -> None:
        """Keep lines of a rewrite in a buffer of their own; say why they were not put in."""
        ...

    @request("headless.answer.close")
    async def close_answer(self, id_: int) -> None:
        """Close an answer that goes on in the chat, or has been committed."""
        ...
