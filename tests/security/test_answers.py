"""Hostile answers in every view: Neovim still answers, and the terminal gets no escapes."""

import json
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from claude_ide.headless.commit import inserted
from claude_ide.ui.text import lines
from support.answers import listen
from support.chats import Chats
from support.chunks import chunk
from support.diffs import Diffs
from support.hostile import ANSWERS, DEEP, EAGER, LINK, OSC, Addresses, survives
from support.neovim import ROOT, Neovim, nvim_binary, until
from support.terminal import Terminal

EXAMPLES = 25

ASK = chunk("answers/ask")
OPEN_PLAN = (
    "local text = ... require('claude_ide.approval_buffer').open(1, { what = 'plan', "
    "label = 'Claude plan', filetype = 'markdown', title = text, text = text, more = text })"
)
CLOSE_PLAN = "require('claude_ide.approval_buffer').close(1)"


def examples() -> list[str]:
    found = [*DEEP.values(), LINK, f"```markdown\n{LINK}\n```"]

    @settings(
        max_examples=EXAMPLES,
        database=None,
        derandomize=True,
        suppress_health_check=[HealthCheck.differing_executors, HealthCheck.too_slow],
    )
    @given(ANSWERS)
    def collect(text: str) -> None:
        found.append(text)

    collect()
    return found


@pytest.fixture
async def user(nvim: Neovim) -> Neovim:
    await nvim.lua(EAGER)
    await listen(nvim)
    return nvim


@pytest.fixture
async def addresses(user: Neovim) -> AsyncIterator[Addresses]:
    addresses = Addresses(user)
    yield addresses
    assert addresses.hostile() == []


async def is_alone(nvim: Neovim) -> None:
    await until(lambda: nvim.eval("tabpagenr('$') == 1 && winnr('$') == 1"), "all views are closed")


async def test_a_hostile_answer_is_shown_safely(user: Neovim, addresses: Addresses) -> None:
    for text in examples():
        await user.lua(ASK, text)
        await survives(user)
        await user.command("close")
    await is_alone(user)


async def test_a_hostile_plan_is_shown_safely(user: Neovim, addresses: Addresses) -> None:
    for text in examples():
        await user.lua(OPEN_PLAN, text)
        await until(lambda: user.eval("bufname() =~# '^Claude plan' && &modifiable"))
        await survives(user)
        await user.lua(CLOSE_PLAN)
        await is_alone(user)


async def test_a_hostile_proposal_is_shown_safely(
    user: Neovim, project: Path, addresses: Addresses
) -> None:
    diffs = await Diffs.start(user)
    (project / "a.md").write_text("# fine\n")
    for text in examples():
        id_ = await diffs.open(project / "a.md", text, title=text)
        await survives(user)
        await diffs.close(id_)
        await diffs.closed(id_)
    await is_alone(user)


async def test_a_hostile_transcript_is_shown_safely(user: Neovim, addresses: Addresses) -> None:
    chats = await Chats.start(user)
    await chats.open()
    for text in examples():
        lines = ["`" * 3, *text.split("\n")]
        await user.lua(chunk("answers/draw"), lines)
        await survives(user)
    # Highlighting is done in slices; wait until the last one.
    await user.lua("_G.is_late = false; vim.defer_fn(function() _G.is_late = true end, 500)")
    await until(lambda: user.lua("return _G.is_late"))
    await survives(user)


async def test_messages_choices_inputs_and_floats_show_hostile_text_safely(
    user: Neovim, addresses: Addresses
) -> None:
    await user.lua(chunk("answers/record_dialogs"))
    for text in examples():
        await user.lua(
            "_G.seen = {}; require('claude_ide.messages.message').show(..., 'info')", text
        )
        await user.lua("require('claude_ide.ui.vim_ui').select(..., { ... }, function() end)", text)
        await user.lua("require('claude_ide.ui.vim_ui').input(..., ..., function() end)", text)
        await user.lua("require('claude_ide.window.float').show({ ... }, { title = ... })", text)
        await survives(user)
        seen = await until(lambda: user.lua("return #_G.seen == 3 and _G.seen"))
        assert not [char for char in "".join(seen) if ord(char) < 32 or 127 <= ord(char) < 160]
        await user.command("fclose!")


async def test_a_hostile_commit_message_is_inserted_safely(
    user: Neovim, addresses: Addresses
) -> None:
    await user.command("set filetype=gitcommit")
    insert = "require('claude_ide.file.edit').change(vim.api.nvim_get_current_buf(), ...)"
    for text in examples():
        await user.lua(insert, inserted([""], lines(text), "#"))
        await survives(user)
        held = "".join(await user.eval("getline(1, '$')"))
        assert "\x1b" not in held and "\x07" not in held
        await user.command("%delete _")


async def test_escape_sequences_of_an_answer_do_not_reach_a_real_terminal(
    project: Path, tmp_path: Path
) -> None:
    (tmp_path / "answer.json").write_text(json.dumps(f"{LINK} {OSC}\n\n[fine](http://x/fine)\n"))
    (tmp_path / "show.lua").write_text(f"""
        local file = assert(io.open('{tmp_path / "answer.json"}'))
        local text = vim.json.decode(file:read('a'))
        vim.o.title = true
        local window = require('claude_ide.headless.answer_window')
        local view = window.open(text, 'float', {{ stop = print, closed = print }})
        window.draw(view, text, 0)
        window.finish(view)
    """)
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TERM": "xterm-256color"}
    terminal = await Terminal.start(
        *[nvim_binary(), "-u", "NORC", "-i", "NONE", "-n", "--cmd", f"set rtp^={ROOT}"],
        *["-c", f"luafile {tmp_path / 'show.lua'}"],
        cwd=project,
        env={**env, "LANG": "C.UTF-8"},
    )
    drawn: list[bytes] = []
    feed = terminal._stream.feed

    def record(data: bytes) -> None:
        drawn.append(data)
        feed(data)

    terminal._stream.feed = record
    try:
        await terminal.until(lambda: b"http://x/fine" in b"".join(drawn), "the link is drawn")
        await terminal.still()
    finally:
        await terminal.stop()

    assert b"\x1b]0;pwned" not in b"".join(drawn)
    assert "pwned" not in terminal.screen.title
