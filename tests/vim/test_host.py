"""The host of a real Vim: its start, its end, and what outlives it."""

import os
import signal
import sys
from pathlib import Path

import pytest

from support.checkout import program
from support.claude_code import ClaudeCode, claude_code, connected, locks, the_lock
from support.either_editor import shows_a_diff
from support.neovim import until
from support.processes import alive, at_rest, under
from support.vim import Vim


async def the_holder(vim: Vim) -> int:
    """Return the id of the process that holds the port, once it does."""
    await until(lambda: vim.eval("claude_ide#host#port_hold#Port()"), "the port is held")
    [holder] = [pid for pid in under(vim.process.pid) if b"port_hold.py" in command_line(pid)]
    return holder


def command_line(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


async def test_start_announces_vim_to_the_cli(
    serving_vim: Vim, config_folder: Path, project: Path
) -> None:
    port, lock = await the_lock(config_folder)

    assert lock["ideName"] == "Vim"
    assert lock["pid"] == serving_vim.process.pid
    assert lock["workspaceFolders"] == [str(project)]
    assert await serving_vim.eval("$CLAUDE_CODE_SSE_PORT") == str(port)


async def test_the_server_calls_itself_vim(serving_vim: Vim, config_folder: Path) -> None:
    port, lock = await the_lock(config_folder)
    async with connected(port, lock["authToken"]) as client:
        answer = await client.initialize()

    assert answer["serverInfo"]["title"] == "Vim"


async def test_neither_token_nor_options_are_in_the_arguments_of_the_host(
    serving_vim: Vim, config_folder: Path
) -> None:
    _, lock = await the_lock(config_folder)
    arguments = Path(f"/proc/{lock['hostPid']}/cmdline").read_bytes()

    assert lock["authToken"].encode() not in arguments
    assert b"config" not in arguments
    assert "CLAUDE_IDE_HOST" not in await serving_vim.eval("environ()")


async def test_stop_removes_the_lock_and_restores_the_environment(
    serving_vim: Vim, config_folder: Path
) -> None:
    await serving_vim.keys(":ClaudeStop<CR>")

    await until(lambda: not locks(config_folder), "the lock is gone")
    await until(lambda: serving_vim.eval("$CLAUDE_CODE_SSE_PORT == ''"))
    await until(lambda: "server stopped" in serving_vim.screen.text())


@pytest.mark.parametrize("command", ["qa!", "cquit"])
async def test_the_host_ends_with_vim(
    serving_vim: Vim, vim_client: ClaudeCode, config_folder: Path, command: str
) -> None:
    _, lock = await the_lock(config_folder)

    await serving_vim.keys(f":{command}<CR>")

    await until(lambda: serving_vim.process.returncode is not None, "Vim has ended")
    await until(lambda: not locks(config_folder), "the lock is gone")
    await until(lambda: not alive(lock["hostPid"]), "the host has ended")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
async def test_the_host_ends_with_a_vim_that_is_killed(
    serving_vim: Vim, config_folder: Path, number: signal.Signals
) -> None:
    _, lock = await the_lock(config_folder)
    await at_rest(serving_vim.process.pid)

    os.kill(serving_vim.process.pid, number)

    await until(lambda: not locks(config_folder), "the lock is gone")
    await until(lambda: not alive(lock["hostPid"]), "the host has ended")


async def test_nothing_survives_a_killed_vim_although_a_later_job_has_inherited_the_pipes(
    serving_vim: Vim, config_folder: Path
) -> None:
    _, lock = await the_lock(config_folder)
    holder = await the_holder(serving_vim)
    await serving_vim.command("let g:other = job_start(['sleep', '600'])")
    other = await serving_vim.eval("job_info(g:other).process")
    # Before that it is a copy of Vim, which the end of its terminal would kill.
    await until(lambda: command_line(other).startswith(b"sleep"), "it runs")

    try:
        os.kill(serving_vim.process.pid, signal.SIGKILL)

        await until(lambda: not alive(lock["hostPid"]), "the host has ended")
        await until(lambda: not alive(holder), "the port is released")
        assert not locks(config_folder)
        assert alive(other)
    finally:
        os.kill(other, signal.SIGKILL)


async def test_the_process_that_holds_the_port_ends_with_vim(serving_vim: Vim) -> None:
    holder = await the_holder(serving_vim)

    os.kill(serving_vim.process.pid, signal.SIGKILL)

    await until(lambda: not alive(holder), "the port is released")


async def test_a_killed_holder_is_replaced_after_the_next_start(
    serving_vim: Vim, config_folder: Path
) -> None:
    port, lock = await the_lock(config_folder)
    os.kill(await the_holder(serving_vim), signal.SIGKILL)
    await until(lambda: serving_vim.eval("claude_ide#host#port_hold#Port() == 0"))

    os.kill(lock["hostPid"], signal.SIGKILL)

    await until(lambda: "was restarted" in serving_vim.screen.text())
    await the_holder(serving_vim)
    again, new = await the_lock(config_folder)
    assert again == port
    assert new["authToken"] != lock["authToken"]


async def test_a_host_that_keeps_dying_is_given_up(serving_vim: Vim, config_folder: Path) -> None:
    dead: set[int] = set()
    for _ in range(4):
        await until(lambda: [1 for _, lock in locks(config_folder) if lock["hostPid"] not in dead])
        await until(lambda: serving_vim.eval("claude_ide#host#Server()"), "listening")
        _, lock = await the_lock(config_folder)
        dead.add(lock["hostPid"])
        os.kill(lock["hostPid"], signal.SIGKILL)

    await until(lambda: "the Python host died (killed) (:ClaudeLog)" in serving_vim.screen.text())
    assert not locks(config_folder)
    assert await serving_vim.eval("$CLAUDE_CODE_SSE_PORT") == ""


async def test_a_stopped_host_does_not_block_vim(serving_vim: Vim, config_folder: Path) -> None:
    _, lock = await the_lock(config_folder)
    os.kill(lock["hostPid"], signal.SIGSTOP)
    try:
        await serving_vim.command(
            "call claude_ide#channel#Emit('unknown', {'text': [repeat('x', 1000000)]})"
        )
        assert await serving_vim.eval("1 + 1") == 2
    finally:
        os.kill(lock["hostPid"], signal.SIGCONT)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ("{'autostart': 1}", "g:claude_ide.autostart is not an option; did you mean auto_start?"),
        ("{'diff': 'tab'}", "g:claude_ide.diff must be a dictionary, not a string"),
        ("{'auto_start': 'yes'}", "g:claude_ide.auto_start must be a boolean, not a string"),
        ("{'hooks': {-> 1}}", "g:claude_ide.hooks must not be a function"),
        ("{'log_level': 'loud'}", '"loud" is not one of "debug", "info", "warning", "error"'),
    ],
)
async def test_a_wrong_option_is_reported_when_the_server_starts(
    vim: Vim, options: str, complaint: str
) -> None:
    await vim.command(f"call extend(g:claude_ide, {options})")

    await vim.keys(":ClaudeStart<CR>")

    await until(lambda: vim.eval("claude_ide#host#Server()"), "it starts all the same")
    await until(lambda: vim.eval(f"execute('messages') =~ '\\V{complaint}'"), complaint)
    assert (await vim.mode())["mode"] == "n"


async def test_options_that_are_no_dictionary_are_reported(vim: Vim) -> None:
    await vim.command("let g:claude_ide = 'tab'")
    own = Path(await vim.call("claude_ide#python#Own"))
    program(own / "bin/python", f"exec '{sys.executable}' \"$@\"")

    await vim.keys(":ClaudeStart<CR>")

    complaint = "g:claude_ide must be a dictionary, not a string"
    await until(lambda: vim.eval(f"execute('messages') =~ '{complaint}'"), complaint)


async def test_a_python_that_is_missing_is_named(vim: Vim) -> None:
    await vim.command("let g:claude_ide.python = '/nowhere/python'")

    await vim.keys(":ClaudeStart<CR>")

    await until(
        lambda: "g:claude_ide.python is not executable: /nowhere/python" in vim.screen.text()
    )

    await vim.command("let g:claude_ide.python = '/bin/true' | ClaudeStatus")

    await until(lambda: "the Python host died (exit 0): /bin/true" in vim.screen.text())


async def test_what_needs_neovim_says_so_in_one_line(vim: Vim) -> None:
    await vim.keys(":ClaudeChat<CR>")

    await until(lambda: "claude-ide: :ClaudeChat needs Neovim" in vim.screen.text())
    assert (await vim.mode())["mode"] == "n"


async def test_a_command_after_the_start_ends_in_no_prompt(vim: Vim) -> None:
    """Vim asks for <Enter> if a callback has compiled a function with a lambda block."""
    await vim.keys(":ClaudeStart<CR>")
    await until(lambda: "ready (127.0.0.1" in vim.screen.text())

    await vim.keys(":let g:typed = 1<CR>")

    await until(lambda: vim.eval("exists('g:typed')"))
    assert (await vim.mode())["mode"] == "n"
    assert "ready (127.0.0.1" in await vim.eval("execute('messages')")


async def test_an_outdated_host_stops_although_a_later_job_has_inherited_its_pipe(
    serving_vim: Vim, config_folder: Path
) -> None:
    _, lock = await the_lock(config_folder)
    # It also inherits the channel of this test.
    await serving_vim.command("let g:other = job_start(['sleep', '600'])")
    try:
        assert await serving_vim.eval("claude_ide#host#Outdate()")

        await serving_vim.keys(":ClaudeStop<CR>")

        await until(lambda: not alive(lock["hostPid"]), "the host has ended")
        await until(lambda: "claude-ide: stopped" in serving_vim.screen.text())
        assert await serving_vim.eval("job_status(g:other)") == "run"
        assert "died" not in await serving_vim.eval("execute('messages')")
    finally:
        await serving_vim.eval("job_stop(g:other, 'kill')")


async def test_a_vim_without_a_language_is_refused_in_one_line(
    vim_program: str, project: Path, tmp_path: Path, config_folder: Path
) -> None:
    home = tmp_path / "home"
    vim = await Vim.start(cwd=project, home=home, env={"LANG": "C", "LC_ALL": "C"})
    try:
        assert await vim.eval("&encoding") == "latin1"
        await vim.keys(":ClaudeStart<CR>")

        refusal = "'encoding' is latin1, but claude-ide needs utf-8"
        await until(lambda: refusal in vim.screen.text(), "the refusal")
        assert (await vim.mode())["mode"] == "n"
        assert not locks(config_folder)
    finally:
        await vim.stop()


async def test_the_data_of_an_event_is_there_while_it_is_announced(
    serving_vim: Vim, config_folder: Path
) -> None:
    await serving_vim.command("autocmd User ClaudeConnected let g:seen = g:claude_ide_event")
    await serving_vim.command("autocmd User ClaudeDisconnected let g:gone = g:claude_ide_event")

    async with claude_code(config_folder):
        await until(lambda: serving_vim.eval("get(g:, 'seen', {}) == {'clients': 1}"))
        assert await serving_vim.eval("exists('g:claude_ide_event')") == 0

    await until(lambda: serving_vim.eval("get(g:, 'gone', {}) == {'clients': 0}"))


async def test_the_first_diff_finds_its_scripts_loaded(
    serving_vim: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    loaded = "map(filter(getscriptinfo(), '!v:val.autoload'), 'v:val.name')"

    async def scripts() -> set[str]:
        ours = [name for name in await serving_vim.eval(loaded) if "autoload/claude_ide" in name]
        return {name for name in ours if "/diagnostics/" not in name}

    path = project / "a.py"
    path.write_text("one = 1\n")
    last = f"match({loaded}, 'claude_ide/window/winbar.vim') >= 0"
    await until(lambda: serving_vim.eval(last), "all are loaded")
    before = await scripts()

    vim_client.start_call(
        "openDiff", {"old_file_path": str(path), "new_file_contents": "two = 2\n"}
    )
    await until(lambda: shows_a_diff(serving_vim), "a diff")

    assert await scripts() == before
    assert await serving_vim.eval("v:errmsg") == ""
