"""Results of `getDiagnostics` right after a write, with different kinds of language servers."""

from pathlib import Path
from typing import Any

import pytest

from support.claude_code import ClaudeCode
from support.language_client import attach
from support.neovim import Neovim

HABITS = {
    "publishes": [],
    "names versions": ["--version"],
    "publishes what has changed": ["--publish=on-change"],
    "is pulled": ["--publish=pull"],
    "checks what is saved": ["--publish=on-save", "--save=yes"],
    "takes changes in parts": ["--sync=2"],
}
VIEWS = {"current": "", "in view": "new", "hidden": "enew"}


@pytest.fixture
async def path(serving: Neovim, project: Path) -> Path:
    file = project / "a.txt"
    file.write_text("one\ntwo\nthree\nfour\n")
    await serving.command("edit a.txt")
    return file


def write(path: Path, text: str) -> None:
    new = path.with_name("claude.tmp")
    new.write_text(text)
    new.replace(path)


async def reported(claude: ClaudeCode) -> list[tuple[int, str]]:
    files: list[dict[str, Any]] = await claude.json("getDiagnostics")
    return sorted(
        (found["range"]["start"]["line"], found["message"])
        for file in files
        for found in file["diagnostics"]
    )


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("habit", HABITS)
async def test_the_first_call_after_each_edit_reports_its_diagnostics(
    serving: Neovim, claude: ClaudeCode, path: Path, habit: str, view: str
) -> None:
    await attach(serving, *HABITS[habit])
    await serving.command(VIEWS[view])

    write(path, "wrong\ntwo\nthree\nodd\n")
    assert await reported(claude) == [(0, "wrong word"), (3, "odd word")]
    write(path, "one\nwrong\nthree\nfour\n")
    assert await reported(claude) == [(1, "wrong word")]
    write(path, "one\nthree\nfour\n")
    assert await reported(claude) == []


async def test_diagnostics_of_two_servers_are_combined(
    serving: Neovim, claude: ClaudeCode, path: Path
) -> None:
    await attach(serving, "--publish=pull", name="quick")
    await attach(serving, "--publish=on-save", "--save=yes", name="slow")

    for number in range(4):
        write(path, f"{number}\n" * number + "wrong\n")
        assert await reported(claude) == [(number, "wrong word")] * 2


async def test_diagnostics_are_reported_even_if_their_display_is_disabled(
    serving: Neovim, claude: ClaudeCode, path: Path
) -> None:
    await attach(serving, "--publish=pull", name="quick")
    await attach(serving, name="slow")
    await serving.lua("vim.diagnostic.enable(false)")

    write(path, "wrong\n")

    assert await reported(claude) == [(0, "wrong word")] * 2
