"""A page of parts, and the edits that update the editor's copy of it."""

from typing import Any

from claude_ide.ui.page import Code, Page, Part, row
from support.frames import Drawn
from support.pages import draw, rows


def edits(page: Page) -> list[tuple[int, int, list[str]]]:
    frame = page.frame()
    assert frame is not None
    return [(edit["first"], edit["last"], edit["lines"]) for edit in frame["edits"]]


def page_of(*kinds: str) -> tuple[Page, list[Part]]:
    page = Page()
    parts = [page.add(kind) for kind in kinds]
    for part in parts:
        page.write(part, rows(f"{part.kind} {part.id}"))
    page.frame()
    return page, parts


def test_an_unchanged_page_has_no_frame() -> None:
    page, _ = page_of("text")

    assert page.frame() is None


def test_rows_that_are_rewritten_unchanged_give_no_frame() -> None:
    page, [part] = page_of("text")

    page.write(part, rows("text 1"))

    assert page.frame() is None


def test_parts_are_drawn_in_one_edit_with_blank_lines_between_them() -> None:
    page = Page()
    for kind in ("turn", "text"):
        page.write(page.add(kind), [row((kind, "ClaudeChatUser"))])

    frame = page.frame()

    assert frame == {
        "edits": [
            {
                "first": 0,
                "last": 0,
                "lines": ["turn", "", "text"],
                "marks": [(0, 0, 0, 4, "ClaudeChatUser"), (2, 0, 2, 4, "ClaudeChatUser")],
                "looks": [],
                "parts": [(0, 1, "turn"), (2, 2, "text")],
            }
        ],
        "code": [],
    }


def test_tools_thinking_and_the_end_follow_without_a_blank_line() -> None:
    page, _ = page_of("turn", "thinking", "tool", "tool", "text", "tool", "end", "turn")

    assert page.lines == [
        *("turn 1", "", "thinking 2", "tool 3", "tool 4", "", "text 5", "", "tool 6", "end 7"),
        *("", "turn 8"),
    ]


def test_appended_text_writes_only_its_own_lines() -> None:
    page, [_, part] = page_of("turn", "text")

    page.write(part, rows("one", "two"), first=1)

    assert edits(page) == [(3, 3, ["one", "two"])]


def test_a_part_that_grows_stays_above_the_tail() -> None:
    page, [part] = page_of("text")
    page.write(page.add("queued", tail=True), rows("waits"))
    page.frame()

    page.write(part, rows("more"), first=1)

    assert edits(page) == [(1, 1, ["more"])]
    assert page.lines == ["text 1", "more", "", "waits"]


def test_a_new_part_is_above_the_tail() -> None:
    page, _ = page_of("turn")
    page.write(page.add("request", tail=True), rows("waits"))
    page.frame()

    page.write(page.add("text"), rows("answer"))

    assert edits(page) == [(1, 1, ["", "answer"])]


def test_a_changed_part_in_the_middle_replaces_only_its_lines() -> None:
    page, [_, tool, _] = page_of("turn", "tool", "text")

    page.write(tool, rows("tool done", "output"))

    assert edits(page) == [(2, 3, ["tool done", "output"])]


def test_a_changed_line_in_the_middle_of_a_part_replaces_only_that_line() -> None:
    page, [part] = page_of("text")
    page.write(part, rows("a", "b", "c"))
    page.frame()

    page.write(part, rows("a", "B", "c"))

    assert edits(page) == [(1, 2, ["B"])]


def test_a_rewritten_part_keeps_the_mark_on_its_first_line() -> None:
    """A line inserted before the first must not move the editor's mark down."""
    page, [part] = page_of("tool")

    page.write(part, rows("new", "tool 1"))

    frame = page.frame()
    assert frame is not None
    [edit] = frame["edits"]
    assert (edit["first"], edit["last"]) == (0, 1)
    assert edit["parts"] == [(0, part.id, "tool")]


def test_a_part_that_loses_its_first_line_starts_with_the_next() -> None:
    page = Page()
    part = page.add("tool")
    page.write(part, rows("first", "below"))
    drawn = draw(page, Drawn())

    page.write(part, rows("below"))

    assert draw(page, drawn).parts == [(part.id, "tool")]


def test_a_full_frame_removes_no_lines_without_their_replacement() -> None:
    page, [first, second] = page_of("turn", "text")
    page.write(first, rows("a", "b"))
    page.write(second, rows("c"))

    frame = page.frame(2)

    assert frame is not None
    assert [(edit["last"], edit["lines"]) for edit in frame["edits"]] == [(1, ["a", "b"])]


def test_a_part_can_be_added_below_another() -> None:
    page, [tool, _] = page_of("tool", "text")

    child = page.add("tool", after=tool, depth=1)
    page.write(child, rows("child"))

    assert page.lines == ["tool 1", "child", "", "text 2"]
    assert edits(page) == [(1, 1, ["child"])]


def test_a_removed_part_loses_its_blank_line_too() -> None:
    page, [_, text, _] = page_of("turn", "text", "turn")

    page.remove(text)

    assert edits(page) == [(1, 3, [])]
    assert page.lines == ["turn 1", "", "turn 3"]


def test_a_removed_part_cannot_be_written() -> None:
    page, [_, text] = page_of("turn", "text")
    page.remove(text)

    page.write(text, rows("late"))

    assert page.lines == ["turn 1"]


def test_a_part_added_and_removed_between_two_frames_is_never_sent() -> None:
    page, _ = page_of("turn")

    part = page.add("text")
    page.write(part, rows("short"))
    page.remove(part)

    assert page.frame() is None


def test_a_frame_has_a_limit_of_lines_and_the_next_has_the_rest() -> None:
    page, [part] = page_of("text")
    page.write(part, rows(*(f"line {number}" for number in range(1000))))

    frames = []
    while (frame := page.frame()) is not None:
        frames.append(sum(len(edit["lines"]) for edit in frame["edits"]))

    assert frames == [300, 300, 300, 100]


def test_a_closed_fence_is_sent_with_its_rows_in_the_buffer() -> None:
    page, [_, part] = page_of("turn", "text")

    page.write(part, rows("```py", "print()", "```"), first=1, code=[Code(2, 3, "py")])

    frame = page.frame()
    assert frame is not None
    assert frame["code"] == [(4, 5, "py")]


def test_a_fence_is_sent_when_all_of_it_is_drawn() -> None:
    page = Page()
    part = page.add("text")
    page.write(part, rows("```py", "1", "2", "3", "```"), code=[Code(1, 4, "py")])

    frames = []
    while (frame := page.frame(2)) is not None:
        frames.append(frame["code"])

    assert frames == [[], [], [(1, 4, "py")]]


def test_a_fence_is_sent_once() -> None:
    page, [part] = page_of("text")
    page.write(part, rows("```py", "1", "```"), code=[Code(1, 2, "py")])
    page.frame()

    page.write(part, rows("below"), first=3)

    frame = page.frame()
    assert frame is not None
    assert frame["code"] == []


def test_a_fence_is_sent_though_its_last_line_was_drawn_before_it_closed() -> None:
    """The line is complete only with its line break, which is not visible."""
    page, [part] = page_of("text")
    page.write(part, rows("```py", "1", "```"))
    page.frame()

    page.write(part, rows("```"), first=2, code=[Code(1, 2, "py")])

    assert page.frame() == {"edits": [], "code": [(1, 2, "py")]}
    assert page.frame() is None


def test_a_fence_is_sent_again_when_its_lines_are_rewritten() -> None:
    page, [part] = page_of("text")
    page.write(part, rows("```py", "1", "```"), code=[Code(1, 2, "py")])
    page.frame()

    page.write(part, rows("```py", "2", "```"), code=[Code(1, 2, "py")])

    frame = page.frame()
    assert frame is not None
    assert frame["code"] == [(1, 2, "py")]


def test_after_redraw_everything_is_replaced() -> None:
    page, _ = page_of("turn", "text")
    drawn = Drawn()
    drawn.apply({"edits": [stale("something else")], "code": []})

    page.redraw()

    assert draw(page, drawn).text == ["turn 1", "", "text 2"]
    assert drawn.parts == [(1, "turn"), (2, "text")]


def test_after_redraw_fences_are_sent_again() -> None:
    page, [part] = page_of("text")
    page.write(part, rows("```py", "1", "```"), code=[Code(1, 2, "py")])
    page.frame()

    page.redraw()

    frame = page.frame()
    assert frame is not None
    assert frame["code"] == [(1, 2, "py")]


def test_an_empty_page_can_be_redrawn() -> None:
    drawn = Drawn()
    drawn.apply({"edits": [stale("something else")], "code": []})
    page = Page()

    page.redraw()

    assert draw(page, drawn).text == []


def stale(line: str) -> dict[str, Any]:
    return {"first": 0, "last": 0, "lines": [line], "marks": [], "looks": [], "parts": []}


def test_the_new_kind_of_a_part_is_sent_with_its_first_row() -> None:
    page, drawn = Page(), Drawn()
    page.write(page.add("turn"), rows("first"))
    part = page.add("request:cut", tail=True)
    page.write(part, rows("asks", "y"))
    drawn.apply(page.frame() or {})

    page.write(part, [], len(part.rows) - part.lead, kind="request")
    frame = page.frame() or {}
    drawn.apply(frame)

    assert drawn.parts[-1] == (part.id, "request")
    assert drawn.text == page.lines
    assert [edit["lines"] for edit in frame["edits"]] == [["asks"]]
    assert page.frame() is None
    page.write(part, [], len(part.rows) - part.lead, kind="request")
    assert page.frame() is None
