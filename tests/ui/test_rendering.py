"""Markdown line by line: what a window shows in place of the source."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claude_ide.ui.markdown import Fence, render
from support.frames import Line


def seen(line: str, fence: Fence | None = None, *, width: int = 80) -> str:
    """Return a line as a window shows it; of a rule, one character beyond its source."""
    row = render(line, fence, width=width).row
    return Line(row.text, looks=[tuple(look) for look in row.looks]).seen


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("plain", "plain"),
        ("a **bold** word", "a bold word"),
        ("*it* and _it_ and ***both***", "it and it and both"),
        ("**a *b* c**", "a b c"),
        ("`code *x*` and ``a ` b``", "code *x* and a ` b"),
        ("[text](a.py#L1) x", "text x"),
        ("![alt](a.png)", "alt"),
        ("[](a.png)", "[](a.png)"),
        (r"\*literal\* \a", r"*literal* \a"),
        ("2 * 3 * 4 and snake_case_name", "2 * 3 * 4 and snake_case_name"),
        ("`open **b**", "`open b"),
        ("__bold words__ and __init__.py", "bold words and __init__.py"),
        ("## A *big* heading", "A big heading"),
        ("#", "#"),
        ("- item", "• item"),
        ("  * *item*", "  • item"),
        ("- [ ] open", "☐ open"),
        ("+ [x] done", "☑ done"),
        ("12. item", "12. item"),
        ("> said *so*", "▎ said so"),
        ("> > - deep", "▎ ▎ • deep"),
        ("---", "────"),
        ("* * *", "──────"),
        ("```python", "python"),
        ("~~~", ""),
        ("- ```sh", "- sh"),
        ("> ```py", "▎ py"),
        ("ä **ö🙂** `ü`", "ä ö🙂 ü"),
    ],
)
def test_marks_are_concealed(line: str, expected: str) -> None:
    assert seen(line) == expected


def test_nothing_in_code_is_rendered() -> None:
    fence = Fence("```", "python")

    assert seen("# **bold** - `x`", fence) == "# **bold** - `x`"
    assert seen("```", fence) == ""
    assert seen("> x", fence) == "> x"


def test_a_quoted_fence_ends_with_the_quotation() -> None:
    fence = render("> ```py").fence

    assert fence == Fence("```", "py", 1)
    assert render("> x", fence).fence == fence
    assert render("> ```", fence).fence is None
    assert render("# after", fence) == render("# after")


def test_the_target_of_a_link_is_shown_in_a_line_that_wraps() -> None:
    line = "**See** [this](https://example.org/a)"

    assert seen(line, width=len(line)) == "See this"
    assert seen(line, width=len(line) - 1) == "See [this](https://example.org/a)"


@given(st.text(st.sampled_from("ab *_`[]()\\>#-~ä🙂:/h1.x|"), max_size=40))
def test_looks_are_within_the_line_and_on_character_boundaries(line: str) -> None:
    row = render(line, width=80).row

    source = row.text.encode()
    for look in row.looks:
        assert 0 <= look.first <= look.last <= len(source)
        source[: look.first].decode()
        source[: look.last].decode()
