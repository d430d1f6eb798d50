"""`:ClaudeStatus`, `:ClaudeMcpConfig`, `:ClaudeTrust`, `:ClaudeWire` and `:ClaudeLog` in Vim."""

from pathlib import Path

import pytest

from claude_ide.config import A_FUNCTION
from support.claude_code import ClaudeCode, claude_code
from support.either_editor import hidden, on_screen
from support.neovim import until
from support.vim import Vim


async def test_the_status_is_a_popup_that_q_closes(
    serving_vim: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    await serving_vim.keys(":ClaudeStatus<CR>")

    await on_screen(serving_vim, "Clients: 1")
    assert " as Vim" in serving_vim.screen.text()
    assert "Open diffs: none" in serving_vim.screen.text()
    await serving_vim.keys("q")
    await hidden(serving_vim, "Clients: 1")
    assert "unexpected" not in await serving_vim.eval("execute('messages')")
    await serving_vim.keys("itext<Esc>")
    assert await serving_vim.call("getline", 1) == "text"


async def test_without_a_server_the_status_says_so_and_escape_closes_it(vim: Vim) -> None:
    await vim.keys(":ClaudeStatus<CR>")

    await on_screen(vim, "Server:  not running (:ClaudeStart)")
    await vim.keys("<Esc>")
    await hidden(vim, "not running")


async def test_a_popup_scrolls_and_a_colon_begins_a_command(vim: Vim) -> None:
    lines = [f"line {number}" for number in range(1, 100)] + ["bad \x1b[31m text"]
    await vim.call("claude_ide#window#float#Show", lines, {"title": "Many"})
    await on_screen(vim, "line 1")
    assert "line 99" not in vim.screen.text()

    await vim.keys("G")
    await on_screen(vim, "bad ^[[31m text")
    await vim.keys("g")
    await on_screen(vim, "line 1")
    await vim.keys("<C-f>")
    await hidden(vim, " line 1 ")
    await vim.keys(":let g:typed = 1<CR>")

    assert await vim.eval("g:typed") == 1
    await hidden(vim, "Many")


async def test_a_popup_takes_no_key_of_insert_mode(vim: Vim) -> None:
    await vim.keys("i")
    await vim.call("claude_ide#window#float#Show", ["text"], {"title": "Title"})
    await on_screen(vim, " Title ")

    await vim.keys("q")

    assert await vim.call("getline", 1) == "q"


async def test_the_configuration_for_other_programs_is_shown_and_yanked(vim: Vim) -> None:
    await vim.keys(":ClaudeMcpConfig<CR>")
    await on_screen(vim, "For hosts that start their MCP servers")
    await vim.keys("q")

    await vim.keys(":ClaudeMcpConfig! ws<CR>")
    await on_screen(vim, "yanked: put it with p")

    assert "--mcp-config" in await vim.eval("getreg('\"')")


async def test_trusted_folders_are_listed(vim: Vim, project: Path) -> None:
    await vim.keys(":ClaudeTrust list<CR>")

    await on_screen(vim, "no folder is trusted by :ClaudeTrust or a chat")


async def test_arguments_are_completed(vim: Vim) -> None:
    async def completed(line: str) -> list[str]:
        return list(await vim.eval(f"getcompletion('{line}', 'cmdline')"))

    assert await completed("ClaudeTrust ") == ["list", "revoke", "yes"]
    assert await completed("ClaudeMcpConfig ") == ["stdio", "ws"]
    assert await completed("ClaudeWire ") == ["save"]
    assert await completed("Claude --model ") == ["fable", "haiku", "opus", "sonnet"]
    assert await completed("Claude --na") == ["--name"]
    assert await completed("Claude --name ") == []
    assert await completed("Claude --per") == ["--permission-mode"]


async def test_the_log_opens_at_its_end(vim: Vim) -> None:
    await vim.keys(":ClaudeLog<CR>")
    await on_screen(vim, "nothing has been logged yet")
    await vim.command("call claude_ide#messages#log#Append(range(50)->map('\"entry \" .. v:val'))")

    await vim.keys(":ClaudeLog<CR>")

    await on_screen(vim, "entry 49")
    assert await vim.eval("[winnr('$'), line('.'), &readonly, &buflisted]") == [2, 50, 1, 0]


async def test_messages_appear_in_the_wire_as_they_are_sent_and_unfold(
    serving_vim: Vim, config_folder: Path
) -> None:
    await serving_vim.keys("ione<Esc>:ClaudeWire<CR>")
    await on_screen(serving_vim, "No message yet")
    assert await serving_vim.eval("[winnr(), winnr('$'), mode()]") == [1, 2, "n"]

    async with claude_code(config_folder):
        text = "join(getbufline(bufnr('Claude wire'), 1, '$'))"
        await until(lambda: serving_vim.eval(f"{text} =~ 'initialize #0'"), "the messages")
    await hidden(serving_vim, '"method"')
    await serving_vim.keys("<C-w>jgg<CR>")

    await on_screen(serving_vim, '"method"')
    await serving_vim.keys("q")
    await until(lambda: serving_vim.eval("winnr('$') == 1 && bufnr('Claude wire') < 0"))


async def test_the_status_line_tells_what_has_changed(
    serving_vim: Vim, config_folder: Path
) -> None:
    await serving_vim.command(
        "set laststatus=2 statusline=%{claude_ide#status#Text()}"
        " | autocmd User ClaudeStatusChanged let g:told = g:claude_ide_event"
    )
    await serving_vim.command("redrawstatus!")
    await on_screen(serving_vim, "Claude: ready")

    async with claude_code(config_folder):
        await on_screen(serving_vim, "Claude: idle")
        assert await serving_vim.eval("g:told") == {"state": "idle", "text": "Claude: idle"}
    await on_screen(serving_vim, "Claude: ready")


async def test_what_an_agent_does_is_in_the_status_line(serving_vim: Vim) -> None:
    text = "claude_ide#statusline()"
    await until(lambda: serving_vim.eval(f"{text} == 'Claude: ready'"), "the host has told its own")
    status = {"state": "working", "text": ["Claude: working · 50%% %%{1} · 42%%"]}
    await serving_vim.call("claude_ide#status#Set", status)

    assert await serving_vim.eval(text) == "Claude: working · 50%% %%{1} · 42%%"


async def test_functions_stay_out_of_the_options_for_the_host(vim: Vim) -> None:
    await vim.command("let g:claude_ide.terminal = {'side': {-> 0}, 'size': 30}")
    await vim.command("let g:claude_ide.ask = {'model': {-> 0}}")

    await vim.keys(":ClaudeStart<CR>")

    await on_screen(vim, "g:claude_ide.ask.model must not be a function")
    await on_screen(vim, "ready (127.0.0.1:")
    copy = await vim.eval("claude_ide#host#process#Sendable(g:claude_ide)")
    assert copy["terminal"] == {"size": 30}
    assert copy["ask"] == {"model": A_FUNCTION}


@pytest.mark.parametrize("is_typed", [True, False])
async def test_a_long_message_needs_no_key_and_is_whole_in_messages(
    vim: Vim, is_typed: bool
) -> None:
    await vim.command("set ruler showcmd")
    text = "x" * 150 + "end"
    if is_typed:
        await vim.keys(f":call claude_ide#messages#message#Show('{text}', 'info')<CR>")
    else:
        show = f"claude_ide#messages#message#Show('{text}', 'info')"
        await vim.command(f"call timer_start(10, {{-> {show}}})")
    await until(lambda: "xend" in vim.screen.text(), "the message")

    await vim.keys(":let g:typed = 1<CR>")

    await until(lambda: vim.eval("exists('g:typed')"))
    assert (await vim.mode())["mode"] == "n"
    assert text in await vim.eval("execute('messages')")
