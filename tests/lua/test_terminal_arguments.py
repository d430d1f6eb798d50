"""The completion of `:Claude`."""

import os
import re
from pathlib import Path

import pytest

from claude_ide.agents.stream_json.protocol import MODES
from support.neovim import Neovim

OPTIONS = ["--permission-mode", "--resume"]


async def completed(nvim: Neovim, line: str) -> list[str]:
    """Return what `<Tab>` offers at the end of a command line."""
    found: list[str] = await nvim.eval(f"getcompletion('{line}', 'cmdline')")
    return found


@pytest.mark.parametrize("before", ["Claude ", "'<,'>Claude ", "Claude --continue ", "Claude go "])
async def test_options_are_completed(nvim: Neovim, before: str) -> None:
    offered = await completed(nvim, before.replace("'", "''"))

    assert set(OPTIONS) <= set(offered)
    assert await completed(nvim, f"{before.replace(chr(39), chr(39) * 2)}--mod") == ["--model"]


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("--permission-mode ma", ["manual"]),
        ("--permission-mode ac", ["acceptEdits"]),
        ("--model so", ["sonnet"]),
        ("--effort x", ["xhigh"]),
        ("--append-system-prompt ", []),
        ("--name ", []),
        ("--na", ["--name"]),
    ],
)
async def test_the_value_of_an_option_is_completed(
    nvim: Neovim, line: str, values: list[str]
) -> None:
    assert await completed(nvim, f"Claude {line}") == values


async def test_folders_are_completed(nvim: Neovim, project: Path) -> None:
    (project / "some folder").mkdir()

    assert await completed(nvim, "Claude --add-dir so") == [r"some\ folder/"]


@pytest.mark.parametrize("command", ["Claude --resume", "ClaudeChat resume"])
@pytest.mark.parametrize("name", ["päth.x", "x" * 220])
async def test_sessions_of_the_folder_are_completed_the_latest_first(
    nvim: Neovim, project: Path, config_folder: Path, command: str, name: str
) -> None:
    folder = project / name
    folder.mkdir()
    stored = re.sub("[^a-zA-Z0-9]", "-", str(folder))
    stored = stored if len(stored) <= 200 else f"{stored[:200]}-x1y2"
    sessions = config_folder / "projects" / stored
    sessions.mkdir(parents=True)
    for number, id_ in enumerate(("aaa-1", "bbb-2", "abc-3")):
        (sessions / f"{id_}.jsonl").write_text("{}\n")
        os.utime(sessions / f"{id_}.jsonl", (number, number))
    (sessions / "empty.jsonl").touch()
    (sessions / "memory").mkdir()
    await nvim.command(f"cd {folder}")

    assert await completed(nvim, f"{command} ") == ["abc-3", "bbb-2", "aaa-1"]
    assert await completed(nvim, f"{command} a") == ["abc-3", "aaa-1"]


async def test_every_mode_of_the_cli_is_completed(nvim: Neovim) -> None:
    assert await completed(nvim, "Claude --permission-mode ") == sorted(MODES)


async def test_without_sessions_options_are_completed(nvim: Neovim) -> None:
    assert "--permission-mode" in await completed(nvim, "Claude --resume ")
    assert await completed(nvim, "ClaudeChat resume ") == []
