"""The demo's conversations: stored, listed, resumed, and continued from an earlier prompt."""

import subprocess
from pathlib import Path

import pytest

from support.lists import ListWindow
from support.neovim import Neovim, until
from support.panel import PATIENCE, Panel

from .conftest import DEMO


@pytest.fixture
async def ended(trying: Neovim, panel: Panel) -> Neovim:
    """A Neovim after a chat of two turns."""
    await panel.send("first words")
    await panel.shows("“first words”")
    await panel.shows("Try next")
    await panel.send("second words")
    await panel.shows("“second words”")
    await until(lambda: _is_idle(panel), "the end of the turn", PATIENCE)
    return trying


async def _is_idle(panel: Panel) -> bool:
    bar = (await panel.look())["bar"]
    return (await panel.text()).count("Try next") == 2 and "…" not in bar


async def test_continue_shows_the_conversation_and_goes_on(ended: Neovim, panel: Panel) -> None:
    await panel.end()
    await ended.command("ClaudeChat continue")
    await panel.wait_until_ready()

    shown = await panel.shows("“second words”")
    assert "» first words" in shown
    await panel.send("third words")
    await panel.shows("“third words”")


async def test_the_list_has_the_stored_conversation(ended: Neovim, panel: Panel) -> None:
    await panel.end()
    await ended.command("stopinsert | ClaudeChat list")

    await ListWindow(ended).shows("first words", "2 turns")


async def test_an_earlier_prompt_is_edited(ended: Neovim, panel: Panel) -> None:
    await panel.go_to("» second words")
    await ended.keys("e")
    await until(lambda: "✎ from before “second" in ended.screen.text(), "the edit", PATIENCE)
    await ended.keys(" again<C-s>")

    shown = await panel.shows("“second words again”")
    assert "“first words”" in shown
    assert "“second words”" not in shown


def test_without_a_configuration_folder_of_its_own_it_stores_nothing(
    tmp_path: Path, shop: Path
) -> None:
    environment = {"HOME": str(tmp_path / "home")}
    prompt = '{"type":"user","uuid":"1","message":{"content":"hello"}}\n'

    done = run("--input-format", "stream-json", text=prompt, environment=environment, cwd=shop)

    assert done.returncode == 0
    assert not (tmp_path / "home").exists()


def test_an_unknown_session_is_an_error_as_of_the_cli(tmp_path: Path, shop: Path) -> None:
    environment = {"CLAUDE_CONFIG_DIR": str(tmp_path / "config")}

    options = ("--input-format", "stream-json", "--resume", "unknown")
    done = run(*options, environment=environment, cwd=shop)

    assert done.returncode == 1
    assert done.stderr == "No conversation found with session ID: unknown\n"


def run(
    *arguments: str, environment: dict[str, str], cwd: Path, text: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run the demo until its input ends."""
    return subprocess.run(
        [*DEMO, *arguments],
        input=text,
        env=environment,
        cwd=cwd.parent,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
