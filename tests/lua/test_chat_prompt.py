"""`chat/prompt/init.lua`: a real buffer, sent by a key or by `:w`."""

from pathlib import Path

import pytest

from support.chats import Chats
from support.neovim import Neovim, until

pytestmark = pytest.mark.usefixtures("open_chat")

AGAIN = "<Esc> again stops the agent"
GIVE_BACK = "require('claude_ide.chat.prompt').give_back(...)"


async def typed(chats: Chats, lines: list[str]) -> None:
    """Wait until the prompt holds these lines."""

    async def holds() -> bool:
        return await chats.lines("prompt") == lines

    await until(holds, f"the prompt holds {lines}")


async def sent(chats: Chats, count: int = 1) -> dict[str, object]:
    await until(lambda: len(chats.events("send")) == count, f"{count} prompts are sent")
    return chats.events("send")[-1]


@pytest.mark.parametrize(
    ("keys", "how"),
    [
        ("<C-s>", "send"),
        ("<Esc><C-s>", "send"),
        ("<Esc><CR>", "send"),
        ("<Esc>:w<CR>", "send"),
        ("<Esc>gs", "steer"),
        ("<Esc>gr", "redirect"),
    ],
)
async def test_each_send_key_sends_the_prompt(
    nvim: Neovim, chats: Chats, keys: str, how: str
) -> None:
    await nvim.keys("<CR>one<CR><CR>two é<CR>  <CR>" + keys)

    event = await sent(chats)
    assert event == {"chat": 1, "number": 1, "text": "one\n\ntwo é", "images": [], "how": how}
    await typed(chats, [""])


async def test_insert_mode_continues_after_sending(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("one<C-s>two<C-s>three")

    await typed(chats, ["three"])
    assert [event["text"] for event in chats.events("send")] == ["one", "two"]


async def test_write_and_quit_sends_the_prompt_and_hides_the_panel(
    nvim: Neovim, chats: Chats
) -> None:
    await nvim.keys("one<Esc>:wq<CR>")

    assert (await sent(chats))["text"] == "one"
    await chats.hidden()


async def test_window_pickers_do_not_offer_the_prompt_for_files(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("one<Esc><C-w>h")
    await until(lambda: nvim.eval("&filetype == ''"))
    buftype = "getbufvar(bufnr('/claude-prompt/'), '&buftype')"
    assert await nvim.eval(buftype) == "nofile"

    await nvim.keys("<C-w>p:w<CR>")

    assert (await sent(chats))["text"] == "one"
    assert await nvim.eval(buftype) == "acwrite"


async def test_quitting_the_prompt_sends_nothing(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("one<Esc>ZZ")

    await chats.hidden()
    assert chats.events("send") == []
    assert await chats.lines("prompt") == ["one"]


async def test_an_empty_prompt_asks_for_the_waiting_requests(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys(" <CR><Esc><CR>")

    assert await chats.wait_for_event("answers") == {"chat": 1}
    await nvim.keys("gsgr:w<CR>")
    # An interrupt discards typed keys that Neovim has not read yet.
    await until(lambda: nvim.eval("histget(':') == 'w' && mode() == 'n'"))
    await nvim.keys("<C-c>")
    await chats.wait_for_event("stop")
    assert chats.events("send") == []


async def test_one_undo_restores_a_sent_prompt(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("one<CR>two<C-s>three<Esc>")
    await typed(chats, ["three"])

    await nvim.keys("u")
    await typed(chats, [""])
    await nvim.keys("u")
    await typed(chats, ["one", "two"])
    await nvim.keys("<C-r><C-r>")

    await typed(chats, ["three"])


async def test_the_dot_command_repeats_a_change(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("one two three<Esc>0dw.")

    await typed(chats, ["three"])


async def test_a_prompt_without_a_host_is_not_sent_and_stays(nvim: Neovim, chats: Chats) -> None:
    await nvim.lua("require('claude_ide.channel').id = nil")

    await nvim.keys("one<C-s>")

    await until(lambda: "not sent: the chat" in nvim.screen.text())
    assert await chats.lines("prompt") == ["one"]


@pytest.mark.parametrize("mode", ["i", "n"])
async def test_ctrl_c_in_the_prompt_stops_claude(nvim: Neovim, chats: Chats, mode: str) -> None:
    await nvim.keys("one" + ("<Esc>" if mode == "n" else ""))
    await typed(chats, ["one"])
    # An interrupt discards typed keys that Neovim has not read yet.
    await until(lambda: nvim.eval(f"mode() == '{mode}'"))

    await nvim.keys("<C-c>")

    assert await chats.wait_for_event("stop") == {"chat": 1, "taken": []}
    assert await chats.lines("prompt") == ["one"]
    assert await nvim.eval("&filetype") == "claude-prompt"
    assert (await nvim.mode())["mode"] == mode


async def test_the_second_escape_within_a_second_stops_claude(nvim: Neovim, chats: Chats) -> None:
    await chats.show_bars({}, "running")
    await nvim.keys("one<Esc>")
    await until(lambda: nvim.eval("mode() == 'n'"))
    assert AGAIN not in nvim.screen.text()

    await nvim.keys("<Esc>")
    await until(lambda: AGAIN in nvim.screen.text(), "the hint")
    assert chats.events("stop") == []
    await until(lambda: AGAIN not in nvim.screen.text(), "the hint is gone")
    await nvim.keys("<Esc>")
    await until(lambda: AGAIN in nvim.screen.text(), "the hint again")
    assert chats.events("stop") == []
    await nvim.keys("<Esc>")

    await chats.wait_for_event("stop")
    assert len(chats.events("stop")) == 1
    assert await chats.lines("prompt") == ["one"]


async def test_escape_does_nothing_while_claude_is_idle(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("one<Esc><Esc><Esc><Esc><S-Tab>")

    await chats.wait_for_event("cycle_mode")
    assert chats.events("stop") == []
    assert AGAIN not in nvim.screen.text()


@pytest.mark.parametrize("escape", ["", "<Esc>"])
async def test_shift_tab_cycles_the_mode(nvim: Neovim, chats: Chats, escape: str) -> None:
    await nvim.keys("one" + escape + "<S-Tab>")

    assert await chats.wait_for_event("cycle_mode") == {"chat": 1}
    assert await chats.lines("prompt") == ["one"]


async def test_gx_drops_the_context(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("<Esc>gx")

    assert await chats.wait_for_event("drop_context") == {"chat": 1}


@pytest.mark.parametrize("escape", ["", "<Esc>"])
async def test_the_arrow_keys_browse_the_history(nvim: Neovim, chats: Chats, escape: str) -> None:
    await nvim.keys("one<C-s>two<CR>lines<C-s>dra<CR>ft" + escape)
    await typed(chats, ["dra", "ft"])

    await nvim.keys("<Up><Up>")
    await typed(chats, ["two", "lines"])
    await nvim.keys("<Up>")
    await typed(chats, ["one"])
    await nvim.keys("<Up>")
    await typed(chats, ["one"])
    await nvim.keys("<Down><Down><Down>")

    await typed(chats, ["dra", "ft"])
    assert (await nvim.mode())["mode"] == ("n" if escape else "i")


async def test_edits_of_an_old_prompt_are_kept(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("one<C-s>two<C-s>")
    await nvim.keys("<Up>x<Up>y<Down>")
    await typed(chats, ["twox"])
    await nvim.keys("<Up>")
    await typed(chats, ["oney"])

    await nvim.keys("<C-s><Up>")

    await typed(chats, ["oney"])
    await nvim.keys("<Up>")
    await typed(chats, ["two"])


async def test_a_count_goes_further_back_in_the_history(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("one<C-s>two<C-s>three<C-s><Esc>3<Up>")

    await typed(chats, ["one"])


async def test_the_history_is_shared_by_all_chats(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("one<C-s>")
    await chats.toggle()
    await chats.hidden()
    await nvim.lua("require('claude_ide.chat.panel').close(1)")
    await chats.open(2)

    await nvim.keys("<Up>")

    await typed(chats, ["one"])


async def test_returned_text_fills_an_empty_prompt(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("one<CR>two<C-s>")
    await sent(chats)
    await nvim.lua(GIVE_BACK, 1, [1])
    await nvim.keys("!")

    await typed(chats, ["one", "two!"])
    await nvim.keys("<Esc>uu")
    await typed(chats, [""])


async def test_returned_text_is_added_below_the_text_being_typed(
    nvim: Neovim, chats: Chats
) -> None:
    await nvim.keys("one<CR>two<C-s>mine")
    await typed(chats, ["mine"])
    await nvim.lua(GIVE_BACK, 1, [1])
    await nvim.keys("!")

    await typed(chats, ["mine!", "one", "two"])


async def test_a_blocked_prompt_returns_only_to_an_empty_prompt(nvim: Neovim, chats: Chats) -> None:
    put = "return require('claude_ide.chat.prompt').put_if_empty(...)"

    assert await nvim.lua(put, 1, "one\ntwo") is True
    assert await nvim.lua(put, 1, "three") is False

    await typed(chats, ["one", "two"])


async def test_returned_words_that_were_not_typed_are_no_command(
    nvim: Neovim, chats: Chats
) -> None:
    await nvim.lua("require('claude_ide.chat.prompt').put_if_empty(...)", 1, "!touch made")

    await typed(chats, [r"\!touch made"])


async def test_the_prompt_is_never_modified(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("one<CR>two<Esc>ddp")
    await typed(chats, ["one", "two"])

    assert await nvim.eval("&modified") == 0


async def test_an_autosave_sends_nothing(nvim: Neovim, chats: Chats) -> None:
    await nvim.command("autocmd InsertLeave,TextChanged * silent! write")
    await nvim.command("autocmd WinLeave * silent! wall")

    await nvim.keys("one<Esc>x<C-w>k")

    await until(lambda: nvim.eval("&filetype == 'claude-chat'"))
    assert chats.events("send") == []
    assert await chats.lines("prompt") == ["on"]


async def test_a_timer_that_writes_sends_nothing(nvim: Neovim, chats: Chats) -> None:
    await nvim.lua("vim.keymap.set('n', ',w', vim.cmd.write)")
    await nvim.keys("one<Esc>")
    await nvim.lua("vim.defer_fn(function() vim.cmd.write(); vim.g.waited = 1 end, 10)")
    await until(lambda: nvim.eval("get(g:, 'waited')"))
    assert chats.events("send") == []

    await nvim.keys(",w")

    assert (await chats.wait_for_event("send"))["text"] == "one"


async def test_writing_to_a_file_name_saves_a_copy(
    nvim: Neovim, chats: Chats, project: Path
) -> None:
    await nvim.keys("one<CR>two<Esc>:w copy.txt<CR>")

    await until(lambda: (project / "copy.txt").exists())
    await until(lambda: (project / "copy.txt").read_text() == "one\ntwo\n")
    assert chats.events("send") == []


async def test_typing_continues_while_the_transcript_is_drawn(nvim: Neovim, chats: Chats) -> None:
    text = "the quick brown fox " * 5
    for number, letter in enumerate(text):
        await nvim.keys(letter)
        lines = [f"line {number} {row}" for row in range(20)]
        edit = {"first": number * 20, "last": number * 20, "lines": lines}
        await nvim.lua("require('claude_ide.chat.transcript').draw(...)", 1, {"edits": [edit]})

    await typed(chats, [text])
    assert len(await chats.lines()) == 2000


async def test_the_help_key_shows_the_keys(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("<Esc>g?")

    await until(lambda: "Send the prompt" in nvim.screen.text())
    await nvim.keys("<Esc>")
    await until(lambda: "Send the prompt" not in nvim.screen.text())
    assert chats.events("stop") == []
