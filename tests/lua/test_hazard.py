"""`colouring.lua`: which texts must not reach a parser."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.chunks import chunk
from support.hostile import DEEP, OSC
from support.neovim import ROOT, Neovim

OBSTACLE = "return (require('claude_ide.colouring').obstacle(...))"
DEPTHS = chunk("hazard/depths")
SIGNS = st.sampled_from(
    ["> ", ">", "- ", "* ", "+ ", "1. ", "23) ", "   ", "     ", "\t", "-\t", "  ", "x "]
)
ROWS = st.tuples(st.lists(SIGNS, max_size=12), st.integers(1, 8), st.sampled_from(["a", "", "- b"]))
DOCUMENTS = st.lists(
    ROWS.map(lambda row: "".join(row[0]) * row[1] + row[2]), min_size=1, max_size=40
).map("\n".join)


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP.keys())
async def test_deep_nesting_is_found(nvim: Neovim, text: str) -> None:
    assert await nvim.lua(OBSTACLE, text) == "deeply nested blocks"
    assert await nvim.lua(OBSTACLE, f"fine\n\n{text}\n\nfine\n") == "deeply nested blocks"


@pytest.mark.parametrize("before", ["--- ", "// ", "# ", "x = '", " * ", '    """', "<li>"])
async def test_deep_nesting_inside_another_language_is_found(nvim: Neovim, before: str) -> None:
    assert await nvim.lua(OBSTACLE, before + "> " * 60) == "deeply nested blocks"
    over_lines = "\n".join(f"// {'  ' * depth}- a" for depth in range(60))
    assert await nvim.lua(OBSTACLE, over_lines) == "deeply nested blocks"


@pytest.mark.parametrize("text", [OSC, "a\x1b", "\x07", "\x9d", "c\x9b", "\x00", b"a\x9b", b"\x9d"])
async def test_control_characters_are_found(nvim: Neovim, text: str | bytes) -> None:
    assert await nvim.lua(OBSTACLE, text) == "control characters"


async def test_accepted_text_is_nested_at_most_a_hundred_levels_deep(nvim: Neovim) -> None:
    examples: list[str] = []

    @settings(max_examples=200, suppress_health_check=[HealthCheck.differing_executors])
    @given(DOCUMENTS)
    def collect(text: str) -> None:
        examples.append(text)

    collect()
    depths = await nvim.lua(DEPTHS, examples)

    assert max(depths) > 10
    assert max(depths) <= 100


@pytest.mark.parametrize(
    "text",
    [
        "-" * 200,
        "- " * 40,
        "=" * 300,
        ">>>>>>> theirs\n",
        "".join(f"{'  ' * depth}- a\n" for depth in range(45)),
        "".join(f'{" " * 200}"key": [1, -2, 3],\n' for _ in range(30)),
        "x = -1 - 2 + 3 * 4 - 5\n" * 100,
        "".join(f"{number}. item\n" for number in range(500)),
        "äöü 漢字 🙂 \u2028 “quoted”\t\f\r\n",
        "| a | - | - |\n" * 100,
        "- **a** change of `one` thing\n" * 2000,
    ],
)
async def test_ordinary_text_is_accepted(nvim: Neovim, text: str) -> None:
    assert await nvim.lua(OBSTACLE, text) is None
    assert await nvim.lua(OBSTACLE, text, "markdown") is None


async def test_files_of_this_project_are_accepted(nvim: Neovim) -> None:
    paths = [*ROOT.glob("*.md"), *(ROOT / "lua").rglob("*.lua"), ROOT / "doc" / "claude_ide.txt"]

    found = {path: await nvim.lua(OBSTACLE, path.read_text("utf-8")) for path in paths}

    assert {path: reason for path, reason in found.items() if reason} == {}


@pytest.mark.parametrize(
    ("text", "language", "reason"),
    [
        ("x\n" * 600_000, "lua", "its size"),
        ("x\n" * 60_000, "markdown", "its size"),
        ("x" * 6000, "lua", "a very long line"),
        ("words\n" * 1500, "markdown", "a very long paragraph"),
        ("words\r\n" * 1500, "markdown", "a very long paragraph"),
        ("words\r" * 900, "markdown", "a very long line"),
    ],
)
async def test_text_that_parses_slowly_is_found(
    nvim: Neovim, text: str, language: str, reason: str
) -> None:
    assert await nvim.lua(OBSTACLE, text, language) == reason
