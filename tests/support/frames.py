"""Applies the frames of a chat as an editor does, to check the resulting lines."""

from dataclasses import dataclass, field
from typing import Any

from claude_ide.agents.events import Event, ToolEnded
from claude_ide.agents.requests import Asked
from claude_ide.chat.answers import Requests
from claude_ide.chat.transcript.transcript import Transcript
from claude_ide.ui.sheet import Action

MOST_FRAMES = 1000


@dataclass
class Line:
    """A line with its highlights, its parts and its language."""

    text: str
    marks: list[tuple[int, int, str]] = field(default_factory=list)
    parts: list[tuple[int, str]] = field(default_factory=list)
    language: str = ""
    looks: list[tuple[Any, ...]] = field(default_factory=list)

    @property
    def seen(self) -> str:
        """The line as a window shows it without the cursor; a rule is cut off."""
        source, shown, at = self.text.encode(), "", 0
        for first, last, text, _, how in sorted(self.looks, key=_place):
            shown += source[at:first].decode() + text[: 1 if how == "overlay" else None]
            at = max(at, last)
        return shown + source[at:].decode()


def _place(look: tuple[Any, ...]) -> tuple[int, bool]:
    return look[0], look[4] != "inline"


class Drawn:
    """The lines that frames have drawn, and these frames."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.frames: list[dict[str, Any]] = []

    def apply(self, frame: dict[str, Any]) -> None:
        """Draw one frame, and check every number in it."""
        self.frames.append(frame)
        assert frame["edits"] or frame["code"]
        for edit in frame["edits"]:
            self._edit(**edit)
        for first, last, language in frame["code"]:
            assert 0 <= first < last <= len(self.lines)
            for line in self.lines[first:last]:
                line.language = language

    def everything(self, transcript: Transcript) -> "Drawn":
        """Draw all remaining frames."""
        for _ in range(MOST_FRAMES):
            if (frame := transcript.sheet.frame()) is None:
                return self
            self.apply(frame)
        raise AssertionError("there is no end of frames")

    @property
    def text(self) -> list[str]:
        """The texts of the lines."""
        return [line.text for line in self.lines]

    @property
    def parts(self) -> list[tuple[int, str]]:
        """The ids and kinds of all parts, from the top."""
        return [part for line in self.lines for part in line.parts]

    def part(self, text: str) -> tuple[int, int]:
        """Return the part of the first line that starts with `text`, and the line's row in it."""
        row = next(row for row, line in enumerate(self.lines) if line.text.startswith(text))
        return self.part_at(row)

    def part_at(self, row: int) -> tuple[int, int]:
        """Return the part of a row, and the row in it; it is the last part that starts above."""
        began = max(above for above in range(row + 1) if self.lines[above].parts)
        return self.lines[began].parts[-1][0], row - began

    def groups(self, text: str) -> set[tuple[str, str]]:
        """Return the highlights of the first line that starts with `text`: texts and groups."""
        line = next(line for line in self.lines if line.text.startswith(text))
        shown = line.text.encode()
        return {(shown[first:last].decode(), group) for first, last, group in line.marks}

    @property
    def seen(self) -> list[str]:
        """The lines as a window shows them without the cursor."""
        return [line.seen for line in self.lines]

    def _edit(
        self,
        first: int,
        last: int,
        lines: list[str],
        marks: list[Any],
        looks: list[Any],
        parts: list[Any],
    ) -> None:
        assert 0 <= first <= last
        assert first <= len(self.lines)
        new = [Line(text) for text in lines]
        for row, column, end_row, end_column, group in marks:
            assert row == end_row
            # The background of code covers empty lines, too.
            size = len(new[row].text.encode())
            is_empty_code = group == "ClaudeChatCodeBlock" and column == size
            assert 0 <= column < end_column + is_empty_code
            assert end_column <= size
            assert group.startswith(("ClaudeChat", "@"))
            new[row].marks.append((column, end_column, group))
        for row, column, end_column, *shown in looks:
            text, group, how = shown or ("", "", "conceal")
            assert 0 <= column <= end_column <= len(new[row].text.encode())
            assert (column < end_column and len(text) < 2) == (how == "conceal")
            assert not group or group.startswith("ClaudeChat")
            new[row].looks.append((column, end_column, text, group, how))
        for row, id_, kind in parts:
            assert not new[row].parts
            # The editor has one mark per part id, which moves.
            for line in self.lines:
                line.parts = [known for known in line.parts if known[0] != id_]
            new[row].parts.append((id_, kind))
        for line in new:
            assert "\n" not in line.text
            line.text.encode()  # a lone surrogate cannot be sent
        self.lines[first:last] = new


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


class Panel:
    """A transcript with its requests; reading the lines draws all frames first."""

    def __init__(self, **options: Any) -> None:
        self.clock = Clock()
        self.transcript = Transcript("Claude", clock=self.clock, **options)
        self.requests = Requests(self.transcript.sheet, "Claude", self.transcript.root)
        self.drawn = Drawn()

    def handle(self, *happened: Event) -> "Panel":
        """Handle events, and draw after each."""
        for event in happened:
            self.handle_without_drawing(event)
            self.drawn.everything(self.transcript)
        return self

    def handle_without_drawing(self, event: Event) -> None:
        """Handle an event without drawing."""
        if isinstance(event, Asked):
            self.requests.add(event)
        else:
            if isinstance(event, ToolEnded):
                self._remove_answered()
            self.transcript.apply(event)
            self.requests.apply(event)

    def _remove_answered(self) -> None:
        """Remove the requests of programs, which a recorded host has answered by now."""
        for waiting in self.requests:
            if not waiting.asked.tool:
                self.requests.remove(waiting.asked.request)

    def answer(self, request: str, how: str) -> None:
        """Answer a request, if it is waiting."""
        if waiting := self.requests.remove(request):
            self.transcript.answered(waiting.asked.tool, waiting.view.label, how)

    @property
    def waiting(self) -> list[Asked]:
        """The waiting requests, oldest first."""
        return [waiting.asked for waiting in self.requests]

    def request(self, part: int) -> Asked | None:
        """Return the waiting request in a part."""
        waiting = self.requests.at(part)
        return waiting.asked if waiting else None

    @property
    def text(self) -> list[str]:
        """The lines."""
        return self.drawn.everything(self.transcript).text

    def press(self, line: str) -> Action | None:
        """Press on the first line that starts with `line`."""
        return self.transcript.press(*self.drawn.everything(self.transcript).part(line))


def shown(*happened: Event, **options: Any) -> list[str]:
    """Return the lines after some events."""
    return Panel(**options).handle(*happened).text
