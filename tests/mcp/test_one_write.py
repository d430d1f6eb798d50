"""One write to a file that several parties notice is handled exactly once."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from claude_ide.editor.disk import HINT
from support.chunks import chunk
from support.claude_code import ClaudeCode, claude_code, the_lock
from support.language_client import attach, received
from support.neovim import WAIT_SECONDS, Neovim, until

OLD = "one\ntwo\nthree\n"
NEW = "one\na wrong two\nthree\n"
MINUS = "\N{MINUS SIGN}"

COUNT = chunk("one_write/count")
SERVES = "return require('claude_ide.host').server() ~= nil"
NONE_EXPECTED = """
return #vim.api.nvim_get_autocmds({
  event = 'FileChangedShell',
  group = 'claude_ide_file_disk',
}) == 0
"""
REMNANTS = chunk("one_write/remnants")


@pytest.fixture
async def log(serving: Neovim, project: Path, tmp_path: Path) -> Path:
    """The log of what the language server of an open file receives."""
    (project / "a.txt").write_text(OLD)
    log = tmp_path / "server.log"
    await serving.command("set hidden | edit a.txt")
    await attach(serving, "--save", "yes", "--log", str(log), "--version")
    await serving.lua(COUNT)
    return log


@pytest.fixture
async def other(serving: Neovim, config_folder: Path) -> AsyncIterator[ClaudeCode]:
    """A second client."""
    async with claude_code(config_folder) as client:
        yield client


async def reports(nvim: Neovim) -> Any:
    return await nvim.lua("return { _G.counts, _G.shown }")


async def shows(nvim: Neovim, path: Path, text: str) -> None:
    """Wait until the buffer contains the text and no write is expected."""
    code = """
        local bufnr = vim.fn.bufnr(...)
        return table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), '\\n') .. '\\n'
    """

    async def is_shown() -> bool:
        return bool(await nvim.lua(code, str(path)) == text)

    await until(is_shown, f"{path.name} is shown")


ONCE = {"FileChangedShellPost a.txt": 1, "User a.txt": 1}


@pytest.mark.parametrize("is_named", [True, False])
async def test_a_write_noticed_by_several_requests_at_once_is_applied_once(
    serving: Neovim, claude: ClaudeCode, other: ClaudeCode, project: Path, log: Path, is_named: bool
) -> None:
    path = project / "a.txt"
    if is_named:
        await claude.json("getDiagnostics", {"uri": f"file://{path}"})
    path.write_text(NEW)

    answers = await asyncio.gather(
        claude.json("getDiagnostics"),
        other.json("getDiagnostics"),
        claude.json_for_model("getDiagnostics", {"uri": str(path)}),
        claude.json("getDiagnostics"),
    )
    await serving.command("checktime")
    await serving.command("doautocmd FocusGained")

    for (file,) in answers:
        assert [item["message"] for item in file["diagnostics"]] == ["wrong word"]
    await shows(serving, path, NEW)
    await until(lambda: serving.lua("return #_G.shown > 0"))
    by = "Claude changed a.txt" if is_named else "a.txt changed on disk"
    hint = HINT if is_named else ""
    expected = [f"{by} (+1 {MINUS}1); u undoes{hint}"]
    assert await reports(serving) == [ONCE, expected]
    assert len(received(log, "textDocument/didChange")) == 1
    assert len(received(log, "textDocument/didSave")) == 1
    await serving.keys("u")
    await shows(serving, path, OLD)


async def test_an_accepted_diff_is_applied_once_while_two_clients_wait(
    serving: Neovim, claude: ClaudeCode, other: ClaudeCode, project: Path, log: Path
) -> None:
    path = project / "a.txt"
    _, answer = claude.start_call(
        "openDiff",
        {
            "old_file_path": str(path),
            "new_file_path": str(path),
            "new_file_contents": NEW,
            "tab_name": "tab",
        },
    )
    shown = "local diff = require('claude_ide.diff').list()[1] return diff and diff.shown or false"
    await until(lambda: serving.lua(shown), "the diff accepts keys")
    asked = [asyncio.create_task(one.json("getDiagnostics")) for one in (claude, other)]
    await serving.command("ClaudeAccept")
    saved = await asyncio.wait_for(answer, WAIT_SECONDS)
    assert saved["content"][0]["text"] == "FILE_SAVED"
    path.write_text(NEW)
    asked += [asyncio.create_task(one.json("getDiagnostics")) for one in (claude, other)]
    await asyncio.gather(*asked)

    for task in asked[2:]:
        (file,) = task.result()
        assert [item["message"] for item in file["diagnostics"]] == ["wrong word"]
    await shows(serving, path, NEW)
    assert await reports(serving) == [ONCE, []]
    assert len(received(log, "textDocument/didChange")) == 1
    assert len(received(log, "textDocument/didSave")) == 1


async def test_a_file_that_was_emptied_to_be_written_is_not_followed_at_once(
    serving: Neovim, project: Path, log: Path
) -> None:
    code = """
        vim.fn.writefile({}, 'a.txt')
        return { require('claude_ide.disk_changes.reload').sync(), vim.fn.getline(1, '$') }
    """

    assert await serving.lua(code) == [[], OLD.split()]

    await shows(serving, project / "a.txt", "\n")


async def test_a_write_after_an_undo_is_a_new_change(
    serving: Neovim, claude: ClaudeCode, project: Path, log: Path
) -> None:
    path = project / "a.txt"
    path.write_text(NEW)
    await shows(serving, path, NEW)
    await serving.keys("u")
    await shows(serving, path, OLD)

    path.write_text(OLD + "wrong\n")
    await claude.json("getDiagnostics")

    assert await serving.eval("&modified") == 1
    await shows(serving, path, OLD)
    kept = "a.txt changed on disk; unsaved changes kept"
    await until(lambda: serving.lua("return _G.shown[#_G.shown] == ...", kept))
    await serving.command("edit!")
    await shows(serving, path, OLD + "wrong\n")
    path.write_text(NEW)
    await shows(serving, path, NEW)


async def test_a_switch_of_branches_is_announced_once_for_each_open_file(
    serving: Neovim, claude: ClaudeCode, project: Path, log: Path
) -> None:
    paths = [project / f"f{number}.txt" for number in range(200)]
    for path in paths:
        path.write_text(OLD)
    load = "for _, path in ipairs(...) do local b = vim.fn.bufadd(path); vim.fn.bufload(b); "
    load += "vim.bo[b].buflisted = true end"
    await serving.lua(load, [str(path) for path in paths[:30]])

    for path in paths:
        path.unlink()
    for path in paths:
        path.write_text(NEW)
    await asyncio.gather(*[claude.json("getDiagnostics") for _ in range(3)])

    for path in paths[:30]:
        await shows(serving, path, NEW)
    await until(lambda: serving.lua("return #_G.shown > 0"))
    once = {
        f"{event} {path.name}": 1
        for path in paths[:30]
        for event in ("FileChangedShellPost", "User")
    }
    expected = f"30 files changed on disk (+30 {MINUS}30); u undoes each"
    assert await reports(serving) == [once, [expected]]


async def test_a_write_during_insert_mode_is_applied_afterwards(
    serving: Neovim, claude: ClaudeCode, project: Path, log: Path
) -> None:
    path = project / "a.txt"
    await serving.keys("A")
    await until(lambda: serving.eval("mode() ==# 'i'"))

    path.write_text(NEW)
    await claude.json("getDiagnostics")
    assert await reports(serving) == [[], []]
    await serving.keys("<Esc>")

    await shows(serving, path, NEW)
    await until(lambda: serving.lua("return #_G.shown > 0"))
    assert await reports(serving) == [ONCE, [f"a.txt changed on disk (+1 {MINUS}1); u undoes"]]


@pytest.mark.parametrize("keys", ["i", "Ax<Esc>"])
async def test_the_model_is_notified_if_the_buffer_does_not_contain_its_write(
    serving: Neovim, claude: ClaudeCode, project: Path, log: Path, keys: str
) -> None:
    path = project / "a.txt"

    async def note() -> str:
        (file,) = await claude.json_for_model("getDiagnostics", {"uri": str(path)})
        return str(file.get("note", ""))

    async def is_checked() -> bool:
        return (await note()) == ""

    await serving.keys(keys)
    await until(lambda: serving.eval("&modified || mode() ==# 'i'"))
    await until(is_checked)
    path.write_text(NEW)

    behind = "the file has changed on disk; these are for the older text that Neovim shows"
    assert await note() == behind
    await serving.keys("<Esc>:edit!<CR>")
    await shows(serving, path, NEW)
    assert await note() == ""


async def test_a_language_server_that_dies_during_the_wait_does_not_delay_the_answer(
    serving: Neovim, claude: ClaudeCode, project: Path, log: Path
) -> None:
    never = await attach(serving, "--publish", "never", "--reads-code", name="never")
    (project / "a.txt").write_text(NEW)

    _, answer = claude.start_call("getDiagnostics", {})
    await until(lambda: received(log, "textDocument/didChange"))
    pid = "return vim.lsp.get_client_by_id(...).rpc.terminate()"
    await serving.lua(pid, never)

    text = (await answer)["content"][0]["text"]
    assert text.count("wrong word") == 1
    assert (await reports(serving))[0] == ONCE


async def test_changes_of_a_file_loaded_for_checking_are_reported_once_it_is_opened(
    serving: Neovim, claude: ClaudeCode, project: Path, log: Path
) -> None:
    path = project / "b.txt"
    path.write_text(OLD)
    await claude.json_for_model("getDiagnostics", {"uri": str(path)})
    assert await serving.eval("bufloaded('b.txt') && !buflisted('b.txt')")

    path.write_text("1\n")
    await shows(serving, path, "1\n")
    path.write_text("2\n")
    await serving.command("edit b.txt")
    await until(lambda: serving.eval("buflisted('b.txt')"))
    await shows(serving, path, "2\n")
    path.write_text("2\n3\n")
    await shows(serving, path, "2\n3\n")

    # Both writes since the buffer was listed may be reported together, or each by itself.
    last = [
        f"b.txt changed on disk (+{added}); u undoes" for added in (f"1 {MINUS}0", f"2 {MINUS}1")
    ]
    is_last = "return vim.list_contains(..., _G.shown[#_G.shown])"
    await until(lambda: serving.lua(is_last, last), "the last write is reported")
    announced, shown = await reports(serving)
    assert len(shown) <= 2
    assert announced["User b.txt"] == 3
    assert await serving.eval("[&l:autoread, &swapfile]") == [-1, await serving.eval("&g:swapfile")]


@pytest.mark.parametrize("option", ["hidden", "nohidden", "noautoread", "swapfile", "autowriteall"])
async def test_a_file_that_is_deleted_and_recreated_is_applied_once(
    serving: Neovim, claude: ClaudeCode, project: Path, log: Path, option: str
) -> None:
    path = project / "a.txt"
    await serving.command(f"set {option}")
    if option == "noautoread":
        await claude.json("getDiagnostics", {"uri": f"file://{path}"})

    path.unlink()
    await claude.json("getDiagnostics")
    assert await reports(serving) == [[], []]
    path.write_text(NEW)
    (file,) = await claude.json("getDiagnostics")

    assert len(file["diagnostics"]) == 1
    await until(lambda: serving.lua("return #_G.shown > 0"))
    assert (await reports(serving))[0] == ONCE
    assert len(received(log, "textDocument/didChange")) == 1
    assert await serving.eval("[&modified, &l:autoread]") == [0, -1]
    assert not path.with_name(".a.txt.swp").exists() or option == "swapfile"


async def test_two_writes_reported_in_one_line_count_as_one_change(
    serving: Neovim, claude: ClaudeCode, project: Path, log: Path
) -> None:
    path = project / "a.txt"
    write = chunk("one_write/write_and_sync")
    lines = OLD.split()
    await serving.lua(write, str(path), [[*lines, "four"], [*lines, "four", "five"]])

    await until(lambda: serving.lua("return #_G.shown > 0"))
    assert (await reports(serving))[1] == [f"a.txt changed on disk (+2 {MINUS}0); 2u undoes"]


async def test_repeated_starts_and_stops_leak_nothing(
    nvim: Neovim, project: Path, config_folder: Path
) -> None:
    paths = [project / folder / "a.txt" for folder in "xyz"]
    for path in paths:
        path.parent.mkdir()
        path.write_text(OLD)
        await nvim.command(f"set hidden | edit {path}")

    async def quiet() -> Any:
        found = await nvim.lua(REMNANTS)
        return "timer" not in found["handles"] and found

    remains = []
    for number in range(3):
        await nvim.command("ClaudeStart!")
        await the_lock(config_folder)
        await until(lambda: nvim.lua(SERVES), "listening")
        async with claude_code(config_folder) as client:
            paths[0].write_text(f"{number}\n")
            await client.json("getDiagnostics")
            paths[1].write_text(f"{number}\n")
            await shows(nvim, paths[1], f"{number}\n")
        await nvim.command("ClaudeStop!")
        await until(lambda: nvim.lua("return require('claude_ide.host').server() == nil"))
        await until(lambda: nvim.lua(NONE_EXPECTED))
        remains.append(await until(quiet, "what was begun has ended"))

    # The first start leaves what stays for good.
    assert remains[1] == remains[2], "the same state as after the stop before"


async def test_each_write_is_applied_once_after_a_host_is_killed_during_a_wait(
    serving: Neovim, claude: ClaudeCode, config_folder: Path, project: Path, log: Path
) -> None:
    path = project / "a.txt"
    await attach(serving, "--publish", "never", "--reads-code", name="never")
    path.write_text(NEW)
    claude.start_call("getDiagnostics", {})
    await until(lambda: received(log, "textDocument/didChange"))

    pid = await serving.lua("return vim.fn.jobpid(require('claude_ide.channel').id)")
    os.kill(pid, signal.SIGKILL)
    is_back = """
        local ok, now = pcall(vim.fn.jobpid, require('claude_ide.channel').id)
        return ok and now ~= ... and require('claude_ide.host').server() ~= nil
    """
    await until(lambda: serving.lua(is_back, pid), "the host is restarted")

    async with claude_code(config_folder) as client:
        path.write_text(NEW + "wrong\n")
        (file,) = await client.json("getDiagnostics")
    assert len(file["diagnostics"]) == 2
    assert (await reports(serving))[0] == dict.fromkeys(ONCE, 2)
