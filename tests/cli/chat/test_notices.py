"""What hooks, rules and the CLI itself say in the chat panel, with the real CLI."""

import json
import sys
from pathlib import Path
from typing import Any

from support import prompt_server
from support.fake_api import FakeApi, text, tool_use
from support.neovim import Neovim, until
from support.panel import Panel, choose_answer, holds

BLOCKS = "if grep -q BAD; then echo 'no bad prompts here' >&2; exit 2; fi"
"""A hook that keeps a prompt with BAD in it from the model."""


def set_up(project: Path, hooks: dict[str, str] | None = None, **settings: Any) -> None:
    """Write the project's settings; a hook is a shell command, by the name of its event."""
    given = {
        event: [{"hooks": [{"type": "command", "command": command}]}]
        for event, command in (hooks or {}).items()
    }
    (project / ".claude").mkdir()
    (project / ".claude/settings.json").write_text(json.dumps({"hooks": given, **settings}))


async def test_a_blocked_prompt_returns_with_its_reason(
    nvim: Neovim, cli: Path, api: FakeApi, project: Path, path: Path
) -> None:
    set_up(project, {"UserPromptSubmit": BLOCKS})
    await nvim.command(f"edit {path}")
    panel = await Panel.open(nvim, [cli], mode="default")
    api.script([text("Hello.")])

    await panel.send("BAD prompt")

    shown = await panel.shows("this prompt was blocked by a hook: no bad prompts here")
    assert "» BAD prompt" in shown
    await until(lambda: holds(panel, "BAD prompt"), "the text is in the prompt")
    assert (await panel.look())["prompt"] == ["BAD prompt"]
    await nvim.keys("<Esc>ccgood<C-s>")
    await panel.shows("Hello.")
    assert "BAD" not in str(api.requests[0].body["messages"])


async def test_a_blocked_prompt_does_not_change_what_the_user_has_written_since(
    nvim: Neovim, cli: Path, project: Path
) -> None:
    set_up(project, {"UserPromptSubmit": f"sleep 1; {BLOCKS}"})
    panel = await Panel.open(nvim, [cli], mode="default")

    await panel.send("BAD prompt")
    await nvim.keys("next thought")

    await panel.shows("the prompt has other text, so the blocked one is in its history")
    assert (await panel.look())["prompt"] == ["next thought"]
    await nvim.keys("<Esc><Up>")
    await until(lambda: holds(panel, "BAD prompt"), "the blocked prompt")


async def test_the_messages_of_a_hook_are_shown_once_in_a_turn(
    nvim: Neovim, cli: Path, api: FakeApi, project: Path
) -> None:
    says = """echo '{"systemMessage": "be careful"}'"""
    set_up(project, {"PreToolUse": says, "Stop": says})
    panel = await Panel.open(nvim, [cli], mode="default")
    api.script([tool_use("Bash", command="echo one"), tool_use("Bash", command="echo two")])
    api.script([text("Done.")])

    await panel.send("Do it")

    shown = await panel.shows("Stop says: be careful")
    assert shown.count("PreToolUse:Bash says: be careful") == 1
    assert shown.count("Stop says: be careful") == 1


async def test_the_feedback_of_a_stop_hook_is_shown_before_the_answer_to_it(
    nvim: Neovim, cli: Path, api: FakeApi, project: Path, tmp_path: Path
) -> None:
    once = tmp_path / "once"
    says = f"[ -e {once} ] || {{ touch {once}; echo 'run the tests first' >&2; exit 2; }}"
    set_up(project, {"Stop": says})
    panel = await Panel.open(nvim, [cli], mode="default")
    api.script([text("Done.")], [text("Now they have run.")])

    await panel.send("Do it")

    shown = await panel.shows("Now they have run.")
    assert "Done.\n\nStop hook feedback: run the tests first\n\nNow they have run." in shown
    assert "ctrl+o" not in shown


async def test_a_hook_that_fails_is_reported(
    nvim: Neovim, cli: Path, api: FakeApi, project: Path
) -> None:
    set_up(project, {"PostToolUse": "echo 'no such linter' >&2; exit 1"})
    panel = await Panel.open(nvim, [cli], mode="default")
    api.script([tool_use("Bash", command="echo one")], [text("Done.")])

    await panel.send("Do it")

    await panel.shows("PostToolUse:Bash hook failed: no such linter")


async def test_a_hook_that_ends_a_turn_gives_its_reason(
    nvim: Neovim, cli: Path, api: FakeApi, project: Path
) -> None:
    stops = """echo '{"continue": false, "stopReason": "enough now"}'"""
    set_up(project, {"PostToolUse": stops})
    panel = await Panel.open(nvim, [cli], mode="default")
    api.script([tool_use("Bash", command="echo one")], [text("Never said.")])

    await panel.send("Do it")

    shown = await panel.shows("PostToolUse:Bash hook stopped the turn: enough now")
    assert "Never said." not in shown


async def test_a_tool_that_a_hook_denies_shows_the_hooks_reason(
    nvim: Neovim, cli: Path, api: FakeApi, project: Path
) -> None:
    set_up(project, {"PreToolUse": "echo 'use make' >&2; exit 2"})
    panel = await Panel.open(nvim, [cli], mode="default")
    api.script([tool_use("Bash", command="touch x")], [text("As you wish.")])

    await panel.send("Do it")

    shown = await panel.shows("As you wish.")
    assert "⊘ Bash touch x  denied by a hook: use make\n" in shown
    assert shown.count("use make") == 1


async def test_a_tool_that_a_rule_or_the_mode_denies_names_it(
    nvim: Neovim, cli: Path, api: FakeApi, project: Path
) -> None:
    set_up(project, permissions={"deny": ["Bash(touch:*)"]})
    panel = await Panel.open(nvim, [cli], mode="dontAsk")
    api.script([tool_use("Bash", command="touch x")], [tool_use("Bash", command="mkdir y")])
    api.script([text("As you wish.")])

    await panel.send("Do it")

    shown = await panel.shows("As you wish.")
    assert "⊘ Bash touch x  denied by a rule\n" in shown
    assert "⊘ Bash mkdir y  denied by mode dontAsk\n" in shown


async def test_a_running_command_that_the_user_stops_was_interrupted(
    nvim: Neovim, cli: Path, api: FakeApi
) -> None:
    panel = await Panel.open(nvim, [cli], mode="default")
    api.script([tool_use("Bash", command="yes >/dev/null; touch x")], [text("Never said.")])
    await panel.send("Wait")
    await panel.shows("? Run this command")
    await nvim.keys("<Esc><CR>")
    await choose_answer(nvim, "y")
    await panel.shows("↳ allowed")

    await nvim.keys("<C-c>")

    await panel.shows("⊘ Bash yes >/dev/null; touch x  interrupted")


async def test_the_prompts_of_an_mcp_server_complete_and_work(
    nvim: Neovim, cli: Path, api: FakeApi
) -> None:
    server = {"command": sys.executable, "args": ["-I", prompt_server.__file__]}
    servers = json.dumps({"mcpServers": {"my.server": server}})
    panel = await Panel.open(nvim, [cli, "--mcp-config", servers], mode="default")
    # 2.1.197 reports the prompts only with a turn.
    api.script([text("Ready.")], [text("Hello, Bob.")])
    await panel.send("Hello")
    await panel.shows("Ready.")

    await panel.write()
    await nvim.keys("/greet")
    await until(lambda: "/mcp__my_server__greet" in nvim.screen.text(), "the menu")
    await nvim.keys("<Tab> Bob<C-s>")

    await panel.shows("Hello, Bob.")
    assert "Greet Bob." in api.requests[-1].new_text


async def test_a_plan_without_a_file_is_shown(nvim: Neovim, cli: Path, api: FakeApi) -> None:
    panel = await Panel.open(nvim, [cli], mode="plan")
    api.script([tool_use("ExitPlanMode", plan="# The plan\n\n1. Do it")], [text("As you wish.")])
    await nvim.command("stopinsert")

    await panel.send("Plan it")

    await until(lambda: "1. Do it" in nvim.screen.text(), "the plan")
