"""`mcp/tools/diagnostics.py`: which file's diagnostics are meant, and how its uri is spelled."""

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from support.claude_code import ClaudeCode
from support.neovim import Neovim

NAMES = ["a.py", "a b.py", "ü.py", "100%.py", "c%20d.py", "a#b?c.py", "'[a]'.py"]


@pytest.fixture
async def paths(serving: Neovim, project: Path) -> list[Path]:
    """Files that are open, each with one diagnostic: its name."""
    for name in NAMES:
        (project / name).write_text("x\n")
        await serving.lua(
            """
            local bufnr = vim.fn.bufadd((...))
            vim.bo[bufnr].buflisted = true
            vim.fn.bufload(bufnr)
            vim.diagnostic.set(vim.api.nvim_create_namespace('test'), bufnr, {
              { lnum = 0, col = 0, message = vim.fs.basename((...)) },
            })
            """,
            str(project / name),
        )
    return [project / name for name in NAMES]


def messages(answer: list[dict[str, Any]]) -> dict[str, list[str]]:
    return {file["uri"]: [each["message"] for each in file["diagnostics"]] for file in answer}


async def test_a_file_is_found_and_named_as_the_cli_spells_it(
    claude: ClaudeCode, paths: list[Path]
) -> None:
    """It puts the path behind `file://` as it is, and compares the answer's with that."""
    for path in paths:
        answer = await claude.json("getDiagnostics", {"uri": f"file://{path}"})

        assert messages(answer) == {f"file://{path}": [path.name]}


async def test_an_encoded_uri_and_a_path_name_the_same_file(
    claude: ClaudeCode, paths: list[Path]
) -> None:
    for path in paths:
        for uri in (f"file://{quote(str(path))}", str(path)):
            answer = await claude.json("getDiagnostics", {"uri": uri})

            assert messages(answer) == {f"file://{path}": [path.name]}


async def test_all_files_are_named_as_the_cli_spells_them(
    claude: ClaudeCode, paths: list[Path]
) -> None:
    answer = await claude.json("getDiagnostics")

    assert messages(answer) == {f"file://{path}": [path.name] for path in paths}


async def test_a_link_to_a_file_is_that_file(
    claude: ClaudeCode, project: Path, paths: list[Path]
) -> None:
    link = project / "link.py"
    link.symlink_to("a.py")

    answer = await claude.json("getDiagnostics", {"uri": f"file://{link}"})

    assert messages(answer) == {f"file://{link}": ["a.py"]}


async def test_a_file_without_diagnostics_is_answered_with_none(
    claude: ClaudeCode, project: Path
) -> None:
    for name in ("new file.py", "a\nb.py"):
        answer = await claude.json("getDiagnostics", {"uri": f"file://{project / name}"})

        assert messages(answer) == {f"file://{project / name}": []}
