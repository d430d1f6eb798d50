"""`python.vim`: which Python the host runs with, and the messages without one."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.checkout import arguments, copy_plugin, program
from support.neovim import Neovim, until

PLACES = ["g:claude_ide.python", "own environment", "checkout", "python3_host_prog", "PATH"]
BARE = f"exec '{sys.base_prefix}/bin/python3' \"$@\""
"""A Python without the packages that the host needs."""


@pytest.fixture
def places(tmp_path: Path) -> dict[str, Path]:
    """The places where a Python can be, in the order of the search."""
    paths = [
        tmp_path / "configured" / "python",
        tmp_path / "home/data/nvim/claude_ide/venv/bin/python",
        tmp_path / "checkout/.venv/bin/python",
        tmp_path / "host_prog" / "python",
        tmp_path / "bin/python3",
    ]
    return dict(zip(PLACES, paths, strict=True))


@pytest.fixture
async def nvim(project: Path, places: dict[str, Path], tmp_path: Path) -> AsyncIterator[Neovim]:
    """A Neovim with a copy of the plugin, whose PATH has one folder."""
    neovim = await Neovim.start(
        *arguments(copy_plugin(tmp_path / "checkout")),
        cwd=project,
        home=tmp_path / "home",
        env={"PATH": str(places["PATH"].parent)},
    )
    yield neovim
    await neovim.stop()


async def configure(nvim: Neovim, places: dict[str, Path]) -> None:
    """Set the options that name a place if a program exists there."""
    if places[PLACES[0]].exists():
        await nvim.lua("vim.g.claude_ide = { python = ... }", str(places[PLACES[0]]))
    if places["python3_host_prog"].exists():
        await nvim.lua("vim.g.python3_host_prog = ...", str(places["python3_host_prog"]))


async def message(nvim: Neovim) -> str:
    """Wait for the message of `:ClaudeStart`, which must not cause a prompt."""
    line = await until(lambda: nvim.lua("return vim.fn.execute('1messages')"), "a message")
    assert (await nvim.mode())["blocking"] is False
    return str(line).strip()


@pytest.mark.parametrize("first", PLACES)
async def test_the_host_runs_with_the_first_python_that_is_found(
    nvim: Neovim, places: dict[str, Path], first: str, tmp_path: Path
) -> None:
    used = tmp_path / "used"
    for place in PLACES[PLACES.index(first) :]:
        program(places[place], f"echo '{place}' >> '{used}'\nexec '{sys.executable}' \"$@\"")
    await configure(nvim, places)

    await nvim.command("ClaudeStart")

    assert "ready (127.0.0.1:" in await message(nvim)
    assert set(used.read_text().splitlines()) == {first}


@pytest.mark.parametrize("place", ["g:claude_ide.python", "python3_host_prog"])
async def test_a_python_that_wildignore_lists_is_found(
    nvim: Neovim, places: dict[str, Path], place: str
) -> None:
    program(places[place], f"exec '{sys.executable}' \"$@\"")
    await configure(nvim, places)
    await nvim.command("set wildignore=*")

    await nvim.command("ClaudeStart")

    assert "ready (127.0.0.1:" in await message(nvim)


async def test_without_any_python_the_message_says_what_to_do(nvim: Neovim) -> None:
    await nvim.command("ClaudeStart")

    assert await message(nvim) == (
        "claude-ide: No Python 3.11 or newer found. Install one, then run :ClaudeInstall"
    )


async def test_a_configured_python_that_does_not_exist_is_named(nvim: Neovim) -> None:
    await nvim.command("let g:claude_ide = {'python': '/no/python'}")

    await nvim.command("ClaudeStart")

    assert await message(nvim) == "claude-ide: g:claude_ide.python is not executable: /no/python"

    await nvim.command("let g:claude_ide = {'python': '/bin/true'} | ClaudeStatus")

    await until(lambda: "the Python host died (exit 0): /bin/true" in nvim.screen.text())


@pytest.mark.parametrize("place", PLACES)
async def test_for_a_python_without_the_dependencies_the_message_says_what_to_do(
    nvim: Neovim, places: dict[str, Path], place: str
) -> None:
    program(places[place], BARE)
    await configure(nvim, places)

    await nvim.command("ClaudeStart!")

    is_configured = place == PLACES[0]
    remedy = "Correct or remove g:claude_ide.python" if is_configured else "Run :ClaudeInstall"
    assert await message(nvim) == f"claude-ide: Python packages are missing. {remedy}"


@pytest.mark.parametrize("place", ["own environment", "PATH"])
async def test_the_log_names_the_python_and_what_it_lacks(
    nvim: Neovim, places: dict[str, Path], place: str
) -> None:
    program(places[place], BARE)

    await nvim.command("ClaudeStart!")

    await message(nvim)
    log = Path(await nvim.lua("return require('claude_ide.messages.log').path()")).read_text()
    assert "/python3 lacks fastjsonschema, h11, msgpack, msgspec, pynvim, websockets" in log


async def test_a_failed_start_can_be_repeated_and_succeed(
    nvim: Neovim, places: dict[str, Path]
) -> None:
    program(places["PATH"], BARE)
    await nvim.command("ClaudeStart!")
    assert ":ClaudeInstall" in await message(nvim)

    program(places["own environment"], f"exec '{sys.executable}' \"$@\"")
    await nvim.command("messages clear")
    await nvim.command("ClaudeStart")

    assert "ready (" in await message(nvim)


async def test_recent_skips_pythons_that_do_not_run(
    nvim: Neovim, places: dict[str, Path], tmp_path: Path
) -> None:
    program(places["python3_host_prog"], "exit 1")
    program(places["PATH"], "echo no such version; exit 127")
    newer = program(tmp_path / "bin/python3.12", f"exec '{sys.executable}' \"$@\"")
    await configure(nvim, places)

    found = await nvim.lua("return vim.fn.exepath(vim.fn['claude_ide#python#Recent']())")

    assert found == str(newer)
