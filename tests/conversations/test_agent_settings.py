"""`:ClaudeChat config`: all settings of an agent, whatever their ids are."""

import pytest
from msgspec.structs import replace

from claude_ide.agents import events
from support.another_agent import ALL, DEPTHS, FEW, READY, SETTINGS
from support.either_editor import type_answer
from support.neovim import until
from support.river import Begin, River

COMPLETED = "getcompletion('ClaudeChat {}', 'cmdline')"
OWN = replace(FEW, settings=True)


async def completed(river: River, words: str) -> list[str]:
    """Return what completes a command, once the panel knows it."""
    found: list[str] = await until(
        lambda: river.nvim.eval(COMPLETED.format(words)), f"{words!r} is completed"
    )
    return found


async def choose(river: River, shown: str, number: str) -> None:
    """Choose from a list that shows these words."""
    await until(lambda: shown in river.nvim.screen.text(), f"{shown!r} is shown")
    await type_answer(river.nvim, f"{number}<CR>")


async def test_settings_and_values_are_completed_by_words_that_can_be_typed(begin: Begin) -> None:
    river = await begin(ALL)

    assert await completed(river, "config ") == [
        *("mode", "model", "effort", "thinking", "dive-depth", "collab")
    ]
    assert await completed(river, "config dive-depth ") == ["d1", "very-deep"]
    assert await completed(river, "config col") == ["collab"]
    assert await completed(river, "config collab o") == ["on", "off"]
    assert await completed(river, "config mode s") == ["swim-freely"]


@pytest.mark.parametrize(
    ("words", "call"),
    [
        ("dive-depth very-deep", ("setting", "river://depth", "d 2")),
        ("Dive depth Very deep", ("setting", "river://depth", "d 2")),
        ("collab off", ("setting", "collab", "off")),
        ("mode swim-freely", ("mode", "m://free")),
        ("model Small", ("model", "m://small")),
        ("effort keen", ("effort", "keen")),
        ("thinking 500", ("thinking", 500)),
    ],
)
async def test_a_setting_is_set_by_its_name(
    begin: Begin, words: str, call: tuple[str, ...]
) -> None:
    river = await begin(ALL)

    await river.command(f"config {words}")

    assert await river.wait_for_call(call[0]) == call


async def test_a_list_shows_all_settings_with_their_current_values(begin: Begin) -> None:
    river = await begin(ALL)
    await completed(river, "config ")

    await river.nvim.keys("<Esc>:ClaudeChat config<CR>")
    await until(lambda: "Mode: Ask first" in river.nvim.screen.text(), "the mode")
    await choose(river, "Dive depth: Knee deep", "5")
    await choose(river, "Knee deep (current)", "2")

    assert await river.wait_for_call("setting") == ("setting", "river://depth", "d 2")
    await river.reports("Dive depth: Very deep")
    await river.nvim.keys("<Esc>:ClaudeChat config<CR>")
    await choose(river, "Dive depth: Very deep", "")


async def test_an_agent_whose_settings_are_all_its_own_lists_them(begin: Begin) -> None:
    river = await begin(OWN)

    assert await completed(river, "config ") == ["dive-depth", "collab"]
    assert "mode" not in await completed(river, "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("colour red", "no such setting: colour red; available: mode, model, effort"),
        ("collab maybe", "Collaboration cannot be maybe; available: on, off"),
        ("model large", "no such model: large; available: small"),
    ],
)
async def test_a_wrong_name_is_answered_with_the_right_ones(
    begin: Begin, words: str, message: str
) -> None:
    river = await begin(ALL)
    await completed(river, "config ")

    await river.command(f"config {words}")

    await river.reports(message)


async def test_a_message_names_the_value_that_the_agent_keeps(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    river = await begin(ALL)

    async def keep(_setting: str, _value: str) -> str:
        return "on"

    monkeypatch.setattr(river.agent, "set_setting", keep)
    await river.command("config collab off")

    await river.reports("Collaboration: On (Otter does not take Off)")


async def test_an_agent_without_any_setting_says_so(begin: Begin) -> None:
    river = await begin(OWN)
    river.agent.emit(events.SettingsChanged(()))
    await until(lambda: _lacks_settings(river), "no setting is completed")

    await river.command("config")

    await river.reports("Otter has no settings to choose from")


async def _lacks_settings(river: River) -> bool:
    return not await river.nvim.eval(COMPLETED.format("config "))


async def _is_without_modes(river: River) -> bool:
    return await completed(river, "config ") == ["thinking"]


async def test_the_choices_are_repeated_when_the_agent_restarts(begin: Begin) -> None:
    river = await begin(ALL)
    await completed(river, "config ")
    await river.command("config effort keen")
    await river.wait_for_call("effort")
    await river.command("config model small")
    await river.wait_for_call("model")
    await river.command("config collab off")
    await river.wait_for_call("setting")
    await river.panel.send("go")
    await river.wait_for_call("prompt")
    river.agent.calls.clear()

    river.agent.emit(events.Dead(1))
    await river.panel.shows("Otter has ended")
    await river.panel.go_to("has ended")
    await river.nvim.keys("R")

    await river.wait_for_call("setting")
    assert river.agent.calls[1:] == [
        *(("model", "m://small"), ("effort", "keen"), ("setting", "collab", "off"))
    ]


async def test_models_and_modes_that_arrive_later_are_offered_and_shown(begin: Begin) -> None:
    river = await begin(ALL)
    await river.panel.bar_shows("Ask first")
    mode = events.Mode("https://example.com/modes#agent", "Agent")
    models = (*READY.models, events.Model("m://big", "Big", efforts=("wild",)))

    river.agent.emit(events.OfferChanged(models, (mode,)), events.ModeChanged(mode.id))
    river.agent.emit(events.ModelChanged("m://big"))

    await river.panel.bar_shows("Agent")
    await river.panel.bar_shows("Big")
    assert "://" not in (await river.panel.look())["bar"]
    assert await completed(river, "mode ") == ["agent"]
    assert await completed(river, "effort ") == ["calm", "keen", "wild"]
    await river.command("model big")
    assert await river.wait_for_call("model") == ("model", "m://big")
    assert river.agent.settings == SETTINGS


async def test_efforts_have_names_also_without_models(begin: Begin) -> None:
    river = await begin(ALL)
    await river.panel.bar_shows("Ask first")
    river.agent.emit(events.OfferChanged(efforts=DEPTHS), events.EffortChanged("d1"))
    await river.panel.bar_shows("Knee deep")
    assert await completed(river, "effort ") == ["d1", "very-deep"]

    await river.command("effort Very deep")
    assert await river.wait_for_call("effort") == ("effort", "d 2")
    await river.command("config effort knee deep")
    await until(lambda: river.agent.calls[-1] == ("effort", "d1"), "the effort is set")


async def test_an_agent_that_offers_nothing_still_works(begin: Begin) -> None:
    river = await begin(ALL)
    await completed(river, "config ")
    river.agent.emit(events.OfferChanged(), events.SettingsChanged(()))

    await until(lambda: _is_without_modes(river), "no mode is completed")
    await river.command("config mode")

    await river.reports("no such setting: mode; available: thinking")
    await river.panel.send("hello")
    assert await river.wait_for_call("prompt") == ("prompt", "hello")
