"""The output style and fast mode, as the CLI reports and takes them: `flags.py`."""

from typing import Any

from claude_ide.agents.events import Event, Notice, SettingsChanged
from claude_ide.agents.stream_json.settings import Flags

STYLES = {"output_style": "default", "available_output_styles": ["default", "My own"]}
OPEN = {"fast_mode_state": "off", "fast_mode_disabled_reason": "sdk_opt_in_required"}


def offered(answer: dict[str, Any]) -> Flags:
    flags = Flags()
    flags.offer(answer)
    return flags


def values(events: list[Event]) -> dict[str, tuple[str, list[str]]]:
    """Return the settings in an event: the current value, and those to choose from."""
    (changed,) = (event for event in events if isinstance(event, SettingsChanged))
    return {
        each.id: (each.current, [value.id for value in each.values]) for each in changed.settings
    }


def test_what_the_cli_offers_can_be_chosen() -> None:
    assert values(Flags().offer(STYLES | OPEN)) == {
        "output-style": ("default", ["default", "My own"]),
        "fast": ("off", ["on", "off"]),
    }


def test_what_the_cli_does_not_offer_cannot_be_chosen() -> None:
    assert Flags().offer({}) == []
    refused = STYLES | OPEN | {"fast_mode_disabled_reason": "not_first_party"}
    assert list(values(Flags().offer(refused))) == ["output-style"]


def test_fast_mode_of_a_cli_that_tells_it_only_with_a_turn_is_offered_then() -> None:
    flags = offered(STYLES)

    assert values(flags.apply({"output_style": "default", "fast_mode_state": "off"}))["fast"]
    assert flags.apply({"output_style": "default", "fast_mode_state": "off"}) == []


def test_a_choice_is_current_until_the_cli_says_otherwise() -> None:
    flags = offered(STYLES | OPEN)

    assert values(flags.set("output-style", "My own"))["output-style"][0] == "My own"
    assert values(flags.set("fast", "on"))["fast"][0] == "on"
    assert flags.apply({"output_style": "My own", "fast_mode_state": "on"}) == []
    assert values(flags.apply({"fast_mode_state": "cooldown"}))["fast"] == (
        "cooldown",
        ["on", "off", "cooldown"],
    )


def test_the_user_learns_once_that_fast_mode_is_not_had() -> None:
    flags = offered(STYLES | OPEN)
    flags.set("fast", "on")
    refused = {"fast_mode_state": "off", "fast_mode_disabled_reason": "model_not_allowed"}

    said = [each for each in flags.apply(refused) if isinstance(each, Notice)]

    assert said == [Notice("Fast mode is off: model not allowed", "warning")]
    assert flags.apply(refused) == []


def test_the_changes_are_encoded_as_the_cli_names_them() -> None:
    flags = Flags()

    assert flags.encode("output-style", "My own") == {"outputStyle": "My own"}
    assert flags.encode("fast", "on") == {"fastMode": True}
    assert flags.encode("fast", "off") == {"fastMode": False}
