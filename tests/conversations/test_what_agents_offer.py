"""A chat offers only what its agent can do: completion, keys, commands, messages."""

import re

import pytest
from msgspec.structs import replace

from claude_ide.agents import events
from claude_ide.agents.agent import Capabilities
from support.another_agent import ALL, FEW
from support.neovim import until
from support.river import FLOAT, Begin, River

COMPLETED = "getcompletion('ClaudeChat {}', 'cmdline')"
OPTIONAL = {
    *("resume", "continue", "fork", "rewind", "context", "mode", "model"),
    *("effort", "thinking", "aside", "rename", "tasks", "mcp", "config", "remote"),
}
"""The subcommands of `:ClaudeChat` that some agents cannot carry out."""


async def test_settings_accept_and_complete_the_values_of_the_agent(begin: Begin) -> None:
    river = await begin()
    await river.panel.bar_shows("Ask first")

    await river.command("mode m://free")
    await river.command("model m://small")
    await river.command("effort keen")
    await river.command("thinking 500")

    await river.wait_for_call("thinking")
    assert [call for call in river.agent.calls if call[0] != "start"] == [
        *(("mode", "m://free"), ("model", "m://small"), ("effort", "keen"), ("thinking", 500))
    ]
    await river.panel.bar_shows("Swim freely")
    for what, offered in {
        "mode": ["ask-first", "swim-freely"],
        "model": ["small"],
        "effort": ["calm", "keen"],
    }.items():
        assert await river.nvim.eval(COMPLETED.format(f"{what} ")) == offered


@pytest.mark.parametrize(
    ("what", "current"),
    [("mode", "Ask first"), ("mode m://free", "Swim freely"), ("effort keen", "keen")],
)
async def test_a_list_of_values_marks_the_current_one(
    begin: Begin, what: str, current: str
) -> None:
    river = await begin()
    await river.panel.bar_shows("Ask first")
    setting, _, value = what.partition(" ")
    if value:
        await river.command(what)
        await river.panel.bar_shows(current)

    await river.nvim.keys(f"<Esc>:ClaudeChat {setting}<CR>")

    await until(lambda: f"{current} (current)" in river.nvim.screen.text(), "the mark")
    assert river.nvim.screen.text().count("(current)") == 1
    await river.nvim.keys("q<CR>")


async def test_the_commands_of_the_agent_are_updated_when_they_change(begin: Begin) -> None:
    river = await begin()
    river.agent.emit(events.CommandsChanged((events.SlashCommand("surface"),)))

    async def offered() -> bool:
        list_ = "return require('claude_ide.chat.state').list()[1].offer.commands"
        return [each["word"] for each in await river.nvim.lua(list_)] == ["/surface"]

    await until(offered, "the new commands")


async def test_optional_commands_are_completed_and_work_if_the_agent_supports_them(
    begin: Begin,
) -> None:
    river = await begin(ALL)
    await river.panel.send("go")
    await river.wait_for_call("prompt")
    assert set(await river.nvim.eval(COMPLETED.format(""))) >= OPTIONAL

    await river.command("aside why")
    await river.panel.shows("aside of why")
    await river.command("context")
    await until(lambda: "300 of 1,000 tokens" in river.nvim.screen.text(), "the context")
    await river.nvim.keys("q")
    await river.command("rename The big swim")
    await river.command("remote")
    await river.panel.shows("remote control: https://river.example/s-1")
    await river.reports("remote control: https://river.example/s-1 (yanked")
    assert await river.nvim.eval("getreg()") == "https://river.example/s-1"
    await river.command("remote off")
    await river.reports("remote control is off")
    assert await river.wait_for_call("remote") == ("remote", False)
    await river.command("remote now")
    await river.reports("remote takes no argument but off: now")
    await river.command("log")
    await until(lambda: '{"splash": 1}' in river.nvim.screen.text(), "the log")


@pytest.mark.parametrize("what", sorted(OPTIONAL))
async def test_an_unsupported_command_is_not_completed_and_reports_why(
    begin: Begin, what: str
) -> None:
    river = await begin(FEW)

    assert not OPTIONAL & set(await river.nvim.eval(COMPLETED.format("")))
    await river.command(what)

    await river.reports("Otter cannot ")
    reports = await river.nvim.lua("return _G.reports")
    assert not [text for text in reports if len(text) > 75 or "Claude can" in text]


KEYS = {"prompt": ("gs", "gr", "gp", "<S-Tab>"), "transcript": ("e", "x", "gb", "<S-Tab>", "L")}


@pytest.mark.parametrize(("capabilities", "shown"), [(ALL, True), (FEW, False)])
@pytest.mark.parametrize("window", sorted(KEYS))
async def test_the_help_lists_only_the_keys_that_the_agent_supports(
    begin: Begin, window: str, capabilities: Capabilities, shown: bool
) -> None:
    river = await begin(capabilities)
    await river.panel.write()
    await river.nvim.keys("<Esc>" if window == "prompt" else "<Esc><C-w>k")

    await river.nvim.keys("g?")
    listed = await until(lambda: river.nvim.lua(FLOAT), "the keys")

    first = {line.split()[0] for line in listed.splitlines() if line.strip()}
    assert "g?" in first
    assert (set(KEYS[window]) <= first) is shown
    assert shown or not set(KEYS[window]) & first
    assert not re.search(r"\bClaude\b", listed)


async def test_a_key_that_the_agent_does_not_support_reports_why(begin: Begin) -> None:
    river = await begin(FEW)
    await river.panel.write()

    await river.nvim.keys("swim<Esc>gs")
    await river.reports("Otter cannot accept a prompt during a turn")
    await until(lambda: _prompt(river, ["swim"]), "the prompt is restored")
    await river.nvim.keys("gp")
    await river.reports("Otter cannot accept images")
    await river.nvim.keys("<S-Tab>")

    await river.reports("Otter cannot change its permission mode")
    assert [call[0] for call in river.agent.calls] == ["start"]


async def _prompt(river: River, lines: list[str]) -> bool:
    return bool((await river.panel.look())["prompt"] == lines)


async def test_a_command_that_turns_out_to_be_unsupported_is_no_longer_completed(
    begin: Begin,
) -> None:
    river = await begin(ALL)
    assert "fork" in await river.nvim.eval(COMPLETED.format(""))

    river.agent.capabilities = replace(ALL, fork=False)
    await river.command("fork")

    await river.reports("Otter cannot fork a session")
    await until(lambda: _lacks(river, "fork"), "fork is no longer completed")


async def _lacks(river: River, what: str) -> bool:
    return what not in await river.nvim.eval(COMPLETED.format(""))
