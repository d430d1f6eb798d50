"""The real CLI in a terminal and in a chat: the same `User` events about what it does."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from support.claude_code import locks
from support.either_editor import BOTH_WITH_CLI, Editor
from support.fake_api import FakeApi, edit, text, tool_use
from support.happenings import BESIDE, Happening, follow, happened, names, the
from support.neovim import Neovim, until
from support.panel import Panel

from .conftest import begin

PRIVATE = ("session", "chat", "id")
"""Keys whose values differ from session to session."""


@pytest.fixture
async def nvim(nvim_with_cli: Editor) -> Editor:
    """An editor that shows `path`, and whose events are followed."""
    await follow(nvim_with_cli)
    return nvim_with_cli


async def prompt(nvim: Editor, words: str) -> None:
    """Type a prompt into the CLI in the terminal."""
    await nvim.keys(words)
    await until(lambda: words in nvim.screen.text(), "the prompt is typed")
    await nvim.keys("<CR>")


def script(api: FakeApi, path: Path) -> None:
    """Have the model edit a file, write a file, and change the first with a command."""
    made = path.with_name("made.txt")
    command = f"echo three >> {path.name}"
    api.script(
        *edit(path, "two", "TWO", then="")[:2],
        [tool_use("Write", file_path=str(made), content="a\n")],
        [tool_use("Bash", command=command, description="Append")],
        [text("All done.")],
    )


def comparable(found: list[Happening]) -> list[tuple[str, dict[str, Any]]]:
    """Return the events without what differs from session to session."""
    return [
        (name, {key: value for key, value in data.items() if key not in PRIVATE})
        for name, data in found
    ]


def expected(path: Path) -> list[tuple[str, dict[str, Any]]]:
    """Return what is announced of the turn in `script`."""
    a, made = str(path), str(path.with_name("made.txt"))
    command = {"command": f"echo three >> {path.name}"}
    claude, folder = {"agent": "Claude"}, {"folder": str(path.parent)}
    done = {"status": "completed"}

    def hunk(old: tuple[int, int], new: tuple[int, int], *lines: str) -> dict[str, Any]:
        numbers = {"old_start": old[0], "old_lines": old[1]}
        return numbers | {"new_start": new[0], "new_lines": new[1], "lines": [*lines]}

    edited = [{"path": a, "hunks": [hunk((1, 2), (1, 2), " one", "-two", "+TWO")]}]
    written = [{"path": made, "hunks": [hunk((0, 0), (1, 1), "+a")]}]
    appended = [{"path": a, "hunks": [hunk((1, 2), (1, 3), " one", " TWO", "+three")]}]
    uses: list[tuple[dict[str, Any], list[dict[str, Any]]]] = [
        ({"tool": "Read", "path": a}, []),
        ({"tool": "Edit", "path": a}, edited),
        ({"tool": "Write", "path": made}, written),
        ({"tool": "Bash"} | command, appended),
    ]
    tools = [
        event
        for tool, files in uses
        for event in (
            ("ClaudeToolStart", claude | tool),
            ("ClaudeToolEnd", claude | tool | done | {"files": files}),
        )
    ]
    return [
        ("ClaudeSessionStart", claude | folder),
        ("ClaudePrompt", claude | {"prompt": "Shout"}),
        *tools,
        ("ClaudeTurnEnd", claude | {"reason": "completed", "paths": [a, made]}),
    ]


@BOTH_WITH_CLI
@pytest.mark.parametrize("mode", ["acceptEdits", "auto"])
async def test_the_cli_in_a_terminal_announces_its_turn(
    nvim: Editor, api: FakeApi, path: Path, config_folder: Path, mode: str
) -> None:
    own = config_folder / "own-hook"
    command = {"type": "command", "command": f"touch {own}"}
    settings = {"hooks": {"Stop": [{"hooks": [command]}]}}
    (config_folder / "settings.json").write_text(json.dumps(settings))
    script(api, path)
    await begin(nvim, mode)
    await prompt(nvim, "Shout")

    await until(lambda: "ClaudeTurnEnd" in names(nvim), "the turn ends")
    assert comparable(happened(nvim)) == expected(path)
    sessions = {data["session"] for _, data in happened(nvim)}
    assert len(sessions) == 1
    assert "" not in sessions
    await until(own.exists, "the user's own hook has run")

    await prompt(nvim, "/exit")
    await until(lambda: "ClaudeSessionEnd" in names(nvim), "the session ends")


async def test_a_chat_announces_the_same_turn(
    nvim: Neovim, api: FakeApi, path: Path, each_cli: Path
) -> None:
    script(api, path)
    panel = await Panel.open(nvim, [each_cli])
    await nvim.command("ClaudeChat mode acceptEdits")
    await panel.bar_shows("acceptEdits")
    await panel.send("Shout")

    await until(lambda: "ClaudeTurnEnd" in names(nvim), "the turn ends")
    assert comparable(happened(nvim)) == expected(path)
    assert {data["chat"] for _, data in happened(nvim)} == {1}

    await nvim.command("stopinsert | ClaudeChat end")
    await until(lambda: "ClaudeSessionEnd" in names(nvim), "the session ends")


@BOTH_WITH_CLI
async def test_the_cli_notices_nothing_of_a_host_that_is_killed(
    nvim: Editor, api: FakeApi, config_folder: Path
) -> None:
    await begin(nvim, "acceptEdits")
    api.script([text("Once.")], [text("Twice.")])
    await prompt(nvim, "First")
    await until(lambda: "ClaudeTurnEnd" in names(nvim), "the turn ends")

    (lock,) = [lock for _, lock in locks(config_folder)]
    os.kill(lock["hostPid"], signal.SIGKILL)
    await until(
        lambda: {lock["hostPid"] for _, lock in locks(config_folder)} - {lock["hostPid"]},
        "the next host serves",
    )
    await prompt(nvim, "Second")

    await until(lambda: names(nvim).count("ClaudeTurnEnd") == 2, "the turn ends")
    await until(lambda: "Twice." in nvim.screen.text(), "the answer")
    # While a hook runs, the CLI names it; the failure of one stays on the screen.
    await until(lambda: "hook" not in nvim.screen.text(), "no hook has failed")


@BOTH_WITH_CLI
async def test_a_refused_command_has_not_happened(nvim: Editor, api: FakeApi, path: Path) -> None:
    api.script([tool_use("Bash", command=f"rm {path}", description="Remove")])
    await begin(nvim, "default")
    await prompt(nvim, "Remove it")
    await until(lambda: "Do you want to" in nvim.screen.text(), "the CLI asks")
    assert names(nvim)[-1] == "ClaudeToolStart"

    await nvim.keys("<Esc>")
    await until(lambda: "Do you want to" not in nvim.screen.text(), "it is refused")
    api.script([text("Well.")])
    await prompt(nvim, "Go on")

    await until(lambda: names(nvim).count("ClaudeTurnEnd") == 2, "the turn ends")
    ended = [data for name, data in happened(nvim) if name in ("ClaudeToolEnd", "ClaudeTurnEnd")]
    assert ended[0]["status"] in ("rejected", "interrupted", "failed")
    assert ended[0]["files"] == ended[1]["paths"] == []
    assert [end.get("reason") for end in ended[1:]] == ["interrupted", "completed"]


def script_subagent(api: FakeApi) -> None:
    """Have the model ask a subagent, which uses no tool."""
    api.script_agent("LOOK CLOSELY", [text("Nothing is there.")])
    asked = {"description": "look", "prompt": "LOOK CLOSELY", "run_in_background": False}
    api.script([tool_use("Agent", subagent_type="general-purpose", **asked)], [text("I see.")])


async def subagent_is_announced(nvim: Editor) -> None:
    """Wait for the events about the subagent."""
    kind = {"agent": "Claude", "kind": "general-purpose"}
    await the(nvim, "ClaudeSubagentStop")
    found = [each for each in comparable(happened(nvim)) if "Subagent" in each[0]]
    assert [(name, {"agent": data["agent"], "kind": data["kind"]}) for name, data in found] == [
        ("ClaudeSubagentStart", kind),
        ("ClaudeSubagentStop", kind),
    ]


@BOTH_WITH_CLI
async def test_a_subagent_in_a_terminal_is_announced(nvim: Editor, api: FakeApi) -> None:
    await follow(nvim, BESIDE)
    script_subagent(api)
    await begin(nvim, "acceptEdits")
    await prompt(nvim, "Look around")

    await subagent_is_announced(nvim)


@pytest.mark.parametrize("nvim_with_cli", ["neovim"], indirect=True)
async def test_a_chat_announces_a_subagent_and_a_summary(nvim: Neovim, api: FakeApi) -> None:
    await follow(nvim, BESIDE)
    script_subagent(api)
    await nvim.command("ClaudeChat")
    panel = Panel(nvim)
    await panel.wait_until_ready()
    await panel.send("Look around")
    await panel.shows("I see.")
    await subagent_is_announced(nvim)

    await panel.send("/compact keep the names")
    told = await the(nvim, "ClaudePreCompact")
    assert (told["trigger"], told["instructions"]) == ("manual", "keep the names")
