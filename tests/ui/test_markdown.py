"""Markdown line by line: the highlights, in bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claude_ide.ui.markdown import Fence, render
from support.cpu_time import is_linear


def groups(line: str, fence: Fence | None = None) -> list[tuple[str, str]]:
    """Return the highlighted texts and their groups, without the common prefix."""
    row = render(line, fence).row
    shown = row.text.encode()
    return [
        (shown[first:last].decode(), group.removeprefix("ClaudeChat"))
        for first, last, group in row.marks
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", []),
        ("plain text", []),
        ("# A *big* heading", [("# A *big* heading", "Heading"), ("*big*", "Italic")]),
        ("#hashtag", []),
        ("####### seven", []),
        ("> said *so*", [("> said *so*", "Quote"), ("*so*", "Italic")]),
        ("- item", [("-", "List")]),
        ("  12. item", [("12.", "List")]),
        ("* *item*", [("*", "List"), ("*item*", "Italic")]),
        ("- [x] done", [("- [x]", "List")]),
        ("-no item", []),
        ("---", [("---", "Meta")]),
        ("* * *", [("* * *", "Meta")]),
        ("a **bold** word", [("**bold**", "Bold")]),
        ("__bold__ and _italic_", [("__bold__", "Bold"), ("_italic_", "Italic")]),
        ("***both***", [("***both***", "Bold"), ("***both***", "Italic")]),
        ("**a *b* c**", [("*b*", "Italic"), ("**a *b* c**", "Bold")]),
        ("2 * 3 * 4", []),
        ("snake_case_name", []),
        ("un*frigging*believable", [("*frigging*", "Italic")]),
        ("**open", []),
        (r"\*escaped\*", []),
        ("`code *x*` and `y`", [("`code *x*`", "Code"), ("`y`", "Code")]),
        ("``a ` b``", [("``a ` b``", "Code")]),
        ("`open **b**", [("**b**", "Bold")]),
        ("[text](a.py#L1) x", [("[text](a.py#L1)", "Link")]),
        ("[f](a(1).py)", [("[f](a(1).py)", "Link")]),
        ("see https://a.b/c_d_e.", [("https://a.b/c_d_e.", "Link")]),
        ("[ ] no link (here)", []),
    ],
)
def test_a_line_is_highlighted(line: str, expected: list[tuple[str, str]]) -> None:
    assert groups(line) == expected


def test_columns_are_counted_in_bytes() -> None:
    row = render("ä **ö🙂** `ü`").row

    assert [tuple(mark) for mark in row.marks] == [
        (3, 13, "ClaudeChatBold"),
        (14, 18, "ClaudeChatCode"),
    ]


@pytest.mark.parametrize(
    ("line", "fence"),
    [
        ("```", Fence("```", "")),
        ("```Python title=x", Fence("```", "python")),
        ("~~~~ c++", Fence("~~~~", "c++")),
        ("- ```sh", Fence("```", "sh")),
        ("    ```js", Fence("```", "js")),
    ],
)
def test_a_fence_opens(line: str, fence: Fence) -> None:
    row, opened, _ = render(line)

    assert opened == fence
    assert row.marks == ((0, len(line), "ClaudeChatFence"),)


@pytest.mark.parametrize("line", ["``` `x`", "``", "text ```"])
def test_a_line_that_resembles_a_fence_opens_none(line: str) -> None:
    assert render(line).fence is None


def test_every_line_in_a_fence_is_code_until_it_closes() -> None:
    fence = Fence("```", "py")

    assert groups("# **no heading**", fence) == [("# **no heading**", "CodeBlock")]
    assert render("```py", fence).fence == fence
    assert render("~~~", fence).fence == fence
    assert render("````", fence).fence is None
    assert render("  ```  ", fence).fence is None
    assert render("", fence) == (("", ((0, 0, "ClaudeChatCodeBlock"),), ()), fence, False)


def test_a_very_long_line_is_not_searched() -> None:
    assert groups("**a** " * 5000) == []


@given(st.text(st.sampled_from("ab *_`[]()\\>#-~ä🙂:/h"), max_size=40))
def test_marks_are_within_the_line_and_on_character_boundaries(line: str) -> None:
    row = render(line).row

    shown = row.text.encode()
    for first, last, _ in row.marks:
        assert 0 <= first < last <= len(shown)
        shown[:first].decode()
        shown[:last].decode()


@pytest.mark.parametrize("piece", ["[", "`", "*a", "``` ", "](", "__", "\\", "[a](", "https://"])
def test_highlighting_many_opening_marks_takes_linear_time(piece: str) -> None:
    assert is_linear(lambda size: render((piece * size)[:size]), 10_000)
