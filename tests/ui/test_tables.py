"""Tables of Markdown: found line by line, aligned once they are complete."""

import pytest

from claude_ide.agents.events import Text, TextDelta, ToolStarted
from claude_ide.ui.markdown import Table, align
from support.frames import Line, Panel

TABLE = "| a | **bold** |\n|---|--:|\n| longer | 1 |"
ALIGNED = ["│ a      │ bold │", "├────────┼──────┤", "│ longer │    1 │"]


def aligned(*lines: str, width: int = 80) -> list[str] | None:
    """Return the lines of a table as a window shows them; None if they stay as they are."""
    rows = align(Table(0, list(lines)), width)
    if rows is None:
        return None
    assert [row.text for row in rows] == list(lines)
    return [Line(row.text, looks=[tuple(look) for look in row.looks]).seen for row in rows]


def seen(*happened: Text | TextDelta | ToolStarted, width: int = 80) -> list[str]:
    """Return what a window shows after these events."""
    panel = Panel()
    panel.transcript.sheet.resize(width)
    return panel.handle(*happened).drawn.seen


def test_columns_are_aligned_by_what_is_visible() -> None:
    assert aligned(*TABLE.split("\n")) == ALIGNED


def test_the_rule_decides_on_which_side_the_text_is() -> None:
    assert aligned("|l|r|c|", "|:--|--:|:-:|", "|left|right|centre|") == [
        "│l   │    r│  c   │",
        "├────┼─────┼──────┤",
        "│left│right│centre│",
    ]


def test_wide_characters_have_their_width() -> None:
    assert aligned("|a|", "|-|", "|日本|", "|✅ é|", "|👩‍💻⚠️|") == [
        "│a   │",
        "├────┤",
        "│日本│",
        "│✅ é│",
        "│👩‍💻⚠️│",
    ]


def test_outer_pipes_may_be_missing() -> None:
    assert aligned("a | b", "--- | ---", "longer | x") == [
        "a      │ b",
        "───────┼───",
        "longer │ x",
    ]


def test_cells_may_be_missing_or_escaped_or_too_many() -> None:
    assert aligned("|a|b|", "|---|---|", r"|x\|y z|", "|1|2|3|", "||") == [
        "│a    │b  │",
        "├─────┼───┤",
        "│x|y z│",
        "│1    │2  │3│",
        "│     │",
    ]


def test_a_rule_that_is_too_long_is_cut() -> None:
    assert aligned("|a|", "|----------|", "|bb|") == ["│a  │", "├───┤", "│bb │"]


def test_marks_stay_visible_where_only_they_fit() -> None:
    """Neovim wraps a line as if nothing of it were concealed."""
    lines = ("|a|b|", "|---|---|", "|**one**|x|", "|longer word|x|")

    assert aligned(*lines, width=17) == [
        "│a          │b  │",
        "├───────────┼───┤",
        "│**one**    │x  │",
        "│longer word│x  │",
    ]


def test_a_table_that_is_wider_than_the_window_stays_as_it_is() -> None:
    lines = TABLE.split("\n")

    assert aligned(*lines, width=12) is None
    assert seen(Text("1", TABLE), width=12) == ["| a | bold |", "|---|--:|", "| longer | 1 |"]


@pytest.mark.parametrize("lines", [["|a|", "|-|", "|" + "x" * 1000 + "|"], ["|a|", *["|-|"] * 300]])
def test_a_very_large_table_stays_as_it_is(lines: list[str]) -> None:
    assert aligned(*lines, width=2000) is None


def test_a_table_is_aligned_when_the_text_continues_below_it() -> None:
    panel = Panel()
    panel.handle(TextDelta("1", f"before\n{TABLE}\n"))
    assert panel.drawn.seen[1] == "| a | bold |"

    panel.handle(TextDelta("1", "\nafter"))

    assert panel.drawn.seen == ["before", *ALIGNED, "", "after"]


def test_a_table_at_the_end_is_aligned_when_the_text_is_over() -> None:
    panel = Panel()
    panel.handle(TextDelta("1", TABLE))
    assert ALIGNED[0] not in panel.drawn.seen

    panel.handle(Text("1", TABLE))

    assert panel.drawn.seen == ALIGNED


def test_tables_that_follow_each_other_are_all_aligned() -> None:
    assert seen(Text("1", f"{TABLE}\n\n{TABLE}\n# x")) == [*ALIGNED, "", *ALIGNED, "x"]


@pytest.mark.parametrize(
    ("width", "shown"), [(27, [f"  {line}" for line in ALIGNED]), (18, ["  | a | bold |"])]
)
def test_the_text_of_a_subagent_has_less_room(width: int, shown: list[str]) -> None:
    panel = Panel()
    panel.transcript.sheet.resize(width)
    panel.handle(ToolStarted("t", "Task", title="look"), Text("1", TABLE, parent="t"))

    panel.press("• Task")

    assert panel.drawn.everything(panel.transcript).seen[1 : 1 + len(shown)] == shown


def test_lines_with_pipes_are_no_table_without_a_rule() -> None:
    text = "a | b\nc | d\n\n> | a |\n> |---|\n```\n|a|\n|-|\n```"

    assert seen(Text("1", text)) == [
        "a | b",
        "c | d",
        "",
        "▎ | a |",
        "▎ |---|",
        "",
        "|a|",
        "|-|",
        "",
    ]


def test_a_table_is_aligned_again_when_the_window_is_resized() -> None:
    panel = Panel().handle(Text("1", f"{TABLE}\n\n[a](b)"))

    panel.transcript.sheet.resize(12)
    narrow = panel.drawn.everything(panel.transcript).seen
    panel.transcript.sheet.resize(40)

    assert narrow[0] == "| a | bold |"
    assert panel.drawn.everything(panel.transcript).seen == [*ALIGNED, "", "a"]
    assert panel.drawn.text == [*TABLE.split("\n"), "", "[a](b)"]
