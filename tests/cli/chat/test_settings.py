"""The settings that the CLI has beside mode, model and effort, in `:ClaudeChat config`."""

import json
from pathlib import Path

import pytest

from support.fake_api import FakeApi, text
from support.neovim import Neovim, until
from support.panel import Panel

COMPLETED = "getcompletion('ClaudeChat config {}', 'cmdline')"


async def completes(nvim: Neovim, typed: str, words: set[str]) -> None:
    offered: set[str] = set()

    async def are_offered() -> bool:
        offered.clear()
        offered.update(await nvim.eval(COMPLETED.format(typed)))
        return words <= offered

    try:
        await until(are_offered, f"{words} after {typed!r}")
    except AssertionError as error:
        raise AssertionError(f"{error}; offered are {offered}") from None


async def says(nvim: Neovim, words: str) -> None:
    async def said() -> bool:
        return words in " ".join((await nvim.eval("execute('messages')")).split())

    await until(said, f"the message {words!r}")


async def test_an_output_style_is_completed_set_and_reaches_the_model(
    nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    api.script([text("Plain.")], [text("Explained.")])
    await panel.send("One")
    await panel.shows("Plain.")
    await completes(nvim, "output-style ", {"default", "Explanatory"})

    await nvim.command("ClaudeChat config output-style explanatory")
    await says(nvim, "Output style: Explanatory")
    await panel.send("Two")
    await panel.shows("Explained.")

    assert "Explanatory" not in json.dumps(api.requests[0].body["messages"])
    assert "Explanatory" in json.dumps(api.requests[1].body["messages"])


async def test_a_style_that_does_not_exist_is_refused_with_those_that_do(
    nvim: Neovim, panel: Panel
) -> None:
    await completes(nvim, "", {"output-style"})

    await nvim.command("ClaudeChat config output-style loud")

    await says(nvim, "Output style cannot be loud; available: default")


@pytest.fixture
def own_style(config_folder: Path) -> str:
    """The word for an output style of the user's own."""
    styles = config_folder / "output-styles"
    styles.mkdir()
    (styles / "terse.md").write_text("---\nname: Very Terse\ndescription: x\n---\nBe terse.\n")
    return "very-terse"


async def test_a_style_of_the_user_is_offered_and_set_by_its_name(
    own_style: str, nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    api.script([text("Yes.")])
    await completes(nvim, "output-style ", {own_style})

    await nvim.command(f"ClaudeChat config output-style {own_style}")
    await says(nvim, "Output style: Very Terse")
    await panel.send("One")
    await panel.shows("Yes.")

    assert "Be terse." in json.dumps(api.requests[0].body)


async def test_remote_control_is_refused_where_it_is_not_to_be_had(
    nvim: Neovim, panel: Panel
) -> None:
    assert "remote" not in await nvim.eval("getcompletion('ClaudeChat re', 'cmdline')")

    await nvim.command("ClaudeChat remote")

    await says(nvim, "Claude cannot be controlled from elsewhere here")


async def test_fast_mode_is_shown_and_switched(nvim: Neovim, panel: Panel, api: FakeApi) -> None:
    api.script([text("Slow.")], [text("Quick.")], [text("Slow again.")])
    await panel.send("One")
    await panel.shows("Slow.")
    await completes(nvim, "fast ", {"on", "off"})

    await nvim.command("ClaudeChat config fast on")
    await panel.bar_shows("fast")
    await panel.send("Two")
    await panel.shows("Quick.")
    await nvim.command("ClaudeChat config fast off")
    await says(nvim, "Fast mode: off")
    await panel.send("Three")
    await panel.shows("Slow again.")

    assert [each.body.get("speed") for each in api.requests] == [None, "fast", None]
    assert "fast" not in (await panel.look())["bar"]


async def test_the_user_learns_that_another_model_has_no_fast_mode(
    nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    api.script([text("Slow.")], [text("Quick.")], [text("Small.")])
    await panel.send("Zero")
    await panel.shows("Slow.")
    await completes(nvim, "fast ", {"on"})
    await nvim.command("ClaudeChat config fast on")
    await says(nvim, "Fast mode: on")
    await panel.send("One")
    await panel.shows("Quick.")

    await nvim.command("ClaudeChat model haiku")
    await panel.bar_shows("aiku")
    await panel.send("Two")

    await panel.shows("Fast mode is off (not every model has it)")
