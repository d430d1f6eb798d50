"""`config.py`: the user's options, and the complaints about invalid ones."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from claude_ide.config import (
    A_FUNCTION,
    AgentConfig,
    AskConfig,
    AttentionConfig,
    ChatConfig,
    Config,
    DiffConfig,
    HeadlessConfig,
    LimitsConfig,
    McpServerConfig,
    PrivacyConfig,
    ReviewConfig,
    TerminalConfig,
    ToolsConfig,
    decode,
)


def test_no_options_give_the_defaults_without_complaints() -> None:
    assert decode({}) == (Config(), [])


def test_every_option_can_be_set() -> None:
    options = {
        "python": "/usr/bin/python3",
        "auto_start": True,
        "keys": True,
        "host": "0.0.0.0",
        "cmd": ["claude", "--verbose"],
        "diff": {"layout": "vertical"},
        "terminal": {"side": "left", "size": 80},
        "chat": {"side": "float", "size": 0.8, "model": "opus", "mode": "plan"},
        "ask": {"model": "haiku", "window": "split"},
        "headless": {"agent": "codex"},
        "tools": {"enabled": False, "allow_read": False, "clipboard": True},
        "review": {"notify": False},
        "limits": {"show_above": 60},
        "attention": {"seconds": 0.5, "bell": True},
        "hooks": False,
        "privacy": {"deny": ["*.secret"], "allow": ["test.pem"]},
        "agents": {
            "otter": {
                "cmd": ["otter", "--acp"],
                "env": {"POND": "deep", "FISH": 2},
                "name": "Otter",
            },
            "gemini": False,
        },
        "mcp_servers": {"db": {"command": "db-mcp", "env": {"DEPTH": 2}}},
        "prompts": {"shout": "Shout {selection}", "tests": False},
        "contexts": {"branch": A_FUNCTION},
        "log_level": "debug",
    }
    config, complaints = decode(options)

    assert options.keys() == {field.name for field in msgspec.structs.fields(Config)}
    assert complaints == []
    assert config == Config(
        python="/usr/bin/python3",
        auto_start=True,
        keys=True,
        host="0.0.0.0",
        cmd=["claude", "--verbose"],
        diff=DiffConfig(layout="vertical"),
        terminal=TerminalConfig(side="left", size=80),
        chat=ChatConfig(side="float", size=0.8, model="opus", mode="plan"),
        ask=AskConfig(model="haiku", window="split"),
        headless=HeadlessConfig(agent="codex"),
        tools=ToolsConfig(enabled=False, allow_read=False, clipboard=True),
        review=ReviewConfig(notify=False),
        limits=LimitsConfig(show_above=60),
        attention=AttentionConfig(seconds=0.5, bell=True),
        hooks=False,
        privacy=PrivacyConfig(deny=["*.secret"], allow=["test.pem"]),
        agents={
            "otter": AgentConfig(["otter", "--acp"], {"POND": "deep", "FISH": 2}, "Otter"),
            "gemini": False,
        },
        mcp_servers={"db": McpServerConfig("db-mcp", env={"DEPTH": 2})},
        prompts={"shout": "Shout {selection}", "tests": 0},
        contexts={"branch": True},
        log_level="debug",
    )


@pytest.mark.parametrize("value", [0, 1])
def test_vimscript_numbers_are_accepted_as_booleans(value: int) -> None:
    config, complaints = decode({"auto_start": value})

    assert (config.auto_start, complaints) == (bool(value), [])


@pytest.mark.parametrize("value", [0, False])
def test_a_group_that_may_be_off_is_off(value: int) -> None:
    config, complaints = decode({"attention": value})

    assert (config.attention, complaints) == (False, [])


def test_an_empty_lua_table_that_arrives_as_a_list_sets_nothing() -> None:
    assert decode({"diff": [], "terminal": []}) == (Config(), [])


@pytest.mark.parametrize("options", [[], None])
def test_a_missing_dictionary_of_options_gives_the_defaults(options: Any) -> None:
    assert decode(options) == (Config(), [])


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"autostart": 1}, "g:claude_ide.autostart is not an option; did you mean auto_start?"),
        ({"diff": {"lay_out": "tab"}}, "g:claude_ide.diff.lay_out is not an option"),
        ({"auto_start": 2}, "g:claude_ide.auto_start must be a boolean, not a number"),
        ({"auto_start": "yes"}, "g:claude_ide.auto_start must be a boolean, not a string"),
        ({"auto_start": []}, "g:claude_ide.auto_start must be a boolean"),
        ({"cmd": 5}, "g:claude_ide.cmd must be a string or a list, not a number"),
        ({"cmd": ["claude", 5]}, "g:claude_ide.cmd: each item must be a string, not a number"),
        ({"cmd": ""}, "g:claude_ide.cmd must be a string of length >= 1"),
        ({"cmd": []}, "g:claude_ide.cmd must be a list of length >= 1"),
        ({"attention": True}, "g:claude_ide.attention must be a table, not a boolean"),
        ({"attention": {"seconds": -1}}, "g:claude_ide.attention.seconds must be a number >= 0"),
        ({"limits": {"show_above": -1}}, "g:claude_ide.limits.show_above must be a number >= 0"),
        ({"limits": {"show_above": 101}}, "g:claude_ide.limits.show_above must be a number <= 100"),
        ({"review": False}, "g:claude_ide.review must be a table, not a boolean"),
        ({"prompts": "x"}, "g:claude_ide.prompts must be a table, not a string"),
        ({"prompts": {"x": 5}}, "g:claude_ide.prompts.x must be a string, not a number"),
        (
            {"prompts": {"a b": "x"}},
            'g:claude_ide.prompts: "a b" must have only letters, digits, - and _',
        ),
        ({"diff": "tab"}, "g:claude_ide.diff must be a table, not a string"),
        (
            {"diff": {"layout": "tabs"}},
            'g:claude_ide.diff.layout: "tabs" is not one of "tab", "vertical", "horizontal", ',
        ),
        ({"terminal": {"mode": "maual"}}, 'g:claude_ide.terminal.mode: "maual" is not one of '),
        ({"terminal": {"size": 0}}, "g:claude_ide.terminal.size must be a number > 0"),
        ({"terminal": {"size": 1e30}}, "g:claude_ide.terminal.size must be a number <= 10000"),
        ({"terminal": {"size": -0.5}}, "g:claude_ide.terminal.size must be a number > 0"),
        ({"mcp_servers": {"db": {"url": 1}}}, "g:claude_ide.mcp_servers.db.url must be a string"),
        ({"mcp_servers": {"db": {}}}, "g:claude_ide.mcp_servers.db needs a command"),
        ({"review": {"keys": {"skip": "x"}}}, 'g:claude_ide.review.keys: "skip" is not one of '),
        ({"log_level": "loud"}, 'g:claude_ide.log_level: "loud" is not one of "debug", '),
        ("tab", "g:claude_ide must be a table, not a string"),
        (["auto_start"], "g:claude_ide must be a table, not a list"),
    ],
)
def test_an_invalid_option_is_named_and_keeps_its_default(options: Any, complaint: str) -> None:
    config, complaints = decode(options)

    assert config == Config()
    (reported,) = complaints
    assert reported.startswith(complaint)


def test_an_unknown_option_without_a_similar_one_is_reported_with_a_help_tag() -> None:
    _, (complaint,) = decode({"zzz": 1})

    assert complaint == "g:claude_ide.zzz is not an option (:help claude-ide-options)"


def test_an_invalid_option_does_not_affect_the_others() -> None:
    config, complaints = decode(
        {"host": 5, "log_level": "debug", "terminal": {"side": "up", "size": 20}}
    )

    assert config == Config(log_level="debug", terminal=TerminalConfig(size=20))
    assert len(complaints) == 2


@pytest.mark.parametrize(
    ("agents", "complaint"),
    [
        ("otter", "agents must be a table, not a string"),
        (["otter"], "agents must be a table, not a list"),
        ({"an otter": {}}, 'agents: "an otter" must have only letters, digits, - and _'),
        ({"otter": "otter"}, "agents.otter must be a table, not a string"),
        ({"otter": True}, "agents.otter must be a table, not a boolean"),
        ({"otter": {"cmd": 5}}, "agents.otter.cmd must be a string or a list, not a number"),
        ({"otter": {"cmd": []}}, "agents.otter.cmd must be a list of length >= 1"),
        ({"otter": {"cmd": "o", "env": "A=1"}}, "agents.otter.env must be a table, not a string"),
        (
            {"otter": {"env": {"A": True}}},
            "agents.otter.env: each item must be a number or a string, not a boolean",
        ),
        ({"otter": {"name": 1}}, "agents.otter.name must be a string, not a number"),
        ({"otter": {"command": "o"}}, "agents.otter.command is not an option; did you mean cmd?"),
    ],
)
def test_a_bad_agent_is_reported_and_the_others_stay(agents: Any, complaint: str) -> None:
    more = {"beaver": {"cmd": "beaver"}} if isinstance(agents, dict) else {}
    config, complaints = decode({"agents": agents | more if more else agents})

    assert complaints == [f"g:claude_ide.{complaint}"]
    assert config.agents.get("beaver") == (AgentConfig("beaver") if more else None)


def test_a_bad_field_of_an_agent_leaves_its_other_fields() -> None:
    config, _ = decode({"agents": {"otter": {"cmd": "otter", "name": 1}}})

    assert config.agents == {"otter": AgentConfig("otter")}


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)
options = st.dictionaries(
    st.text() | st.sampled_from([field.name for field in msgspec.structs.fields(Config)]), values
)


@given(options)
def test_any_options_give_a_valid_config(given: dict[str, Any]) -> None:
    config, complaints = decode(given)

    assert msgspec.convert(msgspec.to_builtins(config), Config) == config
    assert all(complaint.startswith("g:claude_ide.") for complaint in complaints)


def test_a_choice_that_can_be_left_out_is_named_without_that() -> None:
    complaint = 'g:claude_ide.agents.otter.mcp: "pipe" is not one of "stdio", "http"'

    assert decode({"agents": {"otter": {"mcp": "pipe"}}})[1] == [complaint]
