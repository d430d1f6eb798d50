"""`agents/stream_json/settings.py`: what the CLI offers, and what is set."""

from pathlib import Path
from typing import Any

import pytest

from claude_ide.agents.agent import ServerState, ToolServer
from claude_ide.agents.events import (
    CommandsChanged,
    EffortChanged,
    Event,
    ModelChanged,
    Notice,
    ServersFailed,
    SettingsChanged,
    SlashCommand,
)
from claude_ide.agents.stream_json import settings
from claude_ide.agents.stream_json.decode import FrameDecoder
from claude_ide.agents.stream_json.protocol import CliLaunch
from claude_ide.agents.stream_json.settings import Commands, Flags, ServerReports, tool_servers
from support.transcripts import frames_of

GREET = SlashCommand("mcp__my_server__greet", "Greet")
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

    assert FrameDecoder().decode(frame) == [CommandsChanged((GREET,))]


def test_an_offer_has_commands_that_were_reported_before_it() -> None:
    commands = Commands()
    commands.change({"commands": [LISTED]})

    assert commands.offered({"commands": [{"name": "help"}]}) == (GREET,)


def test_prompts_that_are_named_only_at_the_start_of_a_turn_are_added_once() -> None:
    commands = Commands()
    commands.offered({"commands": [{"name": "help"}]})
    frame = {"slash_commands": ["help", "secret", "mcp__x__y"]}

    assert commands.init(frame) == [
        CommandsChanged((SlashCommand("help"), SlashCommand("mcp__x__y")))
    ]
    assert commands.init(frame) == []


@pytest.mark.parametrize(("chosen", "model"), [("opus", "claude-opus-9"), ("claude-x", "claude-x")])
def test_a_model_that_the_user_chooses_by_a_command_is_reported(chosen: str, model: str) -> None:
    decoder = FrameDecoder()
    decoder.settings.models = {"opus": "claude-opus-9"}

    reported = decoder.decode(ran("model", chosen, "Set model to `Opus`"))

    assert reported[1:] == [ModelChanged(model, model.removeprefix("claude-"))]


def test_an_effort_that_the_user_chooses_by_a_command_is_reported() -> None:
    reported = FrameDecoder().decode(ran("effort", "low", "Set effort level to low"))

    assert reported[1:] == [EffortChanged("low")]


@pytest.mark.parametrize("command", ["model", "effort"])
def test_a_command_that_is_refused_changes_nothing(command: str) -> None:
    assert len(FrameDecoder().decode(ran(command, "nonsense", "Unknown: nonsense"))) == 1


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
    launch = CliLaunch(("claude",), Path("/p"), {}, mode=mode, arguments=arguments, trusted=True)

    modes = settings.offered({}, (), bypasses=launch.allows_bypass).modes

    assert [mode.id for mode in modes if mode.in_cycle][3:] == ["bypassPermissions"] * offered
    assert modes[-1].id == "dontAsk"


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


def test_the_recorded_servers_have_their_states_and_errors() -> None:
    answers = [frame for frame in frames_of("mcp_servers") if frame["type"] == "control_response"]
    listed = tool_servers(answers[1]["response"]["response"])

    broken, dies, web = listed
    assert (broken.name, broken.state) == ("broken", ServerState.FAILED)
    assert broken.error.startswith("ENOENT: no such file or directory")
    assert broken.place == "stdio · dynamic"
    assert dies.state is ServerState.CONNECTING
    assert web.place == "http · dynamic"


def test_a_connected_server_has_tools() -> None:
    answer = {"mcpServers": [{"name": "a", "status": "connected", "tools": [{}, {}]}, "junk"]}

    assert tool_servers(answer) == [ToolServer("a", ServerState.CONNECTED, tools=2)]
    assert tool_servers({"mcpServers": [{"status": "novel"}]})[0].state is ServerState.UNKNOWN


def test_each_broken_server_is_reported_once() -> None:
    servers = ServerReports()
    frame = {"mcp_servers": [{"name": "a", "status": "failed"}, {"name": "b"}]}

    assert [event.names for event in servers.apply(frame)] == [("a",)]  # type: ignore[union-attr]
    assert servers.apply(frame) == []
    [more] = servers.apply({"mcp_servers": [{"name": "b", "status": "needs-auth"}]})
    assert more.names == ("b",)  # type: ignore[union-attr]


def test_entries_that_cannot_be_read_are_reported_once() -> None:
    servers = ServerReports()
    errors = [
        {"name": "pond", "type": "url_missing_type", "message": 'add "type": "http"'},
        {"name": "river", "message": 3},
        {"name": ""},
        "junk",
    ]
    frame = {"mcp_servers": [{"name": "a", "status": "failed"}], "mcp_server_errors": errors}

    assert servers.apply(frame) == [
        ServersFailed(("a",)),
        Notice('MCP server pond: add "type": "http"', "warning"),
        Notice("MCP server river: its entry cannot be read", "warning"),
    ]
    assert servers.apply(frame) == []
    assert servers.apply({"mcp_server_errors": None}) == []
