"""Changes on disk to open files, in a Neovim with a running server."""

from pathlib import Path

import pytest

from support.claude_code import ClaudeCode
from support.either_editor import BOTH, Editor, open_terminal, shows_a_diff, status_line
from support.neovim import until

pytestmark = BOTH

OLD = "one\ntwo\nthree\n"
NEW = "one\nTWO\nthree\n"
COUNTS = "(+1 \N{MINUS SIGN}1)"


@pytest.fixture
async def path(serving: Editor, project: Path) -> Path:
    """A watched file that is open in Neovim."""
    file = project / "calc.py"
    file.write_text(OLD)
    await serving.command("set autoread | edit calc.py")
    return file


async def waits(nvim: Editor) -> bool:
    return (await status_line(nvim)).endswith(" 1!")


async def is_unwatched(nvim: Editor) -> bool:
    return not await nvim.eval("exists('#claude_ide_disk_change#BufReadPost')")


async def shows(nvim: Editor, path: Path, wanted: str) -> None:
    async def is_shown() -> bool:
        return bool(await nvim.eval(f"getbufline('{path}', 1, '$')") == wanted.splitlines())

    await until(is_shown, wanted)


async def test_a_file_changed_by_a_command_is_reloaded_from_terminal_mode(
    serving: Editor, path: Path
) -> None:
    await open_terminal(serving, "botright split")
    await serving.keys("i")
    await until(lambda: serving.eval("mode() == 't'"))

    path.write_text(NEW)

    await shows(serving, path, NEW)
    assert await serving.eval("mode()") == "t"
    await until(lambda: f"calc.py changed on disk {COUNTS}; u undoes" in serving.screen.text())


async def test_a_write_without_a_diff_is_attributed_to_claude(
    serving: Editor, claude: ClaudeCode, path: Path
) -> None:
    await claude.call("getDiagnostics", {"uri": f"file://{path}"})
    path.write_text(NEW)
    await claude.call("getDiagnostics")

    await shows(serving, path, NEW)
    await until(lambda: f"Claude changed calc.py {COUNTS}; u undoes" in serving.screen.text())
    path.write_text(OLD)
    await until(lambda: f"calc.py changed on disk {COUNTS}" in serving.screen.text())
    messages = await serving.eval("execute('messages')")
    assert len([line for line in messages.splitlines() if "changed" in line]) == 2


async def test_a_file_changed_by_claude_is_reloaded_despite_noautoread(
    serving: Editor, claude: ClaudeCode, path: Path
) -> None:
    await serving.command("set noautoread")
    path.write_text(NEW)
    await claude.call("getDiagnostics")
    assert await serving.eval("getline(2)") == "two"
    await serving.command("silent edit!")

    await claude.call("getDiagnostics", {"uri": f"file://{path}"})
    path.write_text(OLD)
    await claude.call("getDiagnostics")

    await shows(serving, path, OLD)


async def test_a_write_requested_by_a_client_is_attributed_to_claude(
    serving: Editor, claude: ClaudeCode, path: Path
) -> None:
    await claude.request("writeFile", {"path": "calc.py", "content": NEW})

    await shows(serving, path, NEW)
    await until(lambda: f"Claude changed calc.py {COUNTS}; u undoes" in serving.screen.text())


async def test_an_accepted_diff_is_not_reported_again_as_a_change(
    serving: Editor, claude: ClaudeCode, path: Path
) -> None:
    await claude.call("getDiagnostics", {"uri": f"file://{path}"})
    request = {"old_file_path": str(path), "new_file_contents": NEW}
    _, asked = claude.start_call("openDiff", request)
    await until(lambda: shows_a_diff(serving), "a diff")
    await serving.keys(":w<CR>")
    await asked

    path.write_text(NEW)

    await shows(serving, path, NEW)
    path.with_name("other.py").write_text(OLD)
    await serving.command("tabonly | split other.py")
    path.with_name("other.py").write_text(NEW)
    await until(lambda: "other.py changed on disk" in serving.screen.text())
    assert "calc.py changed" not in await serving.eval("execute('messages')")
    assert "changed calc.py" not in await serving.eval("execute('messages')")


async def test_stopping_the_server_stops_watching_files(serving: Editor, path: Path) -> None:
    await serving.command("ClaudeStop!")

    await until(lambda: is_unwatched(serving))
    path.write_text(NEW)
    assert await serving.eval("getline(2)") == "two"


async def test_a_visual_selection_made_by_claude_does_not_defer_a_diff(
    serving: Editor, claude: ClaudeCode, path: Path
) -> None:
    await claude.call("openFile", {"filePath": str(path), "startText": "two"})
    await until(lambda: serving.eval("mode() ==# 'v'"))

    claude.start_call("openDiff", {"old_file_path": str(path), "new_file_contents": NEW})

    await until(lambda: shows_a_diff(serving), "a diff")
    assert await serving.eval("mode()") == "n"


async def test_a_visual_selection_changed_by_the_user_defers_a_diff(
    serving: Editor, claude: ClaudeCode, path: Path
) -> None:
    await claude.call("openFile", {"filePath": str(path), "startText": "two"})
    await serving.keys("j")
    await until(lambda: serving.eval("line('.') == 3"))

    claude.start_call("openDiff", {"old_file_path": str(path), "new_file_contents": NEW})

    await until(lambda: waits(serving), "the diff waits")
    assert await serving.eval("mode()") == "v"
    await serving.keys("<Esc>")
    await until(lambda: shows_a_diff(serving), "a diff")


async def test_a_buffer_is_reloaded_while_claude_has_a_selection_in_it(
    serving: Editor, claude: ClaudeCode, path: Path
) -> None:
    await claude.call("openFile", {"filePath": str(path), "startText": "two"})
    await until(lambda: serving.eval("mode() ==# 'v'"))

    path.write_text("new\n")

    await shows(serving, path, "new\n")
