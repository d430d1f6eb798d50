"""`chat/transcript/init.lua`: parts of a line look different from the source in the buffer."""

import pytest

from claude_ide.ui.text import cells
from support.chats import Chats, edit
from support.neovim import Neovim, until

LINES = ["a **b**", "---", "|x|", "last"]
LOOKS = [
    [0, 2, 4],
    [0, 5, 7],
    *[[1, at, at + 1, "─", "ClaudeChatMeta", "conceal"] for at in range(3)],
    [1, 3, 3, "─" * 500, "ClaudeChatMeta", "overlay"],
    [2, 2, 2, "  ", "ClaudeChatMeta", "inline"],
]


@pytest.fixture
async def chats(nvim: Neovim) -> Chats:
    chats = await Chats.start(nvim)
    await chats.open(size=20)
    await chats.draw(edit(0, 0, LINES, looks=LOOKS))
    return chats


async def top(chats: Chats, count: int = 4) -> list[str]:
    """Return the first rows of the transcript on the screen."""
    win = (await chats.windows())["transcript"]["win"]
    row, column = await chats.nvim.lua("return vim.fn.win_screenpos(...)", win)
    await chats.nvim.command("redraw")
    bar = await chats.nvim.lua("return vim.fn.getwininfo(...)[1].winbar", win)
    rows = chats.nvim.screen.lines()[row - 1 + bar : row - 1 + bar + count]
    return [line[column - 1 :].rstrip() for line in rows]


async def shows(chats: Chats, expected: list[str]) -> None:
    async def is_shown() -> bool:
        return await top(chats) == expected

    await until(is_shown, f"{expected} is shown")


async def test_marks_are_concealed_and_padding_is_inserted(chats: Chats) -> None:
    await shows(chats, ["a b", "─" * 20, "|x  |", "last"])
    assert await chats.lines() == LINES


async def test_the_line_with_the_cursor_shows_its_source(nvim: Neovim, chats: Chats) -> None:
    await chats.enter_transcript(1)

    await shows(chats, ["a **b**", "─" * 20, "|x  |", "last"])
    await nvim.keys("j")
    await shows(chats, ["a b", "---" + "─" * 17, "|x  |", "last"])


async def test_an_edit_replaces_the_looks_of_its_lines(chats: Chats) -> None:
    await chats.draw(edit(0, 1, ["a **b**"]), edit(2, 3, ["|x|"]))

    await shows(chats, ["a **b**", "─" * 20, "|x|", "last"])


async def test_an_invalid_look_does_not_affect_the_others(chats: Chats) -> None:
    await chats.draw(edit(0, 1, ["a **b**"], looks=[["x", 0, 0], [0, 2, 4]]))

    await shows(chats, ["a b**", "─" * 20, "|x  |", "last"])


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "日本語",
        "é",
        "e\u0301",
        "✅",
        "⚠️",
        "❤️",
        "👩\u200d💻",
        "👍🏽",
        "🇩🇪🇫🇷",
        "①",
        "1️⃣",
        "…→",
        "ｱ",
        "☑☐",
        "क\u0903 कि",
        "\u1100\u1161\u11a8",
    ],
)
async def test_texts_are_as_wide_as_neovim_shows_them(nvim: Neovim, text: str) -> None:
    assert cells(text) == await nvim.eval(f"strdisplaywidth('{text}')")
