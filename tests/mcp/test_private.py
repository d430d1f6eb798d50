"""Private files are in no answer to a client: mentions, open editors, diagnostics, bare methods."""

import json
from pathlib import Path
from typing import Any

import pytest

from support.claude_code import ClaudeCode, RpcFailure
from support.neovim import Neovim, until

BY_NAME = "stays in the editor: it holds secrets by its name (privacy.allow)"
DIAGNOSE = """
local bufnr, namespace = vim.fn.bufnr(...), vim.api.nvim_create_namespace('x')
vim.diagnostic.set(namespace, bufnr, { { lnum = 0, col = 0, message = 'odd: KEY=1' } })
"""


@pytest.fixture
async def opened(serving: Neovim, project: Path) -> Path:
    """A private file that is open and has a diagnostic, next to a plain one."""
    (project / "a.py").write_text("a\n")
    path = project / ".env"
    path.write_text("KEY=1\n")
    (project / "server.pem").write_text("KEY=2\n")
    (project / "link.py").symlink_to("server.pem")
    await serving.command("edit a.py | edit link.py | edit .env")
    for name in ("a.py", ".env", "link.py"):
        await serving.lua(DIAGNOSE, name)
    return path


async def refusal(claude: ClaudeCode, method: str, **params: Any) -> str:
    with pytest.raises(RpcFailure) as raised:
        await claude.request(method, params)
    return str(raised.value.message)


async def answer(claude: ClaudeCode, tool: str, **arguments: Any) -> str:
    return json.dumps(await claude.call(tool, arguments))


@pytest.mark.parametrize("tool", ["getOpenEditors", "get_all_opened_file_paths", "getDiagnostics"])
async def test_a_private_file_is_not_listed(claude: ClaudeCode, opened: Path, tool: str) -> None:
    found = await answer(claude, tool)

    assert "a.py" in found
    assert ".env" not in found
    assert "link.py" not in found


@pytest.mark.parametrize("tool", ["getCurrentSelection", "getLatestSelection"])
async def test_there_is_no_selection_in_a_private_file(
    claude: ClaudeCode, opened: Path, tool: str
) -> None:
    found = await answer(claude, tool)

    assert "success" in found
    assert ".env" not in found
    assert "KEY" not in found


async def test_the_diagnostics_of_a_private_file_are_empty(
    claude: ClaudeCode, opened: Path
) -> None:
    assert "KEY" not in await answer(claude, "getDiagnostics", uri=f"file://{opened}")


@pytest.mark.parametrize("name", [".env", "link.py"])
async def test_a_private_file_is_neither_read_nor_written(
    claude: ClaudeCode, opened: Path, name: str
) -> None:
    assert await refusal(claude, "readFile", path=name) == f"path: {name}: {BY_NAME}"
    assert await refusal(claude, "writeFile", path=name, content="") == f"path: {name}: {BY_NAME}"
    assert opened.read_text() == "KEY=1\n"


async def test_a_private_file_is_not_listed_in_the_workspace(
    claude: ClaudeCode, opened: Path, project: Path
) -> None:
    (project / "sub").mkdir()
    (project / "sub/server.key").write_text("")
    (project / "sub/key.py").write_text("")

    assert await claude.request("listFiles", {}) == ["a.py", "sub/key.py"]
    assert await claude.request("getOpenFiles", {}) == ["a.py"]
    assert await claude.request("getCurrentFile", {}) is None


async def test_a_mention_of_a_private_file_says_why_it_is_not_sent(
    claude: ClaudeCode, serving: Neovim, opened: Path
) -> None:
    async def is_cleared() -> bool:
        await serving.command("mode")
        return "stays in Neovim" not in serving.screen.text()

    for command in ("ClaudeAdd .env", "ClaudeAdd link.py 1 1", "edit .env | ClaudeSend"):
        await serving.command(command)
        await until(lambda: "stays in Neovim: it holds" in serving.screen.text(), command)
        await until(is_cleared, "a clean screen")

    await serving.command("ClaudeAdd a.py")
    await until(lambda: claude.notifications_of("at_mentioned"), "the other mention")
    assert [each["filePath"] for each in claude.notifications_of("at_mentioned")] == [
        str(opened.parent / "a.py")
    ]


async def announced(claude: ClaudeCode, nvim: Neovim, *names: str) -> None:
    """Publish diagnostics until they are announced; a new client does not hear the first."""

    async def is_heard() -> bool:
        for name in names:
            await nvim.lua(DIAGNOSE, name)
        return bool(claude.notifications_of("diagnostics_changed"))

    await until(is_heard, "the announcement")


async def test_changed_diagnostics_of_a_private_file_are_not_announced(
    claude: ClaudeCode, serving: Neovim, opened: Path
) -> None:
    await announced(claude, serving, ".env", "a.py")

    assert ".env" not in str(claude.notifications_of("diagnostics_changed"))


async def test_a_busy_neovim_names_no_file_that_has_become_private(
    claude: ClaudeCode, serving: Neovim, opened: Path
) -> None:
    await serving.command("edit a.py")
    await announced(claude, serving, "a.py")
    await serving.lua("vim.g.claude_ide = { privacy = { deny = { 'a.py' } } }")

    async def is_forgotten() -> bool:
        return "a.py" not in str(claude.notifications_of("selection_changed")[-1:])

    await until(is_forgotten, "the selection is cleared")
    busy = serving.lua("vim.fn.system({ 'sleep', '3' })")
    for tool in ("getOpenEditors", "getDiagnostics", "getLatestSelection"):
        assert "a.py" not in await answer(claude, tool), tool
    await busy


async def test_status_says_what_is_not_shared(
    claude: ClaudeCode, serving: Neovim, opened: Path, project: Path
) -> None:
    await serving.command("ClaudeShare off")
    (project / ".claude").mkdir()
    (project / ".claude/settings.json").write_text("{")

    await serving.command("ClaudeStatus")

    await until(lambda: serving.eval("&filetype == 'claude-ide-status'"), "the status")
    text = "\n".join(await serving.eval("getline(1, '$')"))
    assert "The selection stays in Neovim (:ClaudeShare on)" in text
    assert ".env stays in Neovim: " in text
    assert "settings.json is not a JSON object" in text
    statusline = await serving.lua("return require('claude_ide').statusline()")
    assert statusline.endswith(" unshared")
