"""The life of the server: its announcement, its end, and its restart after a crash."""

import asyncio
import contextlib
import os
import signal
import stat
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Protocol

import pytest
import websockets

from support.claude_code import ClaudeCode, claude_code, connected, locks, the_lock
from support.either_editor import (
    BOTH,
    Editor,
    configure,
    diffs,
    has_host,
    holds_port,
    is_serving,
    name_of,
    open_terminal,
)
from support.neovim import WAIT_SECONDS, Neovim, until
from support.processes import alive, at_rest, under
from support.vim import Vim


@pytest.fixture
async def second(nvim: Editor, project: Path, tmp_path: Path) -> AsyncIterator[Editor]:
    """A second editor of the same kind in the same project, with the same config folder."""
    editor: Editor = await type(nvim).start(cwd=project, home=tmp_path / "home")
    yield editor
    await editor.stop()


class Begin(Protocol):
    """Starts an editor, which runs a command before its vimrc."""

    async def __call__(self, command: str) -> Editor: ...


EACH = pytest.mark.parametrize(
    "start",
    [pytest.param("neovim", marks=pytest.mark.neovim), pytest.param("vim", marks=pytest.mark.vim)],
    indirect=True,
)
"""The fixture `start` starts a Neovim first and then a Vim."""


@pytest.fixture
async def start(
    request: pytest.FixtureRequest, project: Path, tmp_path: Path
) -> AsyncIterator[Begin]:
    """Starts an editor, killed when the test ends."""
    running: list[Editor] = []

    async def begin(command: str) -> Editor:
        kind: type[Editor] = Neovim
        if request.param == "vim":
            request.getfixturevalue("vim_program")
            kind = Vim
        running.append(await kind.start("--cmd", command, cwd=project, home=tmp_path / "home"))
        return running[-1]

    yield begin
    for editor in running:
        await editor.stop()


@BOTH
async def test_no_python_runs_before_the_first_command(nvim: Editor) -> None:
    assert await nvim.eval("exists(':ClaudeStart')") == 2
    assert not under(await nvim.eval("getpid()"))


@BOTH
async def test_start_reports_the_address_and_a_second_start_that_it_is_running(
    nvim: Editor, config_folder: Path
) -> None:
    await nvim.keys(":ClaudeStart<CR>")
    port, _ = await the_lock(config_folder)
    await until(lambda: f"ready (127.0.0.1:{port})" in nvim.screen.text())

    await nvim.keys(":ClaudeStart<CR>")

    await until(lambda: f"already running (127.0.0.1:{port})" in nvim.screen.text())
    assert (await nvim.mode())["blocking"] is False
    assert len(locks(config_folder)) == 1


@BOTH
async def test_the_lock_file_contains_what_the_cli_needs_and_is_private(
    serving: Editor, config_folder: Path, project: Path
) -> None:
    port, lock = await the_lock(config_folder)

    assert lock["workspaceFolders"] == [str(project)]
    assert lock["pid"] == await serving.eval("getpid()")
    assert lock["ideName"] == name_of(serving)
    assert lock["transport"] == "ws"
    assert lock["runningInWindows"] is False
    assert len(lock["authToken"]) == 86
    path = config_folder / "ide" / f"{port}.lock"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@BOTH
async def test_the_lock_file_follows_the_working_folder(
    serving: Editor, config_folder: Path, project: Path
) -> None:
    (project / "sub").mkdir()

    await serving.command("tcd sub")

    folders = {str(project), str(project / "sub")}
    await until(lambda: set(locks(config_folder)[0][1]["workspaceFolders"]) == folders)


@BOTH
async def test_two_neovims_in_one_project_have_different_names(
    serving: Editor, second: Editor, config_folder: Path
) -> None:
    await second.command("ClaudeStart!")

    await until(lambda: len(locks(config_folder)) == 2)
    assert {lock["ideName"] for _, lock in locks(config_folder)} == {
        name_of(serving),
        f"{name_of(second)} (project)",
    }


@BOTH
async def test_stop_closes_connections_with_1001_and_withdraws_everything(
    serving: Editor, claude: ClaudeCode, config_folder: Path, project: Path
) -> None:
    path = project / "a.py"
    path.write_text("x\n")
    asked = claude.start_call("openDiff", {"old_file_path": str(path), "new_file_contents": "y\n"})
    await until(lambda: diffs(serving))

    await serving.command("ClaudeStop")

    result = await asyncio.wait_for(asked[1], WAIT_SECONDS)
    assert result["content"][0]["text"] == "DIFF_REJECTED"
    await until(lambda: claude.connection.close_code == 1001)
    assert locks(config_folder) == []
    await until(lambda: serving.eval("!exists('$CLAUDE_CODE_SSE_PORT')"))
    await until(lambda: serving.eval("tabpagenr('$') == 1"))


@BOTH
async def test_a_restarted_server_has_the_same_port_and_another_token(
    serving: Editor, config_folder: Path
) -> None:
    before = await the_lock(config_folder)
    await serving.command("ClaudeStop")
    await until(lambda: not locks(config_folder))

    await serving.command("ClaudeStart!")

    after = await the_lock(config_folder)
    assert after[0] == before[0]
    assert after[1]["authToken"] != before[1]["authToken"]
    async with claude_code(config_folder) as client:
        assert await client.request("ping") == {}


@BOTH
async def test_later_terminals_have_the_servers_address_in_their_environment(
    serving: Editor, config_folder: Path
) -> None:
    port, _ = await the_lock(config_folder)

    await open_terminal(serving, command="env")

    expected = [f"CLAUDE_CODE_SSE_PORT={port}", "ENABLE_IDE_INTEGRATION=true"]
    expected += ["no_proxy=127.0.0.1", "NO_PROXY=127.0.0.1"]
    await until(
        lambda: all(each in serving.screen.text() for each in expected), "\n".join(expected)
    )


@BOTH
@pytest.mark.parametrize("end", ["qa", "SIGTERM", "SIGKILL", "SIGHUP"])
async def test_lock_and_host_disappear_however_neovim_ends(
    serving: Editor, claude: ClaudeCode, config_folder: Path, end: str
) -> None:
    _, lock = await the_lock(config_folder)
    await at_rest(serving.process.pid)

    if end == "qa":
        serving.send_request("TestCommand" if isinstance(serving, Vim) else "nvim_command", "qa!")
    else:
        serving.process.send_signal(getattr(signal, end))

    await until(lambda: not locks(config_folder), "no lock")
    await until(lambda: claude.connection.close_code == 1001, "closed as going away")
    await until(lambda: not alive(lock["hostPid"]), "no host")


async def is_idle(editor: Editor) -> bool:
    return not await is_serving(editor)


@BOTH
async def test_a_terminated_host_removes_its_lock_file(
    serving: Editor, config_folder: Path
) -> None:
    _, lock = await the_lock(config_folder)

    os.kill(lock["hostPid"], signal.SIGTERM)

    await until(lambda: not locks(config_folder))
    await until(lambda: is_idle(serving))


def killed(editor: Editor) -> str:
    """Return how the editor words the end of a process that was killed."""
    return "killed" if isinstance(editor, Vim) else "exit 137"


@BOTH
async def test_a_killed_host_is_restarted_at_the_same_address(
    serving: Editor, claude: ClaudeCode, config_folder: Path
) -> None:
    port, lock = await the_lock(config_folder)
    await until(lambda: holds_port(serving, port), "the port is held")

    os.kill(lock["hostPid"], signal.SIGKILL)

    def is_back() -> bool:
        found = locks(config_folder)
        return len(found) == 1 and found[0][1]["hostPid"] != lock["hostPid"]

    await until(is_back, "a new host")
    async with connected(port, lock["authToken"]) as client:
        await client.initialize()
        assert await client.request("ping") == {}
    await until(lambda: f"died ({killed(serving)}) and was restarted" in serving.screen.text())
    assert (await serving.mode())["blocking"] is False


@BOTH
async def test_a_host_that_keeps_dying_is_not_restarted(
    serving: Editor, config_folder: Path
) -> None:
    dead = set[int]()
    for _ in range(4):
        await until(lambda: is_serving(serving), "listening")
        _, lock = await the_lock(config_folder)
        dead.add(lock["hostPid"])
        os.kill(lock["hostPid"], signal.SIGKILL)
        await until(lambda: is_idle(serving))

        def settled() -> bool:
            found = locks(config_folder)
            return bool(found) and found[0][1]["hostPid"] not in dead

        if len(dead) <= 3:
            await until(settled, "a new host")

    died = f"the Python host died ({killed(serving)})"
    await until(lambda: died in serving.screen.text(), died)
    assert not await has_host(serving)

    await serving.command("ClaudeStart!")
    await until(lambda: is_serving(serving), "listening")
    assert len(locks(config_folder)) == 1


@BOTH
async def test_only_our_own_stale_lock_files_are_removed_at_start(
    nvim: Editor, config_folder: Path
) -> None:
    folder = config_folder / "ide"
    folder.mkdir(parents=True)
    dead = 2**22 + 1
    ours = folder / "1111.lock"
    ours.write_text(f'{{"plugin": "claude-ide", "pid": {dead}, "hostPid": {dead}}}')
    foreign = folder / "2222.lock"
    foreign.write_text(f'{{"ideName": "Other", "pid": {dead}}}')

    await nvim.command("ClaudeStart!")

    await until(lambda: len(locks(config_folder)) == 2 and not ours.exists())
    assert foreign.exists()


async def test_update_remote_plugins_does_no_harm(serving: Neovim, tmp_path: Path) -> None:
    await serving.command("let g:python3_host_prog = g:claude_ide.python")

    await serving.command("silent UpdateRemotePlugins")

    manifest = tmp_path / "home" / "data" / "nvim" / "rplugin.vim"
    await until(manifest.exists)
    assert "ClaudeStart" not in manifest.read_text()
    assert await is_serving(serving)


@BOTH
async def test_a_client_without_the_token_leaves_the_screen_unchanged(
    serving: Editor, config_folder: Path
) -> None:
    port, _ = await the_lock(config_folder)
    before = serving.screen.text()

    with contextlib.suppress(websockets.InvalidStatus):
        async with connected(port, "wrong"):
            raise AssertionError("the server accepted a wrong token")

    assert serving.screen.text() == before


@EACH
async def test_auto_start_runs_without_disturbing_the_first_screen(
    start: Begin, config_folder: Path
) -> None:
    editor = await start("let g:claude_ide.auto_start = v:true")

    await the_lock(config_folder)
    await until(lambda: is_serving(editor), "listening")
    intro = "VIM - Vi IMproved" if isinstance(editor, Vim) else "NVIM"
    await until(lambda: intro in editor.screen.text(), "the intro")
    assert "claude-ide" not in editor.screen.text()


OPTIONS = "let g:claude_ide = extend(g:claude_ide, {'auto_start': v:true, 'keys': v:true})"
LOAD = "execute 'runtime plugin/claude_ide.' .. (has('nvim') ? 'lua' : 'vim')"


async def options_count(editor: Editor, config_folder: Path) -> None:
    """Check that the options of `OPTIONS` have an effect."""
    await the_lock(config_folder)
    await until(lambda: editor.eval(r"maparg('\ac', 'n') =~# 'claude-toggle'"), "the keys")


@EACH
async def test_options_count_for_a_plugin_that_is_loaded_later(
    start: Begin, config_folder: Path
) -> None:
    """A plugin manager may load it on an event, or the user with `:packadd`."""
    editor = await start(f"{OPTIONS} | let g:loaded_claude_ide = v:true")

    await editor.command(f"unlet g:loaded_claude_ide | {LOAD}")

    await options_count(editor, config_folder)


@EACH
async def test_options_count_that_are_set_after_the_plugin_is_loaded(
    start: Begin, config_folder: Path
) -> None:
    editor = await start(f"{LOAD} | {OPTIONS}")

    await options_count(editor, config_folder)


@BOTH
async def test_an_unknown_option_is_reported_and_the_server_starts(
    nvim: Editor, config_folder: Path
) -> None:
    await configure(nvim, autostart=1)

    await nvim.command("ClaudeStart!")

    await the_lock(config_folder)
    await until(lambda: "g:claude_ide.autostart is not an option" in nvim.screen.text())
    await until(lambda: "auto_start?" in nvim.screen.text())
