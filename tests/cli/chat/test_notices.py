"""What hooks, rules and the CLI itself say in the chat panel, with the real CLI."""

import json
from pathlib import Path
from typing import Any

import pytest

from support.fake_api import FakeApi, text, tool_use
from support.neovim import Neovim, until
from support.panel import PATIENCE, Panel, holds

BLOCKS = "if grep -q BAD; then echo 'no bad prompts here' >&2; exit 2; fi"


def set_up(project: Path, hooks: dict[str, str] | None = None, **settings: Any) -> None:
    """Write the project's settings; a hook is a shell command, by the name of its event."""
    given = {
        event: [{"hooks": [{"type": "command", "command": command}]}]
        for event, command in (hooks or {}).items()
    }
    (project / ".claude").mkdir()
    (project / ".claude/settings.json").write_text(json.dumps({"hooks": given, **settings}))


@pytest.fixture
async def _blocking(project: Path) -> None:
    """A project whose hook blocks prompts with BAD in them."""
    set_up(project, {"UserPromptSubmit": BLOCKS})


@pytest.mark.usefixtures("_blocking")
class TestBlockedPrompt:
    async def test_a_blocked_prompt_returns_to_the_prompt_and_the_reason_is_shown(
        self, panel: Panel, api: FakeApi
    ) -> None:
        api.script([text("Hello.")])

        await panel.say("BAD prompt")

        shown = await panel.shows("this prompt was blocked by a hook: no bad prompts here")
        assert "» BAD prompt" in shown
        await until(lambda: holds(panel, "BAD prompt"), "the text is in the prompt", PATIENCE)
        await panel.nvim.keys("<Esc>ccgood<C-s>")
        await panel.shows("Hello.")
        assert "BAD" not in str(api.requests[0].body["messages"])

    async def test_a_blocked_prompt_stays_out_of_a_prompt_with_other_text(
        self, panel: Panel, api: FakeApi
    ) -> None:
        await panel.say("BAD prompt")
        await panel.nvim.keys("next thought")

        await panel.shows("this prompt was blocked")

        async def is_named() -> bool:
            in_prompt = await holds(panel, "BAD prompt")
            return in_prompt or "is in its history" in await panel.text()

        await until(is_named, "the blocked prompt is not lost", PATIENCE)
        assert await holds(panel, "next thought")


async def test_messages_of_hooks_are_shown_once(
    panel_in: Any, api: FakeApi, project: Path
) -> None:
    says = """echo '{"systemMessage": "be careful"}'"""
    set_up(project, {"PreToolUse": says, "Stop": says})
    panel = await panel_in()
    api.script([tool_use("Bash", command="echo one"), tool_use("Bash", command="echo two")])
    api.script([text("Done.")])

    await panel.say("Do it")

    shown = await panel.shows("Stop says: be careful")
    assert shown.count("PreToolUse:Bash says: be careful") == 1
