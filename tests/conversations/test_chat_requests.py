"""Requests in a real chat panel: nothing can be allowed before it was on the screen."""

import copy
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from support.chunks import chunk
from support.neovim import Neovim, until
from support.panel import Panel, choose_answer
from support.transcripts import FAKE_CLI, GOLDEN, read_log

RECORDING = GOLDEN / "always_allow.jsonl"
LONG = "\n".join(f"echo step {number}" for number in range(40)) + "\ntouch HIDDEN"
HEAD = "? Run this command?"
RECORD = "<Esc>qa"
"""The keys that start recording a macro; diffs and plans do not open during a recording."""

Ask = Callable[..., Awaitable[Panel]]


def recording(**asked: Any) -> list[dict[str, Any]]:
    """A conversation in which the CLI makes one request and then falls silent."""
    entries: list[dict[str, Any]] = []
    for line in RECORDING.read_text("utf-8").splitlines():
        entry = json.loads(line)
        if entry["m"].get("request", {}).get("subtype") == "can_use_tool":
            changed = copy.deepcopy(entry)
            for key in ("blocked_path", "description"):
                changed["m"]["request"].pop(key, None)
            changed["m"]["request"].update(asked)
            return [*entries, changed]
        entries.append(entry)
    raise AssertionError("the recording contains no request")


@pytest.fixture
async def ask(nvim: Neovim, log: Path, tmp_path: Path) -> Ask:
    """Open a chat in which Claude makes a request; `keys` are typed before the prompt."""

    async def begin(side: str = "right", keys: str = "", **asked: Any) -> Panel:
        entries = recording(**asked)
        path = tmp_path / "asks.jsonl"
        path.write_text("".join(f"{json.dumps(entry)}\n" for entry in entries), "utf-8")
        await nvim.command(f"let $FAKE_CLI_LOG = '{log}'")
        cli: list[str | Path] = [sys.executable, "-I", FAKE_CLI, path]
        panel = await Panel.open(nvim, cli, mode="default", side=side)
        await nvim.keys(keys)
        await panel.send("Go on")
        await panel.shows("? ")
        return panel

    return begin


def answers(log: Path) -> list[dict[str, Any]]:
    """The answers that the CLI has received to its permission requests."""
    return [
        frame["response"]["response"]
        for frame in read_log(log)[1:]
        if frame.get("type") == "control_response" and "behavior" in frame["response"]["response"]
    ]


async def allow(nvim: Neovim, log: Path, key: str = "y") -> None:
    """Press a key until it has allowed the request under the cursor."""

    async def pressed() -> bool:
        if not answers(log):
            await nvim.keys(key)
        return bool(answers(log))

    await until(pressed, f"{key} allows the request")
    assert answers(log)[0]["behavior"] == "allow"


async def press_until(nvim: Neovim, panel: Panel, key: str, words: str) -> None:
    """Press a key on the request until the transcript shows some text."""

    async def pressed() -> bool:
        if words not in await panel.text() and await panel.go_to(f"  {key}  "):
            await nvim.keys(key)
        return words in await panel.text()

    await until(pressed, f"{key} shows {words}")


async def is_at_its_beginning(nvim: Neovim) -> bool:
    """Whether the cursor is on the request's first line, at the top of its window."""
    at = await nvim.eval("[getline('.'), line('.') == line('w0'), mode(), &filetype]")
    return bool(at[0].startswith("? Run") and at[1:] == [1, "n", "claude-chat"])


async def test_the_first_y_shows_a_whole_long_command_and_the_next_allows_it(
    nvim: Neovim, ask: Ask, log: Path
) -> None:
    panel = await ask(input={"command": LONG})
    lines = (await panel.look())["lines"]
    assert lines.index("  26 more lines") < lines.index("  y  yes, once")
    assert "touch HIDDEN" not in await panel.text()

    await press_until(nvim, panel, "y", "touch HIDDEN")

    assert answers(log) == []
    await until(lambda: is_at_its_beginning(nvim), "the beginning is on the screen")
    await until(lambda: "│ echo step 0" in nvim.screen.text())
    await until(lambda: "read the whole request, then press y again" in nvim.screen.text())
    assert body((await panel.look())["lines"]) == LONG
    await allow(nvim, log)
    assert answers(log)[0]["updatedInput"]["command"] == LONG


async def test_repeated_typed_ahead_keys_do_not_allow_a_hidden_command(
    nvim: Neovim, ask: Ask, log: Path
) -> None:
    panel = await ask(input={"command": LONG})
    await press_until(nvim, panel, "y", "touch HIDDEN")

    await nvim.keys("yyyy")
    await nvim.command("redraw")

    assert answers(log) == []


async def test_the_first_a_shows_every_rule_and_the_next_allows_one(
    nvim: Neovim, ask: Ask, log: Path
) -> None:
    rule = f"python3 {'x' * 100} && touch HIDDEN"
    suggestion = {
        "type": "addRules",
        "rules": [{"toolName": "Bash", "ruleContent": rule}],
        "behavior": "allow",
        "destination": "session",
    }
    panel = await ask(input={"command": "ls"}, permission_suggestions=[suggestion])
    await nvim.lua(chunk("chat_requests/accept_rule"))
    assert "HIDDEN" not in await panel.text()

    await press_until(nvim, panel, "a", "always: Bash")

    assert answers(log) == []
    assert body((await panel.look())["lines"]) == f"always: Bash({rule})…"
    await allow(nvim, log, "a")
    assert answers(log)[0]["updatedPermissions"] == [suggestion]


def body(lines: list[str]) -> str:
    """The input as a request shows it, with its wrapped rows joined again."""
    rows = [line for line in lines if line.startswith(("  │ ", "  ┊ "))]
    return "".join(f"\n{row[4:]}" if row[2] == "│" else row[4:] for row in rows)[1:]


ON_SCREEN = chunk("chat_requests/on_screen")


@pytest.mark.parametrize("side", ["right", "below", "float", "tab"])
@pytest.mark.parametrize(
    "command",
    [
        "python3 -m pytest # run the tests\ncurl -s http://127.0.0.1:1/x | sh",
        f"echo {'a' * 230} ; touch HIDDEN",
        f"ls{' ' * 300}; touch HIDDEN",
    ],
)
async def test_a_command_that_fits_is_on_the_screen_before_any_key(
    nvim: Neovim, ask: Ask, log: Path, side: str, command: str
) -> None:
    await nvim.command("set columns=120 lines=80")
    panel = await ask(side, input={"command": command})

    async def shown() -> bool:
        return body(await nvim.lua(ON_SCREEN)) == command

    await until(shown, "the whole command")

    await panel.go_to(HEAD)
    await allow(nvim, log)


async def test_in_a_tiny_window_y_first_jumps_to_the_beginning(
    nvim: Neovim, ask: Ask, log: Path
) -> None:
    await nvim.command("set columns=40 lines=14")
    panel = await ask("tab", input={"command": "\n".join(f"step {n}" for n in range(12))})
    await panel.go_to("  N  no, because…")
    assert "step 0" not in nvim.screen.text()

    async def pressed() -> bool:
        if not await is_at_its_beginning(nvim):
            await nvim.keys("y")
        return await is_at_its_beginning(nvim)

    await until(pressed, "the jump to the beginning")
    assert answers(log) == []
    await until(lambda: "step 0" in nvim.screen.text(), "its beginning on the screen")
    await allow(nvim, log)


async def test_a_command_that_was_shown_whole_is_allowed_in_a_smaller_window(
    nvim: Neovim, ask: Ask, log: Path
) -> None:
    await nvim.command("set columns=160")
    panel = await ask("tab", input={"command": "x" * 1200})
    await panel.shows("  ┊ x")
    assert "more lines" not in await panel.text()
    await panel.go_to(HEAD)

    await nvim.command("stopinsert | 30vsplit | wincmd p | vertical resize 60")

    await panel.shows_no_more("x" * 100)
    assert "more lines" not in await panel.text()
    await allow(nvim, log)


async def test_the_list_of_answers_opens_a_request_that_it_cannot_show_whole(
    nvim: Neovim, ask: Ask, log: Path
) -> None:
    panel = await ask(input={"command": LONG})
    await nvim.command("stopinsert | ClaudeChat new")
    await panel.wait_for_chats(2)

    await nvim.command("stopinsert | ClaudeChat answer")

    await until(lambda: "d  Show it all (41 lines)" in nvim.screen.text(), "the list")
    assert "Yes" not in nvim.screen.text()
    await choose_answer(nvim, "d")
    await panel.shows("touch HIDDEN")
    assert answers(log) == []
    await until(lambda: is_at_its_beginning(nvim), "the cursor is on the request")
    assert "not answered yet" not in await nvim.eval("execute('messages')")
    await allow(nvim, log)


async def test_the_list_of_answers_offers_yes_for_a_request_that_it_shows_whole(
    nvim: Neovim, ask: Ask, log: Path
) -> None:
    command = f"echo {'x' * 70}\nrm y"
    await ask(input={"command": command})
    await nvim.command("stopinsert | ClaudeChat new")
    await until(lambda: "rm y" not in nvim.screen.text(), "the request is hidden")

    await nvim.command("stopinsert | ClaudeChat answer")

    await until(lambda: "y  Yes, once" in nvim.screen.text(), "the answer yes")
    assert "rm y" in nvim.screen.text()
    assert "Show it all" not in nvim.screen.text()
    await choose_answer(nvim, "y")
    await until(lambda: answers(log), "the answer")


async def test_the_list_of_answers_offers_yes_for_a_request_that_was_seen(
    nvim: Neovim, ask: Ask, log: Path
) -> None:
    panel = await ask(input={"command": "ls\nrm x"})
    await panel.shows("rm x")
    await nvim.idle(500)

    await nvim.keys("<C-s>")

    await until(lambda: "y  Yes, once" in nvim.screen.text(), "the answer yes")
    assert "rm x" in await panel.text()


async def test_a_change_that_a_diff_cannot_show_is_shown_in_the_request(
    nvim: Neovim, ask: Ask, log: Path, project: Path
) -> None:
    path = project / "latin.txt"
    path.write_bytes(b"caf\xe9\n")

    panel = await ask(tool_name="Write", input={"file_path": str(path), "content": "new\ntext\n"})

    shown = await panel.shows("? Write latin.txt?")
    assert "  │ +new\n  │ +text" in shown
    await panel.go_to("  │ +new")
    await allow(nvim, log)


async def test_y_shows_an_edit_before_allowing_it_if_its_diff_is_deferred(
    nvim: Neovim, ask: Ask, log: Path, project: Path
) -> None:
    path = project / "b.py"
    asked = {"file_path": str(path), "content": "".join(f"line {n}\n" for n in range(12))}
    panel = await ask(keys=RECORD, tool_name="Write", input=asked)
    assert "+line 11" not in await panel.text()

    await press_until(nvim, panel, "y", "  │ +line 11")

    assert answers(log) == []
    await allow(nvim, log)


async def test_an_edit_that_is_shown_in_a_diff_is_always_allowed(
    nvim: Neovim, ask: Ask, log: Path, project: Path
) -> None:
    suggestion = {"type": "setMode", "mode": "acceptEdits", "destination": "session"}
    asked = {"file_path": str(project / "b.py"), "content": "new\ntext\n"}
    await nvim.lua(chunk("chat_requests/accept_rule"))
    panel = await ask(tool_name="Write", input=asked, permission_suggestions=[suggestion])
    await until(lambda: nvim.eval("tabpagenr('$') == 2"), "the diff")

    async def pressed() -> bool:
        if not answers(log) and await panel.go_to("  a  "):
            await nvim.keys("a")
        return bool(answers(log))

    await until(pressed, "the key allows the request")
    assert answers(log)[0]["updatedPermissions"] == [suggestion]


async def test_y_shows_a_plan_before_approving_it_if_its_buffer_is_deferred(
    nvim: Neovim, ask: Ask, log: Path
) -> None:
    asked = {"plan": "# Plan\n\n1. rm -rf ~\n"}
    panel = await ask(keys=RECORD, tool_name="ExitPlanMode", input=asked)
    assert "rm -rf" not in await panel.text()

    await press_until(nvim, panel, "y", "  │ 1. rm -rf ~")

    assert answers(log) == []
    await allow(nvim, log)


async def test_the_arguments_of_an_mcp_tool_are_shown(nvim: Neovim, ask: Ask) -> None:
    panel = await ask(
        tool_name="mcp__neovim__openDiff",
        input={"old_file_path": "/p/term://sh x.sh", "new_file_contents": "x\ny\n", "n": {"a": 1}},
    )

    shown = await panel.shows("? Use mcp__neovim__openDiff?")
    assert "  │ old_file_path: /p/term://sh x.sh\n  │ new_file_contents:\n  │   x\n  │   y" in shown
    assert '  │ n:\n  │   {\n  │     "a": 1\n  │   }' in shown


async def test_a_sensitive_file_outside_the_project_is_marked(
    nvim: Neovim, ask: Ask, tmp_path: Path
) -> None:
    home = Path(await nvim.eval("$HOME"))
    asked = {"file_path": str(home / ".bash_profile"), "content": "x\n"}

    panel = await ask(tool_name="Write", input=asked)

    shown = await panel.shows("  runs at login")
    assert "? Write ~/.bash_profile?\n  runs at login" in shown


async def test_pinned_tasks_never_cover_a_request(nvim: Neovim, ask: Ask, log: Path) -> None:
    panel = await ask(input={"command": "ls"})
    id_ = (await panel.look())["id"]
    tasks = {"lines": ["a task " * 4], "marks": []}
    floats = "len(filter(getwininfo(), {_, w -> nvim_win_get_config(w.winid).relative != ''}))"

    await nvim.lua("require('claude_ide.chat.state').set(...)", id_, {"pinned": tasks})

    assert await nvim.eval(floats) == 0
    await panel.go_to(HEAD)
    await allow(nvim, log)
    await until(lambda: nvim.eval(f"{floats} == 1"), "the tasks are pinned again")


async def test_the_commands_for_edits_answer_a_request_that_is_on_the_screen(
    nvim: Neovim, ask: Ask, log: Path
) -> None:
    panel = await ask(input={"command": "ls\nrm x"})
    await panel.shows("rm x")
    await nvim.command("stopinsert | wincmd h")
    await nvim.idle(500)

    await nvim.command("ClaudeReject use git rm")

    await until(lambda: answers(log), "the answer")
    assert "use git rm" in str(answers(log))
