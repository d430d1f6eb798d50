"""New diagnostics of the real plugins of Vim reach the model together with an edit's outcome."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from support.claude_cli import ClaudeCli, environment
from support.either_editor import configure
from support.fake_api import FakeApi, edit, tool_use
from support.neovim import until
from support.vim import Vim
from support.vim_plugins import SOURCES, load

from .conftest import StartClaude, begin, diff_opened, serve

CORRECT = "import os\n\nprint(os.name)\n"

SLICE = "claude_ide#diagnostics#Slice"

Start = Callable[..., Awaitable[ClaudeCli]]


@pytest.fixture
def path(project: Path) -> Path:
    file = project / "a.py"
    file.write_text(CORRECT)
    return file


@pytest.fixture(params=SOURCES)
async def vim(
    request: pytest.FixtureRequest,
    vim_program: str,
    api: FakeApi,
    project: Path,
    tmp_path: Path,
    config_folder: Path,
) -> AsyncIterator[Vim]:
    """A Vim with one of the plugins, whose own CLIs use the stand-in for the model."""
    home = tmp_path / "home"
    given = environment(api, home, config_folder)
    del given["PATH"]
    vim = await Vim.start(cwd=project, home=home, env=given, columns=160, rows=40)
    try:
        await load(vim, request.param, tmp_path)
        yield vim
    finally:
        await vim.stop()


@pytest.fixture
def start(
    each_cli: Path,
    api: FakeApi,
    config_folder: Path,
    start_claude: StartClaude,
    vim: Vim,
    path: Path,
) -> Start:
    """Start a CLI that is connected to the Vim, which shows `path`, once its plugin checks that."""

    async def start(*, mode: str = "default", arguments: tuple[str, ...] = ()) -> ClaudeCli:
        port = await serve(vim, config_folder, path)
        await until(lambda: checks(vim, path), "the plugin checks the file")
        claude = await start_claude(
            *["--permission-mode", mode, *arguments], ide_port=port, program=each_cli
        )
        await claude.shows("⧉ In a.py")
        return claude

    return start


async def checks(vim: Vim, path: Path) -> bool:
    """Return whether a plugin checks a file that Vim has loaded."""
    number = await vim.eval(f"bufnr('{path}')")
    return bool(await vim.eval(f"claude_ide#diagnostics#sources#OfBuffer({number})"))


async def reports(vim: Vim, path: Path, word: str) -> bool:
    """Return whether the plugin reports something with `word` about a file."""
    (file,) = (await vim.call("claude_ide#diagnostics#Look", str(path)))["files"]
    slices = [
        await vim.call(SLICE, file["key"], each["id"], each["version"], severity, 0)
        for each in file["sets"]
        for severity in range(1, 5)
    ]
    return word in str(slices)


async def accept(vim: Vim, claude: ClaudeCli) -> None:
    await diff_opened(vim)
    await vim.keys(":w<CR>")
    await claude.shows("● All done.")


async def test_an_edit_of_a_shown_file(vim: Vim, start: Start, api: FakeApi, path: Path) -> None:
    claude = await start()
    api.script(*edit(path, "os.name", "os.name, wrong", then="All done."))

    await claude.prompt("Err")
    await accept(vim, claude)

    found = api.requests[2].new_text
    assert "✘ [Line 3:16] " in found
    # Linters that say the same are heard once.
    assert found.lower().count("undefined name") == 1


async def test_an_edit_by_a_cli_in_the_terminal(
    vim: Vim, each_cli: Path, api: FakeApi, config_folder: Path, path: Path
) -> None:
    await configure(vim, cmd=[str(each_cli)])
    await serve(vim, config_folder, path)
    await until(lambda: checks(vim, path), "the plugin checks the file")
    await begin(vim, "default")
    api.script(*edit(path, "os.name", "os.name, wrong", then="All done."))

    await vim.keys("Err")
    await until(lambda: "Err" in vim.screen.text(), "the prompt is typed")
    await vim.keys("<CR>")
    await diff_opened(vim)
    await vim.keys(":w<CR>")
    await until(lambda: "All done." in vim.screen.text(), "the answer")

    found = api.requests[2].new_text
    assert "✘ [Line 3:16] " in found
    assert found.lower().count("undefined name") == 1


async def test_an_edit_of_a_hidden_file(vim: Vim, start: Start, api: FakeApi, path: Path) -> None:
    await vim.command("set hidden")
    claude = await start()
    await vim.command("enew")
    api.script(*edit(path, "os.name", "os.name, wrong", then="All done."))

    await claude.prompt("Err")
    await accept(vim, claude)

    assert "✘ [Line 3:16] " in api.requests[2].new_text


async def test_an_edit_without_a_diff_of_a_file_that_is_not_open(
    vim: Vim, start: Start, api: FakeApi, path: Path
) -> None:
    closed = path.with_name("closed.py")
    closed.write_text("import sys\n\nprint(1)\n")
    claude = await start(mode="acceptEdits")
    api.script(*edit(closed, "print(1)", "print(wrong)", then="All done."))

    await claude.prompt("Err")
    await claude.shows("● All done.")

    found = api.requests[2].new_text
    assert "✘ [Line 3:7] " in found
    assert "sys" not in found.partition("new-diagnostics")[2]
    assert await vim.eval("map(getbufinfo({'buflisted': 1}), 'v:val.name')") == [str(path)]


async def test_errors_that_the_user_has_typed_are_not_those_of_the_edit(
    vim: Vim, start: Start, api: FakeApi, path: Path
) -> None:
    claude = await start()
    await vim.keys("ggOprint(typed)<Esc>:w<CR>")
    await until(lambda: reports(vim, path, "typed"), "the error of the user")
    api.script(*edit(path, "os.name", "os.name, wrong", then="All done."))

    await claude.prompt("Err")
    await accept(vim, claude)

    found = api.requests[2].new_text.partition("new-diagnostics")[2]
    assert "wrong" in found
    assert "typed" not in found


async def test_an_edit_that_removes_an_error(
    vim: Vim, start: Start, api: FakeApi, path: Path
) -> None:
    path.write_text("import os\n\nprint(os.name, wrong)\n")
    claude = await start(arguments=("--allowedTools", "mcp__ide__getDiagnostics"))
    await until(lambda: reports(vim, path, "wrong"), "the error")
    ask = [tool_use("mcp__ide__getDiagnostics", uri=f"file://{path}")]
    read, change, done = edit(path, "os.name, wrong", "os.name", then="All done.")
    api.script([*read, *ask], change, ask, done)

    await claude.prompt("Mend")
    await accept(vim, claude)

    assert "wrong" in api.requests[1].new_text.partition("diagnostics")[2]
    assert "new-diagnostics" not in api.requests[2].new_text
    assert '"diagnostics":[]' in api.requests[3].new_text
