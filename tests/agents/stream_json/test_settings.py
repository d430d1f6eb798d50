"""What the CLI offers and changes while it runs: `commands.py`, `settings.py`, `settings.py`."""

from pathlib import Path

import pytest

from claude_ide.agents.events import (
    Command,
    CommandsChanged,
    EffortChanged,
    ModelChanged,
)
from claude_ide.agents.stream_json import settings
from claude_ide.agents.stream_json.decode import Decoder
from claude_ide.agents.stream_json.protocol import Launch
from claude_ide.agents.stream_json.settings import Commands

GREET = Command("mcp__my_server__greet", "Greet")
LISTED = {"name": "my.server:greet (MCP)", "description": "Greet"}


def ran(command: str, arguments: str, answer: str) -> dict[str, object]:
    """Return the answer to a command of the CLI that was sent as a prompt."""
    content = [{"type": "text", "text": answer}]
    return {
        "type": "assistant",
        "message": {"model": "<synthetic>", "content": content},
        "local_command_run": {"command": command, "args": arguments},
    }


def test_a_prompt_of_a_server_is_offered_by_the_name_that_runs_it() -> None:
    frame = {"type": "system", "subtype": "commands_changed", "commands": [LISTED]}

    assert Decoder().decode(frame) == [CommandsChanged((GREET,))]


def test_an_offer_has_commands_that_were_reported_before_it() -> None:
    commands = Commands()
    commands.change({"commands": [LISTED]})

    assert commands.offered({"commands": [{"name": "help"}]}) == (GREET,)


def test_prompts_that_are_named_only_at_the_start_of_a_turn_are_added_once() -> None:
    commands = Commands()
    commands.offered({"commands": [{"name": "help"}]})
    frame = {"slash_commands": ["help", "secret", "mcp__x__y"]}

    assert commands.init(frame) == [CommandsChanged((Command("help"), Command("mcp__x__y")))]
    assert commands.init(frame) == []


@pytest.mark.parametrize(("chosen", "model"), [("opus", "claude-opus-9"), ("claude-x", "claude-x")])
def test_a_model_that_the_user_chooses_by_a_command_is_reported(chosen: str, model: str) -> None:
    decoder = Decoder()
    decoder.settings.models = {"opus": "claude-opus-9"}

    reported = decoder.decode(ran("model", chosen, "Set model to `Opus`"))

    assert reported[1:] == [ModelChanged(model, model.removeprefix("claude-"))]


def test_an_effort_that_the_user_chooses_by_a_command_is_reported() -> None:
    reported = Decoder().decode(ran("effort", "low", "Set effort level to low"))

    assert reported[1:] == [EffortChanged("low")]


@pytest.mark.parametrize("command", ["model", "effort"])
def test_a_command_that_is_refused_changes_nothing(command: str) -> None:
    assert len(Decoder().decode(ran(command, "nonsense", "Unknown: nonsense"))) == 1


@pytest.mark.parametrize(
    ("arguments", "mode", "offered"),
    [
        ((), "", False),
        ((), "bypassPermissions", True),
        (("--dangerously-skip-permissions",), "", True),
        (("--allow-dangerously-skip-permissions",), "", True),
    ],
)
def test_the_mode_without_requests_is_offered_where_the_cli_allows_it(
    arguments: tuple[str, ...], mode: str, offered: bool
) -> None:
    launch = Launch(("claude",), Path("/p"), {}, mode=mode, arguments=arguments, trusted=True)

    modes = settings.offered({}, (), bypasses=launch.allows_bypass).modes

    assert [mode.id for mode in modes if mode.in_cycle][3:] == ["bypassPermissions"] * offered
    assert modes[-1].id == "dontAsk"
