"""The user allows more than one request of the real CLI, with a rule of their own."""

import json
from pathlib import Path
from typing import Any

import pytest

from support.either_editor import choose, type_answer
from support.fake_api import FakeApi, text, tool_use
from support.neovim import Neovim, until
from support.panel import Panel

HEAD = "? Run this command"


def touch(name: str) -> dict[str, Any]:
    return tool_use("Bash", command=f"touch {name}", description="Make a file")


def allowed(path: Path) -> list[str]:
    """Return the rules in a settings file."""
    rules: list[str] = json.loads(path.read_text())["permissions"]["allow"]
    return rules


async def ask_for_scope(nvim: Neovim, panel: Panel) -> None:
    """Press `a` on the request, once the request accepts keys."""
    await panel.shows(HEAD)
    await panel.go_to(HEAD)
    await nvim.idle(500)
    await nvim.keys("a")
    await until(lambda: "Allow always:" in nvim.screen.text(), "the scopes")


@pytest.mark.parametrize(
    ("number", "scope", "file"),
    [
        (1, "this session", ""),
        (2, "this project, for you", "project/.claude/settings.local.json"),
        (3, "this project, for everyone", "project/.claude/settings.json"),
        (4, "all your projects", "config/settings.json"),
    ],
)
async def test_a_changed_rule_applies_where_its_scope_says(
    nvim: Neovim,
    panel: Panel,
    api: FakeApi,
    project: Path,
    config_folder: Path,
    number: int,
    scope: str,
    file: str,
) -> None:
    api.script([touch("one")], [text("One.")], [touch("two")], [text("Two.")])
    await panel.send("Make a file")

    await ask_for_scope(nvim, panel)
    await choose(nvim, number)
    await until(lambda: f"Rule for {scope}: Bash(touch one" in nvim.screen.text(), "the rule")
    await type_answer(nvim, "<C-u>Bash(touch *)<CR>")

    assert f"↳ always: Bash(touch *) ({scope})" in await panel.shows("One.")
    await panel.send("And another")
    assert (await panel.shows("Two.")).count("↳") == 1
    assert (project / "two").exists()
    places = {"project": project, "config": config_folder}

    def path_of(name: str) -> Path:
        place, _, rest = name.partition("/")
        return places[place] / rest

    if file:
        # The CLI writes its settings while it goes on.
        await until(path_of(file).exists, file)
        assert allowed(path_of(file)) == ["Bash(touch *)"]
    for name in ("project/.claude/settings.local.json", "config/settings.json"):
        assert path_of(name).exists() is (name == file)


async def test_a_malformed_rule_is_named_and_asked_for_again(
    nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    api.script([touch("one")], [text("One.")])
    await panel.send("Make a file")
    await ask_for_scope(nvim, panel)
    await choose(nvim, 1)
    await until(lambda: "Rule for this session:" in nvim.screen.text(), "the rule")

    await type_answer(nvim, "<C-u>touch<CR>")
    await until(lambda: "not a rule: touch (write Bash or Bash(pattern))" in one_line(nvim))
    await type_answer(nvim, "<C-u><CR>")
    await until(lambda: "the rule is empty" in nvim.screen.text(), "the problem")
    await type_answer(nvim, "<C-u>Bash(touch one)<CR>")

    assert "↳ always: Bash(touch one) (this session)" in await panel.shows("One.")


async def test_a_cancelled_rule_leaves_the_request_waiting(
    nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    api.script([touch("one")], [text("One.")])
    await panel.send("Make a file")
    await ask_for_scope(nvim, panel)
    await choose(nvim, 1)
    await until(lambda: "Rule for this session:" in nvim.screen.text(), "the rule")

    await type_answer(nvim, "<Esc>")

    await until(lambda: "Rule for this session:" not in nvim.screen.text(), "no dialogue")
    assert HEAD in await panel.text()
    assert len(api.requests) == 1


def one_line(nvim: Neovim) -> str:
    """Return the screen's text, in which a long message may wrap."""
    return "".join(nvim.screen.lines())
