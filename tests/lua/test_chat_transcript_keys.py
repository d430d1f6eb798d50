"""`chat/transcript/keys.lua`: keys act on the part under the cursor."""

import pytest

from support.chats import Chats, edit
from support.neovim import Neovim, until

LINES = [
    "> first",  # 1
    "",
    "text",
    "```lua",
    "local x = 1",
    "return x",
    "```",
    "Edit a.py",  # 8
    "",
    "> second",  # 10
    "Bash ls",
    "Allow? y a n",
    "> queued",  # 13
    "> third",  # 14
    "done",
]
PARTS = [
    [0, 1, "turn"],
    [2, 2, "text"],
    [7, 3, "tool"],
    [9, 4, "turn"],
    [10, 5, "tool"],
    [11, 6, "request"],
    [12, 7, "queued"],
    [13, 8, "turn"],
    [14, 9, "end"],
]
AGED = 500
"""Milliseconds after which a request accepts answers, with a margin."""


@pytest.fixture
async def chats(nvim: Neovim) -> Chats:
    await nvim.command("set nostartofline")
    chats = await Chats.start(nvim)
    await chats.open()
    await chats.draw(edit(0, 0, LINES, parts=PARTS), code=[[4, 6, "lua"]])
    return chats


async def type_at(chats: Chats, line: int, keys: str) -> None:
    await chats.enter_transcript(line)
    await chats.nvim.keys(keys)


async def age(nvim: Neovim) -> None:
    """Have the request drawn; wait, by the editor's own clock, until it accepts answers."""
    await nvim.lua("vim.cmd.redraw(); vim.wait(...)", AGED)


@pytest.mark.parametrize("key", ["<CR>", "za"])
@pytest.mark.parametrize(("line", "part", "offset"), [(8, 3, 0), (6, 2, 3), (2, 1, 1)])
async def test_pressing_a_key_reports_the_part_under_the_cursor(
    chats: Chats, key: str, line: int, part: int, offset: int
) -> None:
    await type_at(chats, line, key)

    event = await chats.wait_for_event("press")
    assert (event["part"], event["offset"]) == (part, offset)


async def test_parts_move_with_their_text(chats: Chats) -> None:
    await chats.draw(edit(2, 3, ["a", "b", "c"], parts=[[0, 2, "text"]]))
    await type_at(chats, 10, "<CR>")

    assert (await chats.wait_for_event("press"))["part"] == 3


async def test_every_key_works_in_a_transcript_without_parts(nvim: Neovim) -> None:
    chats = await Chats.start(nvim)
    await chats.open()

    await type_at(chats, 1, "<CR>zagfxRyc]][[<S-Tab>")
    await until(lambda: chats.events("cycle_mode"))
    await nvim.keys("<C-c>")
    await until(lambda: chats.events("stop"))
    await nvim.keys("g?q")

    assert chats.events("press") == chats.events("withdraw") == chats.events("go_to") == []
    assert (await nvim.mode()) == {"mode": "n", "blocking": False}
    assert await nvim.eval("v:errmsg") == ""


async def test_gf_reports_the_cursor_position(chats: Chats) -> None:
    await type_at(chats, 8, "$gf")

    assert await chats.wait_for_event("go_to") == {"chat": 1, "part": 3, "offset": 0, "column": 8}


@pytest.mark.parametrize(
    ("line", "keys", "target"),
    [
        (1, "]]", 10),
        (1, "2]]", 14),
        (1, "9]]", 15),
        (15, "[[", 14),
        (15, "2[[", 10),
        (12, "[[", 10),
        (5, "[[", 1),
        (1, "[[", 1),
        (14, "]]", 15),
        (1, "]]<C-o>", 1),
    ],
)
async def test_bracket_keys_jump_between_turns(
    nvim: Neovim, chats: Chats, line: int, keys: str, target: int
) -> None:
    await type_at(chats, line, keys + ":let g:typed = 1<CR>")

    await until(lambda: nvim.eval("exists('g:typed')"))
    assert await nvim.eval("line('.')") == target


async def test_bracket_motions_select_and_yank_a_turn(nvim: Neovim, chats: Chats) -> None:
    await type_at(chats, 1, "v]]y")
    await until(lambda: nvim.eval("@\" =~ 'Edit'"))
    assert (await nvim.eval('@"'))[:-1] == "\n".join(LINES[:9]) + "\n"

    await type_at(chats, 10, "y]]")

    await until(lambda: nvim.eval("@\" =~ 'second'"))
    assert await nvim.eval('@"') == "\n".join(LINES[9:13]) + "\n"


@pytest.mark.parametrize("line", [4, 5, 6, 7])
async def test_the_code_block_is_yanked_without_its_fences(
    nvim: Neovim, chats: Chats, line: int
) -> None:
    await type_at(chats, line, '"ayc')

    await until(lambda: nvim.eval("@a != ''"))
    assert await nvim.eval("[@a, getregtype('a')]") == ["local x = 1\nreturn x\n", "V"]


async def test_without_a_code_block_nothing_is_yanked(nvim: Neovim, chats: Chats) -> None:
    await nvim.command("let @\" = 'kept'")

    await type_at(chats, 8, "yc")

    await until(lambda: "there is no code block here" in nvim.screen.text())
    assert await nvim.eval('@"') == "kept"
    assert (await nvim.mode())["mode"] == "n"


@pytest.mark.parametrize("key", ["y", "a", "n", "N", "d"])
async def test_a_request_is_answered_by_one_key(nvim: Neovim, chats: Chats, key: str) -> None:
    await age(nvim)

    await type_at(chats, 12, key)

    event = await chats.wait_for_event("request")
    assert event == {"chat": 1, "part": 6, "kind": "request", "key": key}
    assert (await nvim.mode())["mode"] == "n"
    assert await nvim.eval("&filetype") == "claude-chat"


async def test_a_new_request_accepts_no_answer_yet(nvim: Neovim, chats: Chats) -> None:
    await chats.enter_transcript(11)
    # In a single call, so that the request is still new on a busy machine.
    code = """
    require('claude_ide.chat.transcript').draw(1, { edits = { ... } })
    vim.api.nvim_feedkeys('jyy', 'tx', false)
    """

    await nvim.lua(code, edit(11, 12, ["Allow this?"], parts=[[0, 20, "request"]]))

    assert chats.events("request") == []
    assert await nvim.eval('@"') == "Allow this?\n"


@pytest.mark.parametrize("away", ["tabnew", "normal! gg"])
async def test_a_request_that_has_just_come_into_view_accepts_no_answer_yet(
    nvim: Neovim, chats: Chats, away: str
) -> None:
    await chats.draw(edit(11, 12, ["Allow?"], parts=[[0, 6, "request"]]))
    await chats.draw(edit(0, 0, ["earlier"] * 200))
    await chats.enter_transcript(212)
    await age(nvim)
    await nvim.command(away)
    await age(nvim)
    back = {"tabnew": "tabclose", "normal! gg": "normal! 212G"}[away]

    await nvim.lua("vim.cmd(...); vim.cmd.redraw(); vim.api.nvim_feedkeys('y', 'tx', false)", back)
    assert chats.events("request") == []
    assert await nvim.eval("line('.')") == 212
    await age(nvim)
    await nvim.keys("y")

    assert (await chats.wait_for_event("request"))["key"] == "y"


async def test_redrawing_a_request_does_not_restart_its_delay(nvim: Neovim, chats: Chats) -> None:
    await age(nvim)
    await chats.draw(edit(11, 12, ["Allow? (2 wait)"], parts=[[0, 6, "request"]]))

    await type_at(chats, 12, "y")

    assert (await chats.wait_for_event("request"))["key"] == "y"


def asks(kind: str, length: int) -> dict[str, object]:
    """A redrawn request with this number of lines."""
    lines = ["Allow?", *(f"step {number}" for number in range(length - 2)), "y n"]
    return edit(11, 12, lines, parts=[[0, 6, kind]])


async def test_an_answer_reports_whether_the_request_was_cut(nvim: Neovim, chats: Chats) -> None:
    await chats.draw(asks("request:cut", 3))
    await age(nvim)

    await type_at(chats, 13, "y")

    assert (await chats.wait_for_event("request"))["kind"] == "request:cut"


async def test_a_request_that_has_changed_accepts_no_answer_yet(nvim: Neovim, chats: Chats) -> None:
    await chats.draw(asks("request:cut", 3))
    await age(nvim)
    await chats.enter_transcript(12)
    code = """
    require('claude_ide.chat.transcript').draw(1, { edits = { ... } })
    vim.api.nvim_feedkeys('yy', 'tx', false)
    """

    await nvim.lua(code, edit(11, 12, ["Allow this?"], parts=[[0, 6, "request"]]))

    assert chats.events("request") == []


@pytest.mark.parametrize("key", ["y", "a"])
async def test_a_partly_visible_request_is_scrolled_into_view_before_an_answer(
    nvim: Neovim, chats: Chats, key: str
) -> None:
    await chats.draw(asks("request", 40))
    await age(nvim)

    await type_at(chats, 51, key)

    top = "getwininfo(win_getid())[0].topline"
    await until(lambda: nvim.eval(f"{top} == 12 && line('.') == 12"), "its first line is on top")
    assert chats.events("request") == []
    await until(
        lambda: (
            f"not answered yet: read the whole request, then press {key} again"
            in nvim.screen.text()
        )
    )
    await nvim.keys(key)
    assert (await nvim.mode())["mode"] == "n"
    assert chats.events("request") == []
    await age(nvim)
    await nvim.keys(key)
    assert (await chats.wait_for_event("request"))["key"] == key


async def test_a_request_in_a_tiny_window_is_scrolled_into_view_first(
    nvim: Neovim, chats: Chats
) -> None:
    await chats.enter_transcript(12)
    await nvim.command("resize 3")
    await chats.draw(asks("request", 6))
    await age(nvim)
    await nvim.keys("5j")

    await nvim.keys("y")

    await until(lambda: nvim.eval("line('.') == 12 && line('w0') == 12"), "its first line")
    assert chats.events("request") == []


async def test_a_request_from_a_new_host_accepts_no_answer_yet(nvim: Neovim, chats: Chats) -> None:
    """The new host numbers its parts from 1 again."""
    await age(nvim)
    await chats.enter_transcript(12)
    code = """
    require('claude_ide.chat.transcript').draw(1, { edits = { ... } })
    vim.api.nvim_win_set_cursor(0, { 2, 0 })
    vim.api.nvim_feedkeys('yy', 'tx', false)
    """

    await nvim.lua(code, edit(0, 2**31 - 1, ["> x", "Allow this?"], parts=[[1, 6, "request"]]))

    assert chats.events("request") == []


async def test_a_denial_is_always_accepted(nvim: Neovim, chats: Chats) -> None:
    await chats.draw(asks("request:cut", 40))
    await age(nvim)

    await type_at(chats, 51, "n")

    assert (await chats.wait_for_event("request"))["key"] == "n"


async def test_outside_requests_keys_keep_their_vim_meaning(nvim: Neovim, chats: Chats) -> None:
    await age(nvim)
    await type_at(chats, 1, '"byy2yjgg/><CR>nN')

    await until(lambda: nvim.eval("line('.') == 10"))
    assert await nvim.eval("@b") == "> first\n"
    assert await nvim.eval("@0") == "\n".join(LINES[:3]) + "\n"
    assert chats.events("request") == []


async def test_x_withdraws_a_queued_prompt(chats: Chats) -> None:
    await type_at(chats, 14, "x")
    await type_at(chats, 13, "x")

    assert (await chats.wait_for_event("withdraw"))["part"] == 7
    assert len(chats.events("withdraw")) == 1


@pytest.mark.parametrize(("key", "event"), [("R", "restart"), ("<S-Tab>", "cycle_mode")])
async def test_a_key_notifies_the_host(chats: Chats, key: str, event: str) -> None:
    await type_at(chats, 3, key)

    assert await chats.wait_for_event(event) == {"chat": 1}


async def test_ctrl_c_stops_claude(chats: Chats) -> None:
    await type_at(chats, 3, "<C-c>")

    assert await chats.wait_for_event("stop") == {"chat": 1, "taken": []}


@pytest.mark.parametrize("key", ["i", "a", "I", "A", "o", "O"])
async def test_insert_keys_move_to_the_prompt(nvim: Neovim, chats: Chats, key: str) -> None:
    await type_at(chats, 3, key + "hello")

    await until(chats.is_typing)
    await until(lambda: nvim.eval("getline(1) == 'hello'"))


async def test_q_hides_the_panel(chats: Chats) -> None:
    await type_at(chats, 3, "q")

    await chats.hidden()


async def test_the_help_key_shows_the_keys(nvim: Neovim, chats: Chats) -> None:
    await type_at(chats, 3, "g?")

    await until(lambda: "Yank the code block" in nvim.screen.text())
    await until(lambda: "y a n N c d" in nvim.screen.text())
    await nvim.keys("q")
    await until(lambda: "Yank the code block" not in nvim.screen.text())
    assert await nvim.eval("&filetype") == "claude-chat"


async def test_the_key_help_fits_a_narrow_screen(nvim: Neovim, chats: Chats) -> None:
    await nvim.command("set columns=30 lines=12")

    await type_at(chats, 3, "g?")

    await until(lambda: nvim.eval("winwidth(0) <= 26 && winheight(0) <= 8"))
    assert (await nvim.mode())["blocking"] is False


async def test_other_keys_can_be_mapped_to_the_plug_mappings(nvim: Neovim, chats: Chats) -> None:
    await nvim.command("autocmd FileType claude-chat nmap <buffer> <F2> <Plug>(claude-chat-press)")
    await chats.open(2)
    await chats.draw(edit(0, 0, ["one"], parts=[[0, 1, "tool"]]), id_=2)

    await type_at(chats, 1, "<F2>")

    assert (await chats.wait_for_event("press"))["chat"] == 2


async def test_every_mapping_has_a_description(nvim: Neovim, chats: Chats) -> None:
    await chats.enter_transcript(1)

    described = await nvim.lua("""
    return vim.tbl_map(function(map)
      return map.desc
    end, vim.api.nvim_buf_get_keymap(0, 'n'))
    """)
    assert len(described) > 30
    assert all(described)


async def test_ctrl_w_down_moves_from_the_floating_transcript_to_the_prompt(
    nvim: Neovim, chats: Chats
) -> None:
    await chats.open(side="float")
    await nvim.keys("<Esc><C-w>k")
    await until(lambda: nvim.eval("&filetype == 'claude-chat'"))

    await nvim.keys("<C-w><Down>")

    await until(lambda: nvim.eval("&filetype == 'claude-prompt'"))
