"""`chat/window/bar.lua`: rows pinned to the top right corner of a transcript."""

from typing import Any

import pytest

from support.chats import Chats, edit
from support.chunks import chunk
from support.neovim import Neovim, until

ROWS = [[["✔ ", "ClaudeChatTodoDone"], ["one", "ClaudeChatTodo"]], [["two", "ClaudeChatTodo"]]]
PINS = chunk("chat_pin/pins")


def drawn(rows: list[Any]) -> dict[str, Any]:
    """A page, as the host sends it."""
    lines = ["".join(["", *(text for text, _ in row)]) for row in rows]
    marks = [[at, 0, len(line.encode()), rows[at][0][1]] for at, line in enumerate(lines)]
    return {"lines": [f" {line} " for line in lines], "marks": marks}


async def pin(nvim: Neovim, rows: list[Any], id_: int = 1) -> list[Any]:
    await nvim.lua("require('claude_ide.chat.state').set(...)", id_, {"pinned": drawn(rows)})
    pins: list[Any] = await nvim.lua(PINS)
    return pins


@pytest.mark.parametrize("side", ["right", "left", "above", "below", "float", "tab"])
async def test_rows_are_pinned_to_the_corner(nvim: Neovim, chats: Chats, side: str) -> None:
    await chats.open(side=side)
    (found,) = await pin(nvim, ROWS)
    await nvim.command("redraw")

    assert [line.strip() for line in found["lines"]] == ["✔ one", "two"]
    assert found["focusable"] is False
    assert any("✔ one" in line for line in nvim.screen.lines())
    assert await chats.is_typing()


async def test_pinned_rows_do_not_cover_the_winbar(nvim: Neovim, chats: Chats) -> None:
    await chats.open()
    bars = {"transcript": {"left": [], "right": [["$1.23", "ClaudeChatMeta"]]}}
    await chats.show_bars(bars)
    await pin(nvim, ROWS)
    await nvim.command("redraw")

    assert nvim.screen.lines()[0].endswith("$1.23")
    assert nvim.screen.lines()[1].endswith("✔ one")


async def test_rows_are_updated_in_place(nvim: Neovim, chats: Chats) -> None:
    await chats.open()
    (before,) = await pin(nvim, ROWS)

    (after,) = await pin(nvim, [*ROWS, [["three and more", "ClaudeChatTodo"]]])

    assert after["win"] == before["win"]
    assert after["height"] == 3
    assert after["width"] > before["width"]


async def test_pinning_no_rows_removes_the_float(nvim: Neovim, chats: Chats) -> None:
    await chats.open()
    await pin(nvim, ROWS)

    assert await pin(nvim, []) == []


async def test_pinned_rows_are_hidden_and_shown_with_the_panel(nvim: Neovim, chats: Chats) -> None:
    await chats.open()
    await pin(nvim, ROWS)
    await chats.toggle()
    await chats.hidden()
    assert await nvim.lua(PINS) == []
    assert await pin(nvim, ROWS[:1]) == []

    await chats.open()

    (found,) = await nvim.lua(PINS)
    assert len(found["lines"]) == 1


async def test_rows_can_be_pinned_while_another_tabpage_is_shown(
    nvim: Neovim, chats: Chats
) -> None:
    await chats.open()
    await nvim.keys("<Esc>")
    await nvim.command("tabnew")
    assert await pin(nvim, ROWS) == []

    await nvim.command("tabprevious")

    await until(lambda: nvim.lua(PINS))


async def test_a_narrow_transcript_has_no_pinned_rows(nvim: Neovim, chats: Chats) -> None:
    await chats.open(size=60)
    (found,) = await pin(nvim, [[["long " * 20, "ClaudeChatTodo"]]])
    assert found["width"] == 36
    await nvim.keys("<Esc>:vertical resize 19<CR>")

    await until(lambda: _is_gone(nvim))


async def _is_gone(nvim: Neovim) -> bool:
    return not await nvim.lua(PINS)


async def test_rows_without_room_are_left_out(nvim: Neovim, chats: Chats) -> None:
    await chats.open()
    rows = [[[f"item {number}", "ClaudeChatTodo"]] for number in range(100)]

    (found,) = await pin(nvim, rows)

    assert found["height"] < 20
    assert [line.strip() for line in found["lines"]][:2] == ["item 0", "item 1"]


async def test_pinned_rows_are_hidden_while_the_user_reads(nvim: Neovim, chats: Chats) -> None:
    await chats.open()
    await chats.draw(edit(0, 0, ["one", "two", "three"]))
    await pin(nvim, ROWS)
    await chats.enter_transcript(3)
    assert len(await nvim.lua(PINS)) == 1

    await nvim.keys("k")
    await until(lambda: _is_gone(nvim), "the rows are hidden")
    assert await pin(nvim, ROWS) == []

    await nvim.keys("G")
    await until(lambda: nvim.lua(PINS), "the rows are back")
    await nvim.keys("k")
    await until(lambda: _is_gone(nvim), "the rows are hidden again")
    await nvim.keys("<C-w>j")
    await until(lambda: nvim.lua(PINS), "the rows are back in the prompt")
