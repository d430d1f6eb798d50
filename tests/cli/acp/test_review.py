"""A turn of a real agent in the chat that asks for nothing: every change of it waits."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from support.fake_api import Turn, text
from support.neovim import Neovim, until
from support.panel import Panel
from support.real_agents.agent import Desk, RealAgent, Tools
from support.real_agents.catalog import claude, codex, gemini, node
from support.real_agents.chosen import chosen
from support.real_agents.model import Model
from support.reviews import make_repository

TURN_SECONDS = 120.0
"""Some agents take seconds for each of its tools."""

LINES = 12
CHANGED = {"x.txt": (2, 6, 10), "y.txt": (3, 7), "z.txt": (1, 6, 12)}
"""The changed lines, from 1, by file: each is a hunk."""
COMMANDS = "rm gone.txt; sed -i 's/line 4 /four /' sed.txt; mv old.txt moved.txt"
WAITING = {
    **{"x.txt": ("modified", 3), "y.txt": ("modified", 2), "z.txt": ("modified", 3)},
    **{"new.txt": ("created", 1), "gone.txt": ("deleted", 0), "sed.txt": ("modified", 1)},
    "moved.txt": ("renamed", 0),
}


def text_of(name: str, *changed: int) -> str:
    """Return a file, in which the model has changed some lines."""
    lines = (
        f"{'LINE' if at in changed else 'line'} {at} of {name}\n" for at in range(1, LINES + 1)
    )
    return "".join(lines)


def _opencode(desk: Desk) -> dict[str, str]:
    environment = node.OPENCODE.configure(desk)
    place = desk.home / ".config/opencode/opencode.json"
    allowed = {"permission": {"edit": "allow", "bash": "allow"}}
    place.write_text(json.dumps(json.loads(place.read_text()) | allowed))
    return environment


def _codex(desk: Desk) -> dict[str, str]:
    environment = codex.ZED.configure(desk)
    place = desk.home / ".codex/config.toml"
    place.write_text(place.read_text().replace('"untrusted"', '"never"'))
    return environment


def in_mode(agent: RealAgent, mode: str) -> RealAgent:
    """Return an agent that begins in a mode."""
    return replace(agent, habits=replace(agent.habits, mode=mode))


FREE = {
    "opencode": replace(node.OPENCODE, configure=_opencode),
    "codex-zed": replace(codex.ZED, configure=_codex),
    "codex": replace(in_mode(codex.OPENAI, "agent-full-access"), tools=codex.TOOLS),
    "gemini": in_mode(gemini.GEMINI, "yolo"),
    "claude-agent": in_mode(claude.NEWEST, "bypassPermissions"),
}
"""The agents by name, as they write and run without a question."""


def turn(tools: Tools, project: Path) -> list[Turn]:
    """Return what the model does: edits, a new file, and commands."""
    read = [[tools.read(project / name)] for name in CHANGED] if tools.read else []
    edits = [
        [tools.edit(project / name, f"line {at} of {name}", f"LINE {at} of {name}")]
        for name, rows in CHANGED.items()
        for at in rows
    ]
    write = [tools.write(project / "new.txt", "a\nb\n")]
    return [*read, *edits, write, [tools.run(COMMANDS)], [text("All done.")]]


@pytest.mark.parametrize(
    "real_agent", [FREE[each.name] for each in chosen() if each.name in FREE], ids=lambda x: x.name
)
async def test_a_whole_turn_waits_and_the_model_learns_what_was_decided(
    nvim: Neovim, panel: Panel, model: Model, tools: Tools, project: Path
) -> None:
    for name in (*CHANGED, "gone.txt", "sed.txt", "old.txt"):
        (project / name).write_text(text_of(name))
    make_repository(project)
    model.script(*turn(tools, project))
    await panel.send("Work")

    async def is_done() -> bool:
        return "All done." in await panel.text()

    await until(is_done, "the end of the turn", TURN_SECONDS)

    async def waiting(expected: dict[str, tuple[str, int]]) -> None:
        async def is_so() -> bool:
            review: Any = await nvim.eval("claude_ide#review()")
            found = {
                Path(each["path"]).name: (each["status"], len(each["hunks"]))
                for each in review["files"]
            }
            return found == expected

        await until(is_so, f"{expected} wait")

    await waiting(WAITING)
    await panel.shows("7 files")
    await nvim.command("stopinsert | wincmd t | edit x.txt")
    await nvim.command("2ClaudeKeep")
    await nvim.command("10ClaudeRevert")
    await nvim.command("6ClaudeComment why six?")
    await nvim.command("edit new.txt | ClaudeRevert!")
    left = {name: status for name, status in WAITING.items() if name != "new.txt"}
    await waiting({**left, "x.txt": ("modified", 1)})
    assert (project / "x.txt").read_text() == text_of("x.txt", 2, 6)

    model.script([text("I see.")])
    await nvim.command("edit x.txt | ClaudeReview send")
    await until(lambda: nvim.eval("&buftype == 'acwrite'"), "the prompt")
    await nvim.keys("<Esc>:w<CR>")
    await panel.shows("I see.")
    said = (
        "x.txt:6\n```\nLINE 6 of x.txt\n```\nwhy six?",
        "-LINE 10 of x.txt\n+line 10 of x.txt",
        "new.txt:\n```diff\n-a\n-b",
        "kept these of your changes:\n\nx.txt:\n```diff\n-line 2 of x.txt\n+LINE 2 of x.txt",
    )
    heard = json.dumps(model.requests[-1].body)
    for words in said:
        assert heard.count(json.dumps(words)[1:-1]) == 1, words
