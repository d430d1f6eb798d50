"""New diagnostics of the real plugins, in the answer to the request after a write."""

import asyncio
from pathlib import Path

import pytest

from support.claude_code import ClaudeCode
from support.neovim import until
from support.vim import Vim
from support.vim_plugins import SOURCES, load


def messages(answer: list[dict[str, list[dict[str, str]]]]) -> list[str]:
    return [each["message"] for file in answer for each in file["diagnostics"]]


@pytest.mark.parametrize("name", SOURCES)
async def test_new_diagnostics_are_in_the_answer_after_a_write(
    name: str, vim_client: ClaudeCode, serving_vim: Vim, project: Path, tmp_path: Path
) -> None:
    await load(serving_vim, name, tmp_path)
    path = project / "a.py"
    path.write_text("import os\n")
    await serving_vim.command(f"edit {path}")

    async def found() -> bool:
        answer = await vim_client.json("getDiagnostics", {"uri": f"file://{path}"})
        return any("os" in each and "unused" in each for each in messages(answer))

    await until(found, "the diagnostics of the first text")

    path.write_text("import os\nprint(undefined_name)\n")
    known = messages(await vim_client.json("getDiagnostics"))
    for word in ("undefined_name", "unused"):
        # Linters that say the same are heard once.
        assert len([each for each in known if word in each]) == 1, known


async def test_a_late_answer_to_a_shown_text_is_not_that_to_a_write(
    vim_client: ClaudeCode, serving_vim: Vim, project: Path, tmp_path: Path
) -> None:
    await load(serving_vim, "lsp", tmp_path)
    path = project / "a.py"
    path.write_text("import os\n")
    await serving_vim.command(f"edit {path}")

    async def found() -> bool:
        answer = await vim_client.json("getDiagnostics", {"uri": f"file://{path}"})
        return any("os" in each for each in messages(answer))

    await until(found, "the diagnostics of the first text")

    # The plugin sends the same text to the server once more.
    await serving_vim.command(f"new | buffer {path}")
    path.write_text("import os\nprint(undefined_name)\n")
    asking = asyncio.ensure_future(vim_client.json("getDiagnostics"))
    await until(lambda: serving_vim.eval("line('$') == 2"), "the new text")
    await serving_vim.command("doautocmd <nomodeline> User LspDiagsUpdated")

    assert any("undefined_name" in each for each in messages(await asking))
