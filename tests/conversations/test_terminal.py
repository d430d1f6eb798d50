"""`:Claude` and its terminal, with a script instead of the CLI."""

import re
from pathlib import Path

import pytest

from support.claude_code import ClaudeCode, claude_code, the_lock
from support.claude_terminal import open_claude
from support.either_editor import BOTH, Editor, configure, run, type_into
from support.neovim import until
from support.vim import Vim


@BOTH
async def test_claude_starts_the_server_and_runs_the_cli_on_the_right(
    nvim: Editor, program: Path, config_folder: Path
) -> None:
    await nvim.keys(":Claude --resume 'a b'<CR>")

    port, _ = await the_lock(config_folder)

    def shown() -> str:
        return "".join(re.split("[│|]", line, maxsplit=1)[-1] for line in nvim.screen.lines())

    await until(lambda: "given: --permission-mode default --mcp-config=" in shown())
    await until(lambda: " --resume 'a b' port: " in shown())
    await until(lambda: f"port: {port}" in shown())
    await until(lambda: nvim.eval("[winnr('$'), winnr(), mode()] == [2, 2, 't']"))
    assert await nvim.eval("winwidth(2)") == 40


@BOTH
async def test_claude_toggles_the_window_of_its_terminal(nvim: Editor, program: Path) -> None:
    await nvim.keys(":Claude<CR>")
    await until(lambda: "given:" in nvim.screen.text())
    terminal = await nvim.eval("bufnr()")

    await nvim.command("Claude")
    await until(lambda: nvim.eval("winnr('$') == 1 && mode() == 'n'"))

    await nvim.command("Claude")
    await until(lambda: nvim.eval("winnr('$') == 2 && mode() == 't'"))
    assert await nvim.eval("bufnr()") == terminal
    await nvim.keys("hello<CR>")
    await until(lambda: "read: hello" in nvim.screen.text())


@BOTH
async def test_hiding_the_terminal_right_after_showing_it_starts_no_insert_mode(
    nvim: Editor, program: Path
) -> None:
    await nvim.command("call setline(1, 'one')")
    terminal = await open_claude(nvim)
    await nvim.command("Claude")
    await until(lambda: nvim.eval("winnr('$') == 1 && mode() == 'n'"))
    toggle = "require('claude_ide.terminal').toggle({ arguments = {}, side = 'right', size = 0.4 })"

    if isinstance(nvim, Vim):
        # It waits until Vim is idle, so the second follows the first at once.
        request = {"arguments": [], "side": "right", "size": 0.4}
        for _ in range(2):
            nvim.send_request("TestCall", "claude_ide#terminal#Toggle", [request])
        await until(lambda: nvim.eval("winnr('$') == 1"))
    else:
        await nvim.lua(f"{toggle} assert(vim.fn.winnr('$') == 2) {toggle}")
    await nvim.keys("A!<Esc>")

    await until(lambda: nvim.eval("getline(1) =~ '!'"))
    assert await nvim.eval("getline(1)") == "one!"
    assert await nvim.eval(f"bufexists({terminal})")


@BOTH
async def test_the_window_closes_when_the_program_exits_successfully(
    nvim: Editor, program: Path
) -> None:
    await nvim.keys(":Claude<CR>")
    await until(lambda: "given:" in nvim.screen.text())

    await nvim.keys("quit<CR>")

    await until(lambda: nvim.eval("winnr('$') == 1"))
    await nvim.command("Claude")
    await until(lambda: nvim.eval("winnr('$') == 2 && mode() == 't'"))


@BOTH
async def test_a_missing_program_is_named(nvim: Editor) -> None:
    await configure(nvim, cmd="nope")

    await nvim.keys(":Claude<CR>")

    await until(lambda: "claude-ide: nope is not on PATH" in nvim.screen.text())
    assert await nvim.eval("winnr('$')") == 1


@BOTH
@pytest.mark.parametrize(
    ("side", "size", "expected"),
    [("left", 30, [1, 30]), ("below", 8, [2, 8]), ("above", 0.5, [1, 15])],
)
async def test_side_and_size_of_the_terminal_are_configurable(
    nvim: Editor, program: Path, side: str, size: float, expected: list[int]
) -> None:
    await configure(nvim, terminal={"side": side, "size": size})

    await nvim.keys(":Claude<CR>")

    await until(lambda: nvim.eval("winnr('$') == 2 && mode() == 't'"))
    measure = "winwidth(0)" if side == "left" else "winheight(0)"
    assert await nvim.eval(f"[winnr(), {measure}]") == expected


@BOTH
async def test_opening_claude_from_visual_mode_keeps_the_selection(
    nvim: Editor, program: Path, project: Path, config_folder: Path
) -> None:
    path = project / "a.py"
    path.write_text("one\ntwo\nthree\n")
    await nvim.command(f"edit {path}")
    await nvim.command("ClaudeStart!")
    await the_lock(config_folder)
    async with claude_code(config_folder) as claude:
        await nvim.keys("Vj")

        def is_reported() -> bool:
            reported = claude.notifications_of("selection_changed")
            return bool(reported) and reported[-1]["text"].rstrip("\n") == "one\ntwo"

        await until(is_reported)

        await nvim.keys(":Claude<CR>")
        await until(lambda: nvim.eval("mode() == 't'"))

        latest = await claude.json("getLatestSelection")
        assert latest["text"].rstrip("\n") == "one\ntwo"
        assert is_reported()


@BOTH
@pytest.mark.parametrize("command", ["2,3ClaudeSend!", "ClaudeAdd! a.py 2 3", "2,3ClaudeAdd! %"])
async def test_with_a_bang_a_mention_opens_claude_if_none_is_connected(
    program: Path, serving: Editor, project: Path, config_folder: Path, command: str
) -> None:
    (project / "a.py").write_text("one\ntwo\nthree\n")
    await serving.command("edit a.py")

    await serving.keys(f":{command}<CR>")

    await until(lambda: "given: --permission-mode default" in serving.screen.text())
    await until(lambda: serving.eval("mode() == 't'"))
    async with claude_code(config_folder) as claude:
        await until(lambda: claude.notifications_of("at_mentioned"))
        assert claude.notifications_of("at_mentioned") == [
            {"filePath": str(project / "a.py"), "lineStart": 1, "lineEnd": 2}
        ]


@BOTH
async def test_with_a_bang_a_second_mention_goes_to_the_claude_that_is_starting(
    program: Path, serving: Editor, project: Path, config_folder: Path
) -> None:
    (project / "a.py").write_text("one\n")
    await serving.command("edit a.py")
    await serving.keys(":ClaudeSend!<CR>")
    await until(lambda: serving.eval("mode() == 't'"))
    await serving.keys("<C-\\><C-n><C-w>p")
    await until(lambda: serving.eval("expand('%:t') == 'a.py'"))

    await serving.keys(":ClaudeSend!<CR>")

    await until(lambda: serving.eval("mode() == 't'"))
    assert await serving.eval("winnr('$')") == 2
    async with claude_code(config_folder) as claude:
        await until(lambda: len(claude.notifications_of("at_mentioned")) == 2)


@BOTH
async def test_a_range_applies_only_to_the_current_file(
    serving: Editor, claude: ClaudeCode, project: Path
) -> None:
    (project / "a.py").write_text("one\ntwo\n")
    (project / "b.py").write_text("one\ntwo\n")
    await serving.command("edit a.py")

    await serving.command("1,2ClaudeAdd b.py")
    await serving.command("1ClaudeAdd %:p")

    await until(lambda: len(claude.notifications_of("at_mentioned")) == 2)
    assert claude.notifications_of("at_mentioned") == [
        {"filePath": str(project / "b.py")},
        {"filePath": str(project / "a.py"), "lineStart": 0, "lineEnd": 0},
    ]


@BOTH
async def test_a_mention_is_saved_until_a_client_connects(
    serving: Editor, project: Path, config_folder: Path
) -> None:
    path = project / "a.py"
    path.write_text("one\ntwo\nthree\n")
    await serving.command(f"edit {path}")

    await serving.keys(":2,3ClaudeSend<CR>")
    await until(lambda: "saved; Claude gets it when it connects" in serving.screen.text())
    await serving.keys(":ClaudeStatus<CR>")
    await until(lambda: "Mentions waiting for a client: 1" in serving.screen.text())
    assert "  a.py#L2-3" in serving.screen.text()

    async with claude_code(config_folder) as claude:
        await until(lambda: claude.notifications_of("at_mentioned"))
        assert claude.notifications_of("at_mentioned") == [
            {"filePath": str(path), "lineStart": 1, "lineEnd": 2}
        ]


async def has_clients(editor: Editor, count: int) -> bool:
    return bool((await run(editor, "host.server"))["clients"] == count)


@BOTH
async def test_a_mention_goes_to_the_most_recently_active_client(
    serving: Editor, claude: ClaudeCode, project: Path, config_folder: Path
) -> None:
    (project / "a.py").write_text("one\n")
    async with claude_code(config_folder) as other:
        await claude.request("tools/list")
        await other.request("tools/list")
        await until(lambda: has_clients(serving, 2))
        await until(
            lambda: (
                len(claude.notifications_of("ping")) >= 3
                and len(other.notifications_of("ping")) >= 3
            )
        )
        await claude.texts("closeAllDiffTabs")

        await serving.command("ClaudeAdd a.py")

        await until(lambda: claude.notifications_of("at_mentioned"))
        assert other.notifications_of("at_mentioned") == []


@BOTH
async def test_the_operator_sends_mentions_and_can_be_repeated(
    serving: Editor, claude: ClaudeCode, project: Path
) -> None:
    path = project / "a.py"
    path.write_text("one\ntwo\n\nthree\nfour\n")
    await serving.command(f"edit {path} | nmap gs <Plug>(claude-send)| xmap gs <Plug>(claude-send)")
    await until(lambda: claude.notifications_of("selection_changed"))

    await serving.keys("gsipG.")
    await until(lambda: len(claude.notifications_of("at_mentioned")) == 2)
    await serving.keys("ggVjgs")
    await until(lambda: len(claude.notifications_of("at_mentioned")) == 3)

    lines = [(m["lineStart"], m["lineEnd"]) for m in claude.notifications_of("at_mentioned")]
    assert lines == [(0, 1), (3, 4), (0, 1)]


@BOTH
async def test_connected_clients_are_counted_and_announced(
    serving: Editor, config_folder: Path
) -> None:
    is_vim = isinstance(serving, Vim)
    clients = "g:claude_ide_event.clients" if is_vim else "luaeval('vim.g.clients')"
    if not isinstance(serving, Vim):
        await serving.lua(
            "vim.api.nvim_create_autocmd('User', {pattern = 'Claude*onnected',"
            " callback = function(e) vim.g.clients = e.data.clients end})"
        )
    await serving.command(
        "autocmd User Claude*onnected"
        f" let g:seen = get(g:, 'seen', '') . expand('<amatch>') . {clients} . ' '"
    )

    async with claude_code(config_folder):
        await until(lambda: serving.eval("get(g:, 'seen', '') == 'ClaudeConnected1 '"))
        line = "claude_ide#statusline()" if is_vim else "v:lua.require'claude_ide'.statusline()"
        await until(lambda: serving.eval(f"{line} ==# 'Claude: idle'"), "the status line")

    await until(lambda: serving.eval("g:seen =~ 'ClaudeDisconnected0'"))


@pytest.fixture
async def failing(nvim: Editor, program: Path) -> Path:
    """A program that counts its starts, prints an error after one line, and then fails.

    It reads a second line first: Neovim drops output that arrives after the end of its program,
    which happens on a busy machine if a program prints and ends immediately.
    """
    starts = program.with_name("starts")
    program.write_text(
        f'#!/bin/sh\necho x >> {starts}\nread -r line\necho "cannot go on"\nread -r line\nexit 3\n'
    )
    return starts


async def fail(nvim: Editor, starts: Path, count: int = 1) -> None:
    """Make the newest program fail; the screen may still show the output of an earlier one."""
    await until(lambda: starts.exists() and starts.read_text() == "x\n" * count, "it has started")
    await until(lambda: nvim.eval("mode() == 't'"))
    await nvim.keys("<CR>")
    await until(lambda: nvim.eval("getline(1, '$')->index('cannot go on') >= 0"), "its error")
    await nvim.keys("<CR>")
    await until(lambda: has_ended(nvim, "bufnr()"), "it has failed")
    says = "finished" if isinstance(nvim, Vim) else "exited 3"
    await until(lambda: says in nvim.screen.text())


async def has_ended(nvim: Editor, terminal: int | str) -> bool:
    """Return whether the program in a terminal has ended."""
    if isinstance(nvim, Vim):
        return bool(await nvim.eval(f"term_getstatus({terminal}) =~ 'finished'"))
    return bool(await nvim.eval(f"jobwait([getbufvar({terminal}, '&channel')], 0) != [-1]"))


@BOTH
async def test_a_failed_program_keeps_its_output_until_the_next_start(
    nvim: Editor, failing: Path
) -> None:
    await nvim.command("edit a.txt")
    for count in (1, 2, 3):
        await nvim.keys(":Claude<CR>")
        await fail(nvim, failing, count)
        assert await nvim.eval("winnr('$')") == 2
        await nvim.keys("<C-\\><C-n>")
        await until(lambda: nvim.eval("mode() == 'n'"))

    assert failing.read_text() == "x\n" * 3
    terminals = 'filter(getbufinfo(), \'getbufvar(v:val.bufnr, "&buftype") == "terminal"\')'
    assert await nvim.eval(f"len({terminals})") == 1
    assert await nvim.eval("winwidth(2)") == 40


@BOTH
async def test_a_failed_program_whose_window_was_closed_is_started_again(
    nvim: Editor, failing: Path
) -> None:
    await nvim.keys(":Claude<CR>")
    await fail(nvim, failing)
    await nvim.keys("<C-\\><C-n>:q<CR>")
    await until(lambda: nvim.eval("winnr('$') == 1"))

    await nvim.keys(":Claude<CR>")

    await until(lambda: nvim.eval("winnr('$') == 2 && mode() == 't'"))
    await until(lambda: failing.read_text() == "x\n" * 2)


@BOTH
async def test_a_program_that_failed_while_hidden_first_shows_its_output(
    nvim: Editor, failing: Path
) -> None:
    await nvim.keys(":Claude<CR>")
    await until(lambda: nvim.eval("mode() == 't'"))
    terminal = await nvim.eval("bufnr()")
    await nvim.command("Claude")
    await until(lambda: nvim.eval("winnr('$') == 1"))
    await type_into(nvim, terminal, "\r")
    await until(lambda: nvim.eval(f"getbufline({terminal}, 1, '$')->index('cannot go on') >= 0"))
    await type_into(nvim, terminal, "\r")
    await until(lambda: has_ended(nvim, terminal))

    await nvim.keys(":Claude<CR>")
    await until(lambda: "cannot go on" in nvim.screen.text())
    assert failing.read_text() == "x\n"

    await nvim.keys(":Claude<CR>")
    await until(lambda: failing.exists() and failing.read_text() == "x\n" * 2)
    await until(lambda: nvim.eval("winnr('$') == 2"))
