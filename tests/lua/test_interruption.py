"""`terminal/interruption.lua`: the record of a CLI says that the user has interrupted its turn."""

import json
from pathlib import Path

import pytest

from support.neovim import Neovim, until

INTERRUPTION = "require('claude_ide.terminal.interruption')"
MARK = "[Request interrupted by user for tool use]"
EVENT = "terminal_interrupted"


def said(text: str, role: str = "user") -> str:
    """Return a line of the record."""
    content = [{"type": "text", "text": text}]
    line = {"type": role, "promptId": "p", "message": {"role": role, "content": content}}
    return json.dumps(line) + "\n"


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """A record with an earlier interruption."""
    path = tmp_path / "record.jsonl"
    path.write_text(said(MARK))
    return path


@pytest.fixture
async def nvim(nvim: Neovim) -> Neovim:
    """A Neovim that sends its events to the test."""
    await nvim.lua("require('claude_ide.channel').id = ...", await nvim.channel())
    return nvim


def add(path: Path, *lines: str) -> None:
    with path.open("a") as file:
        file.writelines(lines)


async def watch(nvim: Neovim, path: Path, launch: str = "t") -> None:
    await nvim.lua(f"{INTERRUPTION}.watch(...)", launch, str(path))


async def is_over(nvim: Neovim) -> None:
    await until(lambda: nvim.events(EVENT) == [{"launch": "t", "prompt": "p"}], "the turn is over")


async def test_only_a_new_interruption_by_the_user_ends_the_turn(
    nvim: Neovim, record: Path
) -> None:
    await watch(nvim, record)
    odd = [
        '{"type": "user"}\n',
        f'"{MARK}"\n',
        f"{MARK}\n",
        f'{{"type": "user", "message": "{MARK}"}}\n',
    ]
    add(record, said("swim"), said(MARK, "assistant"), said(f"it says {MARK}"), *odd)
    record.with_name("other.jsonl").write_text(said(MARK))
    await nvim.idle(100)
    assert nvim.events(EVENT) == []

    line = said(MARK)
    add(record, line[:20])
    await nvim.idle(50)
    add(record, line[20:])

    await is_over(nvim)


async def test_a_record_may_begin_during_the_turn(nvim: Neovim, tmp_path: Path) -> None:
    path = tmp_path / "projects" / "mine" / "record.jsonl"
    await watch(nvim, path)
    path.parent.mkdir(parents=True)

    path.write_text(said("swim") + said(MARK))

    await is_over(nvim)


async def test_what_is_no_file_is_not_read(nvim: Neovim, tmp_path: Path) -> None:
    await watch(nvim, Path("/dev/zero"))
    (tmp_path / "folder").mkdir()
    await watch(nvim, tmp_path / "folder", "u")
    (tmp_path / "folder" / "a").touch()
    await nvim.idle(50)

    assert nvim.events(EVENT) == []


async def test_after_the_turn_nothing_is_reported(nvim: Neovim, record: Path) -> None:
    await watch(nvim, record)
    await nvim.lua(f"{INTERRUPTION}.unwatch('t')")
    add(record, said(MARK))
    await nvim.idle(100)

    assert nvim.events(EVENT) == []
    await watch(nvim, record)
    await nvim.lua(f"{INTERRUPTION}.unwatch_all()")
    add(record, said(MARK))
    await nvim.idle(100)
    assert nvim.events(EVENT) == []
