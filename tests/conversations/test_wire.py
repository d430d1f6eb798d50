"""`:ClaudeWire`: the live traffic with clients and agents in a real Neovim, and its recording."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from support.claude_code import ClaudeCode, claude_code, the_lock
from support.either_editor import BOTH, Editor, choose, dismiss, on_screen
from support.neovim import Neovim, until
from support.panel import Open


async def text(nvim: Editor) -> str:
    """The whole text of the window, folded or not."""
    return "\n".join(await nvim.eval("getbufline(bufnr('Claude wire$'), 1, '$')"))


async def shows(nvim: Editor, word: str) -> str:
    """Wait for a word in the window; return its text."""

    async def shown() -> str:
        found = await text(nvim)
        return found if word in found else ""

    return str(await until(shown, word))


def recorded(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
async def wire(serving: Editor) -> Editor:
    """An editor with the window and a server, and no client yet."""
    await serving.command("ClaudeWire")
    await until(lambda: serving.eval("bufexists('Claude wire') || winnr('$') == 2"), "open")
    await shows(serving, "No message yet")
    return serving


@pytest.fixture
async def client(wire: Editor, config_folder: Path) -> Any:
    async with claude_code(config_folder) as client:
        yield client


@BOTH
async def test_messages_of_a_client_appear_as_they_are_sent(
    wire: Editor, client: ClaudeCode, project: Path
) -> None:
    await wire.command("edit a.py | call setline(1, 'secret = 1')")
    await client.call("getCurrentSelection", {})

    found = await shows(wire, "← Claude Code  tools/call getCurrentSelection #")
    assert "← Claude Code  initialize #0\n" in found
    await shows(wire, "→ Claude Code  answer to tools/call getCurrentSelection #")
    await shows(wire, "→ Claude Code  selection_changed")
    assert await wire.eval("[winnr(), &filetype]") == [1, "python"]
    assert '      "name": "claude-code",\n' in found


@BOTH
async def test_the_token_is_masked(
    wire: Editor, client: ClaudeCode, config_folder: Path, project: Path
) -> None:
    _, lock = await the_lock(config_folder)
    token = lock["authToken"]
    await client.notify("notifications/odd", {"text": f"the token is {token}."})

    await shows(wire, "the token is [hidden].")
    await wire.keys(":ClaudeWire save all.jsonl<CR>")
    await on_screen(wire, "to all.jsonl")
    assert token not in await text(wire) + (project / "all.jsonl").read_text()


@BOTH
async def test_a_recording_is_saved_for_its_owner_only(
    wire: Editor, client: ClaudeCode, project: Path
) -> None:
    await client.request("ping")
    await shows(wire, "← Claude Code  ping #")
    await wire.keys(":ClaudeWire save a\\ b.jsonl<CR>")
    await on_screen(wire, "to a b.jsonl")

    path = project / "a b.jsonl"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    first = recorded(path)[0]
    assert (first["client"], first["dir"], first["m"]["method"]) == (
        "Claude Code",
        "from",
        "initialize",
    )


@BOTH
@pytest.mark.parametrize(("answer", "is_kept"), [(2, True), (0, True), (1, False)])
async def test_a_file_is_overwritten_only_if_the_user_says_so(
    wire: Editor, client: ClaudeCode, project: Path, answer: int, is_kept: bool
) -> None:
    await client.request("ping")
    await shows(wire, "← Claude Code  ping #")
    path = project / "mine"
    path.write_text("precious")

    await wire.keys(":ClaudeWire save mine<CR>")
    await on_screen(wire, "mine exists")
    await (choose(wire, answer) if answer else dismiss(wire))

    if is_kept:
        await until(lambda: "mine exists" not in wire.screen.text(), "answered")
        await wire.keys(":ClaudeWire save other<CR>")
        await on_screen(wire, "to other")
        assert path.read_text() == "precious"
    else:
        await on_screen(wire, "to mine")
        assert recorded(path)


@BOTH
@pytest.mark.parametrize(
    ("name", "complaint"),
    [("none/a", "cannot write none/a: there is no folder"), (".", ". is not a regular file")],
)
async def test_a_recording_that_cannot_be_saved_is_one_line(
    wire: Editor, client: ClaudeCode, name: str, complaint: str
) -> None:
    await shows(wire, "initialize #0")
    await wire.keys(f":ClaudeWire save {name}<CR>")

    await on_screen(wire, complaint)


@BOTH
@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("ClaudeWire save x", "nothing is recorded (:ClaudeWire begins a recording)"),
        ("ClaudeWire save", "usage: :ClaudeWire [save {file}]"),
        ("ClaudeWire odd", "usage: :ClaudeWire [save {file}]"),
    ],
)
async def test_a_wrong_command_is_one_line(nvim: Editor, command: str, complaint: str) -> None:
    await nvim.keys(f":{command}<CR>")

    await on_screen(nvim, complaint)


@BOTH
async def test_the_recording_ends_with_the_window_and_can_be_saved_then(
    wire: Editor, client: ClaudeCode, project: Path
) -> None:
    await shows(wire, "initialize #0")
    await wire.keys(":ClaudeWire<CR>")
    await until(lambda: wire.eval("winnr() == 2"), "the second time moves the cursor there")
    await wire.keys("q")
    await until(lambda: wire.eval("winnr('$') == 1"), "closed")
    await client.call("getWorkspaceFolders", {})
    await wire.keys(":ClaudeWire save all<CR>")
    await on_screen(wire, "to all")

    methods = [message["m"].get("method") for message in recorded(project / "all")]
    assert "initialize" in methods
    assert "tools/call" not in methods


@BOTH
async def test_another_window_begins_another_recording(wire: Editor, client: ClaudeCode) -> None:
    await shows(wire, "initialize #0")
    await wire.keys(":ClaudeWire<CR>")
    await until(lambda: wire.eval("winnr() == 2"), "there")
    await wire.keys("q:ClaudeWire<CR>")
    await shows(wire, "No message yet")
    await client.request("ping")

    assert "initialize" not in await shows(wire, "← Claude Code  ping #")


async def test_the_traffic_of_a_chat_is_shown(nvim: Neovim, replay: Open) -> None:
    panel = await replay("plain_thinking")
    await nvim.command("ClaudeWire")
    await shows(nvim, "No message yet")
    await panel.send("hello there")
    await panel.shows("Hello! **How** can I help?")

    await shows(nvim, "→ Claude  user")
    await shows(nvim, "← Claude  assistant text\n")
