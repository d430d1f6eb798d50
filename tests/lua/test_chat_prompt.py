"""`chat/prompt/init.lua`: a real buffer, sent by a key or by `:w`."""

from pathlib import Path

import pytest

from support.chats import Chats
from support.neovim import Neovim, until

PUT = "require('claude_ide.chat.prompt').put(...)"


@pytest.fixture
async def chats(nvim: Neovim) -> Chats:
    chats = await Chats.start(nvim)
    await chats.open()
    return chats


async def typed(chats: Chats, lines: list[str]) -> None:
    """Wait until the prompt holds these lines."""

    async def holds() -> bool:
        return await chats.lines("prompt") == lines

    await until(holds, f"the prompt holds {lines}")


async def sent(chats: Chats, count: int = 1) -> dict[str, object]:
    await until(lambda: len(chats.told("send")) == count, f"{count} prompts are sent")
    return chats.told("send")[-1]


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
async def test_a_prompt_is_sent(nvim: Neovim, chats: Chats, keys: str, how: str) -> None:
    await nvim.keys("<CR>one<CR><CR>two é<CR>  <CR>" + keys)

    told = await sent(chats)
    assert told == {"chat": 1, "text": "one\n\ntwo é", "images": [], "how": how}
    await typed(chats, [""])


async def test_insert_mode_goes_on_after_sending(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("one<C-s>two<C-s>three")

    await typed(chats, ["three"])
    assert [told["text"] for told in chats.told("send")] == ["one", "two"]


async def test_writing_and_leaving_sends_and_hides(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("one<Esc>:wq<CR>")

    assert (await sent(chats))["text"] == "one"
    await chats.hidden()


async def test_window_pickers_see_no_place_for_a_file_in_it(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("one<Esc><C-w>h")
    await until(lambda: nvim.eval("&filetype == ''"))
    buftype = "getbufvar(bufnr('claude-prompt://'), '&buftype')"
    assert await nvim.eval(buftype) == "nofile"

    await nvim.keys("<C-w>p:w<CR>")

    assert (await sent(chats))["text"] == "one"
    assert await nvim.eval(buftype) == "acwrite"


async def test_leaving_sends_nothing(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("one<Esc>ZZ")

    await chats.hidden()
    assert chats.told("send") == []
    assert await chats.lines("prompt") == ["one"]


async def test_an_empty_prompt_asks_for_what_waits(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys(" <CR><Esc><CR>")

    assert await chats.tells("answers") == {"chat": 1}
    await nvim.keys("gsgr:w<CR>")
    # An interrupt throws away what has been typed and not been read yet.
    await until(lambda: nvim.eval("histget(':') == 'w' && mode() == 'n'"))
    await nvim.keys("<C-c>")
    await chats.tells("stop")
    assert chats.told("send") == []


async def test_sent_text_comes_back_by_one_undo(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("one<CR>two<C-s>three<Esc>")
    await typed(chats, ["three"])

    await nvim.keys("u")
    await typed(chats, [""])
    await nvim.keys("u")
    await typed(chats, ["one", "two"])
    await nvim.keys("<C-r><C-r>")

    await typed(chats, ["three"])


async def test_a_change_is_repeated_as_anywhere(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("one two three<Esc>0dw.")

    await typed(chats, ["three"])


async def test_without_a_host_the_text_stays(nvim: Neovim, chats: Chats) -> None:
    await nvim.lua("require('claude_ide.channel').id = nil")

    await nvim.keys("one<C-s>")

    await until(lambda: "not sent: the chat" in nvim.screen.text())
    assert await chats.lines("prompt") == ["one"]


@pytest.mark.parametrize(("mode", "key"), [("i", "<C-c>"), ("n", "<C-c>"), ("n", "<Esc>")])
async def test_claude_is_stopped_from_the_prompt(
    nvim: Neovim, chats: Chats, mode: str, key: str
) -> None:
    await nvim.keys("one" + ("<Esc>" if mode == "n" else ""))
    await typed(chats, ["one"])
    # An interrupt throws away what has been typed and not been read yet.
    await until(lambda: nvim.eval(f"mode() == '{mode}'"))

    await nvim.keys(key)

    assert await chats.tells("stop") == {"chat": 1}
    assert await chats.lines("prompt") == ["one"]
    assert await nvim.eval("&filetype") == "claude-prompt"
    assert (await nvim.mode())["mode"] == mode


@pytest.mark.parametrize("escape", ["", "<Esc>"])
async def test_the_mode_is_changed(nvim: Neovim, chats: Chats, escape: str) -> None:
    await nvim.keys("one" + escape + "<S-Tab>")

    assert await chats.tells("cycle_mode") == {"chat": 1}
    assert await chats.lines("prompt") == ["one"]


async def test_the_context_is_left_out(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("<Esc>gx")

    assert await chats.tells("drop_context") == {"chat": 1}


@pytest.mark.parametrize("escape", ["", "<Esc>"])
async def test_the_history_is_gone_through(nvim: Neovim, chats: Chats, escape: str) -> None:
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


async def test_what_is_made_of_an_old_prompt_is_kept(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("one<C-s>two<C-s>")
    await nvim.keys("<Up>x<Up>y<Down>")
    await typed(chats, ["twox"])
    await nvim.keys("<Up>")
    await typed(chats, ["oney"])

    await nvim.keys("<C-s><Up>")

    await typed(chats, ["oney"])
    await nvim.keys("<Up>")
    await typed(chats, ["two"])


async def test_a_count_goes_back_further(nvim: Neovim, chats: Chats) -> None:
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


async def test_text_comes_back_to_an_empty_prompt(nvim: Neovim, chats: Chats) -> None:
    await nvim.lua(PUT, 1, "one\ntwo")
    await nvim.keys("!")

    await typed(chats, ["one", "two!"])
    await nvim.keys("<Esc>uu")
    await typed(chats, [""])


async def test_text_comes_back_below_what_is_being_typed(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("mine")
    await nvim.lua(PUT, 1, "one\ntwo")
    await nvim.keys("!")

    await typed(chats, ["mine!", "one", "two"])


async def test_it_is_never_modified(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("one<CR>two<Esc>ddp")
    await typed(chats, ["one", "two"])

    assert await nvim.eval("&modified") == 0


async def test_an_autosave_sends_nothing(nvim: Neovim, chats: Chats) -> None:
    await nvim.command("autocmd InsertLeave,TextChanged * silent! write")
    await nvim.command("autocmd WinLeave * silent! wall")

    await nvim.keys("one<Esc>x<C-w>k")

    await until(lambda: nvim.eval("&filetype == 'claude-chat'"))
    assert chats.told("send") == []
    assert await chats.lines("prompt") == ["on"]


async def test_a_timer_that_writes_sends_nothing(nvim: Neovim, chats: Chats) -> None:
    await nvim.lua("vim.keymap.set('n', ',w', vim.cmd.write)")
    await nvim.keys("one<Esc>")
    await nvim.lua("vim.defer_fn(function() vim.cmd.write(); vim.g.waited = 1 end, 10)")
    await until(lambda: nvim.eval("get(g:, 'waited')"))
    assert chats.told("send") == []

    await nvim.keys(",w")

    assert (await chats.tells("send"))["text"] == "one"


async def test_a_copy_is_written_to_a_file(nvim: Neovim, chats: Chats, project: Path) -> None:
    await nvim.keys("one<CR>two<Esc>:w copy.txt<CR>")

    await until(lambda: (project / "copy.txt").exists())
    await until(lambda: (project / "copy.txt").read_text() == "one\ntwo\n")
    assert chats.told("send") == []


async def test_typing_goes_on_while_much_is_drawn(nvim: Neovim, chats: Chats) -> None:
    text = "the quick brown fox " * 5
    for number, letter in enumerate(text):
        await nvim.keys(letter)
        lines = [f"line {number} {row}" for row in range(20)]
        edit = {"first": number * 20, "last": number * 20, "lines": lines}
        await nvim.lua("require('claude_ide.chat.transcript').draw(...)", 1, {"edits": [edit]})

    await typed(chats, [text])
    assert len(await chats.lines()) == 2000


async def test_the_keys_are_shown(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("<Esc>g?")

    await until(lambda: "Send the prompt" in nvim.screen.text())
    await nvim.keys("<Esc>")
    await until(lambda: "Send the prompt" not in nvim.screen.text())
    assert chats.told("stop") == []
