"""What the real CLI expects the user to send next, as ghost text in the prompt."""

import json
from pathlib import Path

import pytest

from support.fake_api import FakeApi, text
from support.neovim import Neovim, until
from support.panel import Panel, holds


async def on_screen(nvim: Neovim, words: str, *, gone: bool = False) -> None:
    await until(lambda: (words in nvim.screen.text()) != gone, f"{words!r}, {gone=}")


async def converse(panel: Panel, api: FakeApi, *suggestions: str) -> None:
    """Have two turns: the CLI suggests nothing after the first one."""
    api.script([text("One.")], [text("Two.")])
    api.suggestions.extend(suggestions)
    await panel.send("First")
    await panel.shows("One.")
    await panel.bar_shows("$")
    await panel.send("Second")
    await panel.shows("Two.")


async def test_a_suggestion_is_taken_by_a_key_and_sent(
    nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    await converse(panel, api, "run the tests")
    await on_screen(nvim, "run the tests  <Tab>")
    assert (await panel.look())["prompt"] == [""]

    await nvim.keys("<Tab>")
    await until(lambda: holds(panel, "run the tests"), "the prompt has the text")
    await on_screen(nvim, "<Tab>", gone=True)
    api.script([text("They pass.")])
    await nvim.keys(" again<C-s>")

    shown = await panel.shows("They pass.")
    assert "» run the tests again" in shown
    assert (await panel.look())["prompt"] == [""]
    await on_screen(nvim, "<Tab>", gone=True)


async def test_a_suggestion_gives_way_to_what_the_user_types(
    nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    await converse(panel, api, "run the tests")
    await on_screen(nvim, "run the tests  <Tab>")

    await nvim.keys("x")
    await on_screen(nvim, "run the tests", gone=True)
    await nvim.keys("<BS>")
    await on_screen(nvim, "run the tests  <Tab>")
    await nvim.keys("<Esc><Tab>")

    await until(lambda: holds(panel, "run the tests"), "the prompt has the text")


async def test_a_suggestion_is_no_command_for_the_shell(
    nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    await converse(panel, api, "!touch a file")

    await on_screen(nvim, r"\!touch a file  <Tab>")


@pytest.fixture
def off(config_folder: Path) -> None:
    """A user who has switched suggestions off in the CLI."""
    settings = json.dumps({"promptSuggestionEnabled": False})
    (config_folder / "settings.json").write_text(settings)


@pytest.mark.usefixtures("off")
async def test_the_setting_of_the_cli_switches_suggestions_off(panel: Panel, api: FakeApi) -> None:
    await converse(panel, api, "run the tests")
    api.script([text("Three.")])
    await panel.send("Third")
    await panel.shows("Three.")

    assert [*api.suggestions] == ["run the tests"]
