"""`chat/transcript/init.lua`: draws frames without moving the user's view."""

from typing import Any

import pytest

from support.chats import Chats, edit, numbered
from support.chunks import chunk
from support.neovim import Neovim, until

LINES_WITH_BACKGROUND = """
return vim.iter(vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, { details = true })):map(function(mark)
  return mark[4].line_hl_group and { mark[2], mark[4].line_hl_group } or nil
end):totable()
"""

pytestmark = pytest.mark.usefixtures("open_chat")


MARKS = chunk("chat_transcript/marks")


async def transcript(chats: Chats) -> dict[str, Any]:
    await chats.nvim.command("redraw")
    found: dict[str, Any] = (await chats.windows())["transcript"]
    return found


async def test_a_frame_is_drawn_with_its_marks(nvim: Neovim, chats: Chats) -> None:
    marks = [[0, 0, 0, 3, "ClaudeChatUser"], [1, 2, 1, 5, "ClaudeChatBold"]]

    await chats.draw(edit(0, 0, ["one", "a two"], marks))

    assert await chats.lines() == ["one", "a two"]
    assert await nvim.lua(MARKS, "claude_ide_chat_mark") == [
        [0, 0, 0, 3, "ClaudeChatUser"],
        [1, 2, 1, 5, "ClaudeChatBold"],
    ]


@pytest.mark.parametrize("last", [0, 1])
async def test_the_first_lines_replace_the_empty_line(chats: Chats, last: int) -> None:
    await chats.draw(edit(0, last, ["one"]))
    await chats.draw(edit(1, 1, ["two"]))
    assert await chats.lines() == ["one", "two"]

    await chats.draw(edit(0, 2, []))
    await chats.draw(edit(0, 0, ["three"]), edit(1, 1, ["four"]))

    assert await chats.lines() == ["three", "four"]


async def test_edits_are_applied_in_order(chats: Chats) -> None:
    await chats.draw(edit(0, 0, numbered(4)))

    await chats.draw(edit(1, 3, ["x"]), edit(3, 3, ["end"]), edit(0, 1, ["a", "b"]))

    assert await chats.lines() == ["a", "b", "x", "line 4", "end"]


async def test_an_edit_replaces_the_marks_of_its_lines(nvim: Neovim, chats: Chats) -> None:
    marks = [[row, 0, row, 2, "ClaudeChatBold"] for row in range(3)]
    await chats.draw(edit(0, 0, numbered(3), marks))

    await chats.draw(edit(1, 2, ["new", "newer"], [[1, 0, 1, 5, "ClaudeChatItalic"]]))

    assert await nvim.lua(MARKS, "claude_ide_chat_mark") == [
        [0, 0, 0, 2, "ClaudeChatBold"],
        [2, 0, 2, 5, "ClaudeChatItalic"],
        [3, 0, 3, 2, "ClaudeChatBold"],
    ]


async def test_an_invalid_mark_does_not_affect_the_others(nvim: Neovim, chats: Chats) -> None:
    marks = [["x", 0, 0, 1, "ClaudeChatBold"], [0, 99, 0, 200, "X"], [1, 0, 1, 3, "ClaudeChatBold"]]
    parts = [[0, "x", "turn"], [1, 7, "tool"]]

    await chats.draw(edit(0, 0, ["one", "two"], marks, parts))

    assert await chats.lines() == ["one", "two"]
    assert [1, 0, 1, 3, "ClaudeChatBold"] in await nvim.lua(MARKS, "claude_ide_chat_mark")
    await chats.enter_transcript(2)
    await nvim.keys("<CR>")
    assert (await chats.wait_for_event("press"))["part"] == 7


async def test_drawing_an_unknown_chat_does_nothing(nvim: Neovim, chats: Chats) -> None:
    await chats.draw(edit(0, 0, ["one"]), id_=7)

    assert await chats.lines() == [""]


async def test_the_user_can_neither_edit_nor_undo_the_transcript(
    nvim: Neovim, chats: Chats
) -> None:
    await chats.draw(edit(0, 0, ["one"]))
    await chats.enter_transcript(1)

    assert await nvim.eval("[&modifiable, &modified, &undolevels, &modeline]") == [0, 0, -1, 0]
    await nvim.command("silent! undo")
    assert await chats.lines() == ["one"]


async def test_the_view_follows_the_end_while_the_cursor_is_on_the_last_line(chats: Chats) -> None:
    for number in range(1, 101):
        await chats.draw(edit(number - 1, number - 1, [f"line {number}"]))

    found = await transcript(chats)
    assert found["cursor"][0] == found["bottom"] == 100


@pytest.mark.parametrize("send", ["one<C-s>", "!make<C-s>", "one<Esc>gs", "one<Esc>:w<CR>"])
async def test_a_prompt_that_is_sent_shows_the_end(nvim: Neovim, chats: Chats, send: str) -> None:
    await chats.draw(edit(0, 0, numbered(100)))
    await chats.enter_transcript(3)
    await nvim.keys("i")
    await until(chats.is_typing)
    await chats.draw(edit(100, 100, ["more"]))
    assert (await transcript(chats))["cursor"][0] == 3

    await nvim.keys(send)
    await chats.wait_for_event("send")
    await chats.draw(edit(101, 101, ["answer"]))

    assert (await transcript(chats))["bottom"] == 102


async def test_the_background_of_code_is_as_wide_as_the_window(nvim: Neovim, chats: Chats) -> None:
    group = "ClaudeChatCodeBlock"
    block = {"marks": [[0, 0, 0, 3, group], [1, 0, 1, 0, group]]}
    await chats.draw(edit(0, 0, ["one", "", "three"]) | block)
    await chats.enter_transcript(1)

    assert await nvim.lua(LINES_WITH_BACKGROUND) == [[0, group], [1, group]]


SMOOTH_SCROLLING = """
local moved = {}
vim.api.nvim_create_autocmd('WinScrolled', {
  callback = function()
    for key, change in pairs(vim.v.event) do
      local win = tonumber(key)
      local bufnr = win and vim.api.nvim_win_get_buf(win)
      if win and math.abs(change.topline) > 1 and not moved[win] then
        vim.g.windows_scrolled = (vim.g.windows_scrolled or 0) + 1
        if vim.b[bufnr].snacks_scroll ~= false then
          moved[win] = true
          local tick = vim.api.nvim_buf_get_changedtick(bufnr)
          vim.api.nvim_win_call(win, function()
            local target = vim.fn.winsaveview()
            local top = target.topline - change.topline
            vim.fn.winrestview({ topline = top, lnum = top + 2 })
            vim.defer_fn(function()
              vim.api.nvim_win_call(win, function()
                if vim.api.nvim_buf_get_changedtick(bufnr) == tick then
                  vim.fn.winrestview(target)
                end
              end)
            end, 150)
          end)
        end
      end
    end
  end,
})
"""
"""As snacks.scroll: goes back to where the window was, and on from there until the text changes."""


async def test_a_plugin_that_scrolls_smoothly_keeps_no_prompt_from_showing_the_end(
    nvim: Neovim, chats: Chats
) -> None:
    await chats.draw(edit(0, 0, numbered(100)))
    await chats.enter_transcript(3)
    await nvim.keys("i")
    await until(chats.is_typing)
    await nvim.lua(SMOOTH_SCROLLING)

    await nvim.keys("one<C-s>")
    await chats.wait_for_event("send")
    await until(lambda: nvim.eval("get(g:, 'windows_scrolled') > 0"))
    await chats.draw(edit(100, 100, ["answer"]))

    assert (await transcript(chats))["bottom"] == 101


async def test_many_lines_at_once_fill_the_window(chats: Chats) -> None:
    await chats.draw(edit(0, 0, ["one"]))

    await chats.draw(edit(1, 1, numbered(400)))

    found = await transcript(chats)
    assert found["cursor"][0] == found["bottom"] == 401
    # The last line is at the bottom of a full window, not in its middle.
    assert found["bottom"] - found["top"] == found["height"] - 2


async def test_removing_lines_at_the_end_leaves_no_gap(chats: Chats) -> None:
    height = (await transcript(chats))["height"]
    await chats.draw(edit(0, 0, numbered(height + 3)))
    assert (await transcript(chats))["top"] > 1

    await chats.draw(edit(height - 5, height + 3, ["the end"]))

    assert (await transcript(chats))["top"] == 1


async def test_the_end_of_a_growing_paragraph_stays_visible(nvim: Neovim, chats: Chats) -> None:
    await chats.draw(edit(0, 0, numbered(60)))
    for length in range(1, 60):
        text = " ".join(numbered(length, "word"))
        await chats.draw(edit(60, 60 if length == 1 else 61, [text]))

    await nvim.command("redraw")
    await until(lambda: "word 59" in nvim.screen.text())


async def test_a_cursor_above_the_end_keeps_its_view(nvim: Neovim, chats: Chats) -> None:
    await chats.draw(edit(0, 0, numbered(100)))
    await chats.enter_transcript(50)
    await nvim.keys("zt<C-w>j")
    before = await transcript(chats)
    assert before["top"] == 50

    await chats.draw(edit(99, 100, numbered(100, "new")))

    assert await transcript(chats) == before


async def test_lines_drawn_above_the_view_do_not_move_it(nvim: Neovim, chats: Chats) -> None:
    await chats.draw(edit(0, 0, numbered(100)))
    await chats.enter_transcript(50)
    await nvim.keys("zt")
    await until(lambda: nvim.eval("line('w0') == 50"))

    await chats.draw(edit(2, 3, numbered(20, "output")))

    await nvim.command("redraw")
    assert await nvim.eval("[getline('.'), getline('w0')]") == ["line 50", "line 50"]


async def test_only_a_window_at_or_below_lines_from_above_moves_with_its_text(
    nvim: Neovim, chats: Chats
) -> None:
    await chats.draw(edit(0, 0, ["earlier", *numbered(100)]))
    await chats.enter_transcript(1)
    where = "[line('.'), line('w0')]"

    await chats.draw(edit(0, 0, ["still earlier", *numbered(20, "above")]), holds=True)
    assert await nvim.eval(where) == [22, 22]

    # The user goes to the beginning while the next lines are still to be drawn.
    await nvim.keys("gg")
    await until(lambda: nvim.eval(f"{where} == [1, 1]"))
    await chats.draw(edit(21, 22, numbered(20, "more")), holds=True)

    assert await nvim.eval(where) == [1, 1]
    assert await nvim.eval("getline(42)") == "line 1"


async def test_each_window_follows_independently(nvim: Neovim, chats: Chats) -> None:
    await chats.draw(edit(0, 0, numbered(100)))
    await chats.enter_transcript(10)
    await nvim.command("split")
    await nvim.keys("G")
    await until(lambda: nvim.eval("line('.') == 100"))

    await chats.draw(edit(100, 100, ["new"]))

    lines = await nvim.eval("map(win_findbuf(bufnr()), 'line(\".\", v:val)')")
    assert sorted(lines) == [10, 101]


async def test_the_view_follows_the_end_while_the_user_types_elsewhere(
    nvim: Neovim, chats: Chats
) -> None:
    for number in range(1, 60):
        await nvim.keys("x")
        await chats.draw(edit(number - 1, number - 1, [f"line {number}"]))

    await until(lambda: nvim.eval("getline('.') == repeat('x', 59)"))
    assert (await nvim.mode())["mode"] == "i"
    found = await transcript(chats)
    assert found["bottom"] == 59


async def test_a_visual_selection_at_the_end_stays(nvim: Neovim, chats: Chats) -> None:
    await chats.draw(edit(0, 0, numbered(10)))
    await chats.enter_transcript(10)
    await nvim.keys("Vk")
    await nvim.keys("j")
    await until(lambda: nvim.eval("mode() == 'V' && line('.') == 10"))

    await chats.draw(edit(10, 10, numbered(10)))

    assert await nvim.eval("[mode(), line('v'), line('.')]") == ["V", 10, 10]


async def test_a_frame_waits_while_no_text_may_change(nvim: Neovim, chats: Chats) -> None:
    """As inside an <expr> map that waits for a key."""
    await chats.draw(edit(0, 0, ["one"]))
    await chats.enter_transcript(1)
    await nvim.command("nnoremap <expr> <F2> nr2char(getchar())")
    await nvim.keys("<F2>")

    await chats.draw(edit(1, 1, ["two"]))
    await chats.draw(edit(2, 2, ["three"]))
    assert await chats.lines() == ["one"]
    await nvim.keys("j")

    await until(lambda: _is_drawn(chats, ["one", "two", "three"]))


async def _is_drawn(chats: Chats, lines: list[str]) -> bool:
    return await chats.lines() == lines


async def test_a_closed_fence_is_highlighted(nvim: Neovim, chats: Chats) -> None:
    text = ["```lua", "local x = 'é'", "return x", "```"]

    await chats.draw(edit(0, 0, text), code=[[1, 3, "lua"]])

    async def is_highlighted() -> bool:
        """Highlighting runs in slices, so that keys are handled in between."""
        highlights = await nvim.lua(MARKS, "claude_ide_chat_code")
        return all(
            highlight in highlights
            for highlight in (
                [1, 0, 1, 5, "@keyword.lua"],
                [1, 10, 1, 14, "@string.lua"],
                [2, 0, 2, 6, "@keyword.return.lua"],
            )
        )

    await until(is_highlighted)


@pytest.mark.parametrize("language", ["", "nonsense", "../../x", "markdown", "lua", "c"])
async def test_any_fence_language_is_accepted(nvim: Neovim, chats: Chats, language: str) -> None:
    await chats.draw(edit(0, 0, ["return 1"]), code=[[0, 1, language]])

    async def is_highlighted() -> bool:
        return bool(await nvim.lua(MARKS, "claude_ide_chat_code"))

    if language in ("lua", "c"):
        await until(is_highlighted)
    else:
        assert not await is_highlighted()


async def test_a_very_long_fence_is_not_highlighted(nvim: Neovim, chats: Chats) -> None:
    lines = ["return 1"] * 501

    await chats.draw(edit(0, 0, lines), code=[[0, 501, "lua"]])
    assert await nvim.lua(MARKS, "claude_ide_chat_code") == []
    await chats.draw(edit(500, 501, []), code=[[0, 500, "lua"]])

    async def is_highlighted() -> bool:
        return len(await nvim.lua(MARKS, "claude_ide_chat_code")) == 1000

    await until(is_highlighted, "all lines are highlighted")


async def test_highlights_move_with_the_code_and_are_removed_with_it(
    nvim: Neovim, chats: Chats
) -> None:
    async def highlights() -> list[list[Any]]:
        return list(await nvim.lua(MARKS, "claude_ide_chat_code"))

    await chats.draw(edit(0, 0, ["return 1"]), code=[[0, 1, "lua"]])

    async def all_there() -> list[list[Any]]:
        found = await highlights()
        return found if len(found) == 2 else []

    before = await until(all_there, "the highlights of both words")

    await chats.draw(edit(0, 0, ["above", "it"]))
    after = await highlights()
    assert [[first + 2, start, last + 2, *rest] for first, start, last, *rest in before] == after
    await chats.draw(edit(2, 3, ["gone"]))

    assert await highlights() == []
