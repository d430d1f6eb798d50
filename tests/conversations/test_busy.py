"""While Neovim is busy, the protocol keeps working and reads return the last known state."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from support.buffers import open_editors
from support.claude_code import ClaudeCode, claude_code
from support.either_editor import BOTH, Editor, run
from support.neovim import WAIT_SECONDS, Neovim, until
from support.vim import Vim

READS = (
    "getCurrentSelection",
    "getLatestSelection",
    "getOpenEditors",
    "get_all_opened_file_paths",
    "getWorkspaceFolders",
    "checkDocumentDirty",
    "getDiagnostics",
)


@asynccontextmanager
async def hit_enter(nvim: Editor) -> AsyncIterator[None]:
    await nvim.keys(":echo 'one' | echo 'two' | echo 'three'<CR>")
    await until(lambda: nvim.mode(), "a prompt")
    await until(lambda: "Press ENTER" in nvim.screen.text())
    yield
    await nvim.keys("<CR>")


@asynccontextmanager
async def half_a_mapping(nvim: Editor) -> AsyncIterator[None]:
    await nvim.command("set notimeout | nnoremap gz :<CR>")
    await nvim.keys("g")

    async def is_blocking() -> bool:
        half_typed = isinstance(nvim, Vim) and await nvim.eval("state('m') != ''")
        return bool(half_typed or (await nvim.mode())["blocking"])

    await until(is_blocking, "half a mapping")
    yield
    await nvim.keys("<Esc>")


@asynccontextmanager
async def busy_script(nvim: Editor) -> AsyncIterator[None]:
    done = command(nvim, loop(4))
    yield
    await done


@asynccontextmanager
async def shell_command(nvim: Editor) -> AsyncIterator[None]:
    done = command(nvim, "call system('sleep 4')")
    yield
    await done


def loop(seconds: float) -> str:
    """Return a command that keeps an editor busy."""
    return f"let g:began = reltime() | while reltimefloat(reltime(g:began)) < {seconds} | endwhile"


def command(nvim: Editor, text: str) -> asyncio.Future[Any]:
    """Run a command without waiting for its end."""
    return nvim.send_request("TestCommand" if isinstance(nvim, Vim) else "nvim_command", text)


BUSY = pytest.mark.parametrize("busy", [hit_enter, half_a_mapping, busy_script, shell_command])


async def is_known(nvim: Editor, claude: ClaudeCode, path: Path) -> bool:
    """Return whether the host knows an open file while it cannot ask the editor."""
    begun = path.with_name("begun")
    begun.unlink(missing_ok=True)
    done = command(nvim, f"call writefile([], '{begun}') | {loop(0.6)}")
    await until(begun.exists, "the editor is busy")
    editors = await claude.json("getOpenEditors")
    await done
    return any(tab["fileName"] == str(path) for tab in editors["tabs"])


@pytest.fixture
async def at_work(serving: Editor, claude: ClaudeCode, project: Path) -> Path:
    """A file that the host knows to be open, after two of its lines were selected."""
    path = project / "a.py"
    path.write_text("one\ntwo\nthree\n")
    await serving.command(f"edit {path}")
    await until(lambda: open_editors(serving, "paths"))
    await until(lambda: is_known(serving, claude, path), "the host knows the file")
    await until(
        lambda: any(
            selection["filePath"] == str(path)
            for selection in claude.notifications_of("selection_changed")
        )
    )
    return path


@BOTH
@BUSY
async def test_reads_return_the_last_known_state(
    serving: Editor, claude: ClaudeCode, at_work: Path, busy: object
) -> None:
    async with busy(serving):  # type: ignore[operator]
        for tool in READS:
            arguments = {"filePath": str(at_work)} if tool == "checkDocumentDirty" else {}

            result = await claude.call(tool, arguments, seconds=1)

            assert not result.get("isError"), tool
        editors = await claude.json("getOpenEditors")
        assert [tab["fileName"] for tab in editors["tabs"]] == [str(at_work)]
        assert (await claude.json("getCurrentSelection"))["filePath"] == str(at_work)


@BOTH
@BUSY
async def test_the_protocol_does_not_wait_for_neovim(
    serving: Editor, claude: ClaudeCode, config_folder: Path, busy: object
) -> None:
    async with busy(serving):  # type: ignore[operator]
        assert await claude.request("ping", seconds=1) == {}
        assert (await claude.request("tools/list", seconds=1))["tools"]
        async with asyncio.timeout(1), claude_code(config_folder) as other:
            assert await other.request("ping") == {}


# Vim handles such a call at a prompt: the file then does not get the focus.
async def test_a_call_that_changes_the_editor_waits_until_neovim_is_ready(
    serving: Neovim, claude: ClaudeCode, at_work: Path, project: Path
) -> None:
    other = project / "b.py"
    other.write_text("x\n")
    async with hit_enter(serving):
        _, opening = claude.start_call("openFile", {"filePath": str(other)})
        await claude.request("ping")
        assert not opening.done()

    result = await asyncio.wait_for(opening, WAIT_SECONDS)

    assert result["content"][0]["text"] == f"Opened file: {other}"
    assert await serving.eval("expand('%:p')") == str(other)


@BOTH
async def test_messages_longer_than_the_screen_cause_no_prompt(serving: Editor) -> None:
    await run(serving, "messages.message.show", "long " * 100, "error")
    await run(serving, "messages.message.show", "a\nb\nc", "error")

    await until(lambda: "a b c" in serving.screen.text())

    assert (await serving.mode())["blocking"] is False


# Vim answers at a prompt, so it has no earlier results to name.


async def test_diagnostics_for_the_model_are_marked_as_earlier_while_neovim_is_busy(
    serving: Neovim, claude: ClaudeCode, at_work: Path
) -> None:
    await serving.lua(
        """vim.diagnostic.set(vim.api.nvim_create_namespace('test'), vim.fn.bufnr(...), {
          { lnum = 0, col = 0, message = 'one' },
        })""",
        str(at_work),
    )
    await until(lambda: claude.notifications_of("diagnostics_changed"), "it is known")
    note = "Neovim is busy; these are earlier results"
    other = at_work.with_name("other.py")
    other.write_text("x\n")

    async with hit_enter(serving):
        for arguments in ({}, {"uri": f"file://{at_work}"}):
            (file,) = await claude.json_for_model("getDiagnostics", arguments)
            assert [item["message"] for item in file["diagnostics"]] == ["one"]
            assert file["note"] == note
        (file,) = await claude.json_for_model("getDiagnostics", {"uri": f"file://{other}"})
        assert file == {"uri": f"file://{other}", "diagnostics": [], "note": note}


async def test_the_model_gets_an_error_if_neovim_is_busy_and_no_diagnostics_are_known(
    serving: Neovim, claude: ClaudeCode, at_work: Path
) -> None:
    async with hit_enter(serving):
        answer = await claude.json_for_model("getDiagnostics")

    assert answer == "Neovim is busy, and there are no earlier diagnostics"
