"""Random changes of a page: its frames always add up to it."""

from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from claude_ide.ui.page import Code, Page, Part, row
from support.frames import Drawn
from support.pages import draw

KINDS = st.sampled_from(["turn", "text", "thinking", "tool", "request", "notice", "end"])


TEXTS = st.lists(st.sampled_from(["", "a", "b", "c", "ä ö", "```"]), max_size=6)


class Chaos:
    """A page with any changes in any order."""

    def __init__(self, choose: Callable[[st.SearchStrategy[Any]], Any]) -> None:
        self.page = Page()
        self.drawn = Drawn()
        self.parts: list[Part] = []
        self.choose = choose

    def step(self) -> None:
        happens = self.choose(
            st.sampled_from(
                [
                    *([self.add] * 3),
                    *([self.write] * 5),
                    *(self.rename, self.remove, self.draw, self.fail, self.trim),
                ]
            )
        )
        happens()

    def add(self) -> None:
        after = self.choose(st.sampled_from([None, *self.parts]))
        kind, tail = self.choose(KINDS), after is None and self.choose(st.booleans())
        self.parts.append(self.page.add(kind, after=after, tail=tail))

    def write(self) -> None:
        if self.parts:
            part = self.choose(st.sampled_from(self.parts))
            length = max(len(part.rows) - part.lead, 0)
            first = self.choose(st.integers(0, length))
            new = [row((text, "ClaudeChatText")) for text in self.choose(TEXTS)]
            code = [Code(first, first + len(new) - 1, "py")] if len(new) > 1 and first else []
            self.page.write(part, new, first, code)

    def rename(self) -> None:
        """Rename a part of the tail: for other parts the kind also determines blank lines."""
        if parts := [part for part in self.parts if part.tail]:
            kind = self.choose(st.sampled_from(["request", "request:cut"]))
            part = self.choose(st.sampled_from(parts))
            self.page.write(part, [], max(len(part.rows) - part.lead, 0), kind=kind)

    def remove(self) -> None:
        if self.parts:
            self.page.remove(self.choose(st.sampled_from(self.parts)))

    def draw(self) -> None:
        frame = self.page.frame(self.choose(st.integers(1, 9)))
        if frame is not None:
            self.drawn.apply(frame)

    def fail(self) -> None:
        """Lose a frame, and with it half of the buffer."""
        self.page.frame(3)
        del self.drawn.lines[::2]
        self.page.redraw()

    def trim(self) -> None:
        self.page.trim(most=12, kept=6)


@given(st.data())
def test_the_frames_always_add_up_to_the_page(data: st.DataObject) -> None:
    chaos = Chaos(data.draw)
    for _ in range(data.draw(st.integers(1, 40))):
        chaos.step()

    drawn = draw(chaos.page, chaos.drawn, data.draw(st.integers(1, 9)))

    parts = [part for part in chaos.page.parts if part.rows]
    assert drawn.text == chaos.page.lines
    assert drawn.parts == [(part.id, part.kind) for part in parts if len(part.rows) > part.lead]
    at = 0
    for part in parts:
        for number, each in enumerate(part.rows):
            line = drawn.lines[at + number]
            assert line.marks == [tuple(mark) for mark in each.marks]
            begins = bool(line.parts)
            assert begins == (number == part.lead)
        for first, last, language in part.code:
            inside = drawn.lines[at + part.lead + first : at + part.lead + last]
            assert {line.language for line in inside} == {language}
        at += len(part.rows)
