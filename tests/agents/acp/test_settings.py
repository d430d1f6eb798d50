"""Modes, models and options, in each of the forms in which agents report them."""

from typing import Any

import pytest

from claude_ide.agents.acp.updates import SessionSettings
from claude_ide.agents.events import (
    EffortChanged,
    ModeChanged,
    Model,
    ModelChanged,
    OfferChanged,
    Ready,
    SettingsChanged,
    SettingValue,
)
from claude_ide.base.errors import AgentError, UnsupportedError
from support.acp import script as acp
from support.acp.script import Script
from support.acp.talk import Begin


def option(id_: str, current: Any, *values: str, **more: Any) -> dict[str, Any]:
    options = [{"value": value, "name": value.title()} for value in values]
    described = {"id": id_, "name": id_.title(), "type": "select", "currentValue": current}
    return {**described, "options": options, **more}


OLD = {
    "modes": {
        "currentModeId": "ask",
        "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "go", "name": "Go"}],
    },
    "models": {
        "currentModelId": "m1",
        "availableModels": [{"modelId": "m1", "name": "One"}, {"modelId": "m2", "name": "Two"}],
    },
}
OPTIONS = [
    option("mode", "ask", "ask", "go", category="mode"),
    option("llm", "m1", "m1", "m2", category="model"),
    option("think", "low", "low", "high", category="thought_level"),
    option("tone", "dry", "dry", "warm"),
    {"id": "web", "name": "Web", "type": "boolean", "currentValue": False},
]
NEW = {"configOptions": OPTIONS}


def opened(answer: dict[str, Any], **steps: list[Any]) -> Script:
    return Script(new=[acp.result({"sessionId": "s-1", **answer})], **steps)  # type: ignore[arg-type]


@pytest.mark.parametrize("answer", [OLD, NEW, {**OLD, **NEW}])
async def test_modes_and_models_have_names(begin: Begin, answer: dict[str, Any]) -> None:
    talk = await begin(opened(answer))

    ready = await talk.until(Ready)

    assert [mode.name for mode in ready.modes] == ["Ask", "Go"]
    assert [model.id for model in ready.models] == ["m1", "m2"]
    assert (await talk.until(ModeChanged)).mode == "ask"
    assert (await talk.until(ModelChanged)).model == "m1"
    assert talk.agent.capabilities.modes
    assert talk.agent.capabilities.models


async def test_an_option_without_a_category_is_known_by_its_id(begin: Begin) -> None:
    options = [option("mode", "ask", "ask", "go"), option("model", "m1", "m1", "m2")]
    talk = await begin(opened({"configOptions": options}))

    ready = await talk.until(Ready)

    assert [mode.name for mode in ready.modes] == ["Ask", "Go"]
    assert [model.id for model in ready.models] == ["m1", "m2"]
    assert not talk.agent.capabilities.settings


async def test_the_older_form_has_requests_of_its_own(begin: Begin) -> None:
    talk = await begin(opened(OLD))

    await talk.agent.set_mode("go")
    await talk.agent.set_model("m2")

    assert talk.fake.received("session/set_mode") == [{"sessionId": "s-1", "modeId": "go"}]
    assert talk.fake.received("session/set_model") == [{"sessionId": "s-1", "modelId": "m2"}]
    assert (await talk.until(ModeChanged, count=2)).mode == "go"
    assert (await talk.until(ModelChanged, count=2)).name == "Two"


async def test_the_model_is_not_another_setting_of_its_category(begin: Begin) -> None:
    provider = option("provider", "p1", "p1", "p2", category="model")
    model = option("model", "m1", "m1", "m2", category="model")
    talk = await begin(opened({"configOptions": [provider, model]}))

    ready = await talk.until(Ready)

    assert [model.id for model in ready.models] == ["m1", "m2"]
    assert [each.id for each in (await talk.until(SettingsChanged)).settings] == ["provider"]


async def test_an_option_is_set_by_its_id(begin: Begin) -> None:
    changed = [
        option("mode", "go", "ask", "go", category="mode"),
        option("think", "high", "low", "high", category="thought_level"),
        option("tone", "warm", "dry", "warm"),
    ]
    answered = [acp.result({"configOptions": changed})]
    talk = await begin(opened(NEW, set_config_option=answered))

    await talk.agent.set_mode("go")
    await talk.agent.set_effort("high")
    await talk.agent.set_setting("tone", "warm")
    await talk.agent.set_model("m2")

    asked = talk.fake.received("session/set_config_option")
    assert [(call["configId"], call["value"]) for call in asked[:3]] == [
        *(("mode", "go"), ("think", "high"), ("tone", "warm"))
    ]
    assert (await talk.until(EffortChanged, lambda event: event.effort == "high")).effort
    assert talk.of(SettingsChanged)[-1].settings[0].current == "warm"


async def test_efforts_are_offered_with_their_names_also_without_models(begin: Begin) -> None:
    effort = {**option("think", "d1", category="thought_level")}
    named = [{"value": "d1", "name": "Shallow"}, {"value": "d2", "name": "Deep"}]
    talk = await begin(opened({"configOptions": [{**effort, "options": named}]}))

    ready = await talk.until(Ready)

    assert ready.efforts == (SettingValue("d1", "Shallow"), SettingValue("d2", "Deep"))
    assert talk.agent.capabilities.effort
    assert (await talk.until(EffortChanged)).effort == "d1"


async def test_a_boolean_option_is_on_or_off(begin: Begin) -> None:
    talk = await begin(opened(NEW))
    changed = await talk.until(SettingsChanged)
    web = next(setting for setting in changed.settings if setting.id == "web")
    assert (web.current, [value.name for value in web.values]) == ("off", ["on", "off"])

    await talk.agent.set_setting("web", "on")

    (asked,) = talk.fake.received("session/set_config_option")
    assert (asked["type"], asked["value"]) == ("boolean", True)


async def test_an_agent_may_keep_the_value_of_an_option(begin: Begin) -> None:
    talk = await begin(opened(NEW, set_config_option=[acp.result(NEW)]))

    assert await talk.agent.set_setting("web", "on") == "off"


async def test_what_gemini_says_about_its_mode_is_no_part_of_the_conversation(begin: Begin) -> None:
    said = [acp.say("[MODE_UPDATE] go"), acp.say("[MODE_UPDATE] is a word")]
    talk = await begin(opened(OLD, prompt=said))

    await talk.turn("hi")

    assert talk.said == "[MODE_UPDATE] is a word"


async def test_a_setting_that_the_agent_does_not_have_is_refused(begin: Begin) -> None:
    talk = await begin(opened(OLD))

    with pytest.raises(UnsupportedError, match="Fake has no such setting"):
        await talk.agent.set_setting("tone", "warm")
    with pytest.raises(UnsupportedError, match="Fake has no such setting"):
        await talk.agent.set_effort("high")


async def test_a_value_that_the_agent_refuses_changes_nothing(begin: Begin) -> None:
    refused = acp.error(-32602, "Invalid params", {"message": "no such mode"})
    talk = await begin(opened(OLD, set_mode=[refused]))
    await talk.until(ModeChanged)

    with pytest.raises(AgentError, match="Fake: Invalid params: no such mode"):
        await talk.agent.set_mode("go")

    assert len(talk.of(ModeChanged)) == 1


async def test_a_wrong_mode_is_reported_with_those_that_there_are(begin: Begin) -> None:
    talk = await begin(opened(OLD))

    with pytest.raises(AgentError, match="Fake has no mode fly; available: ask, go"):
        await talk.agent.set_mode("fly")


async def test_the_agent_changes_its_settings_itself(begin: Begin) -> None:
    steps = [
        acp.update("current_mode_update", currentModeId="go"),
        acp.update("config_option_update", configOptions=[option("tone", "warm", "dry", "warm")]),
    ]
    talk = await begin(opened(OLD, prompt=steps))

    await talk.turn("hi")

    assert [event.mode for event in talk.of(ModeChanged)][:2] == ["ask", "go"]
    assert talk.of(SettingsChanged)[-1].settings[0].current == "warm"


def test_options_that_change_what_is_offered_are_reported_as_an_offer() -> None:
    settings = SessionSettings()
    settings.load({"configOptions": OPTIONS})
    bigger = [OPTIONS[0], option("llm", "m3", "m1", "m3", category="model")]

    offered, *_ = settings.update({"configOptions": bigger})

    assert offered == OfferChanged((Model("m1", "M1"), Model("m3", "M3")), settings.modes)
    assert not any(
        isinstance(event, OfferChanged) for event in settings.update({"configOptions": bigger})
    )
