"""`editors.lua`: reports of the open files, also while very many are open."""

import random
from pathlib import Path
from typing import Any

import pytest

from claude_ide.editor.events import EditorState, Events
from support.buffers import open_editors, snapshot
from support.chunks import chunk
from support.neovim import Neovim, until

MANY = 130
OPEN = chunk("open_editors/open")
BEGIN = chunk("open_editors/begin")


class Host:
    """The knowledge of a host that receives the events."""

    def __init__(self, nvim: Neovim, first: Any) -> None:
        self._nvim = nvim
        self._seen = 0
        self.reports = 0
        self.state = EditorState()
        self._events = Events(self.state)
        self._events.dispatch("editors_changed", first)

    def receive(self) -> None:
        """Apply the events that have arrived since."""
        events = self._nvim.events("editors_changed")
        for payload in events[self._seen :]:
            self.reports += 1
            self._events.dispatch("editors_changed", payload)
        self._seen = len(events)

    async def knows_all(self) -> bool:
        """Return whether its state equals Neovim's own."""
        known = await open_editors(self._nvim, "snapshot")
        self.receive()
        return bool(snapshot(self.state) == known)


@pytest.fixture
async def host(nvim: Neovim, project: Path) -> Host:
    """A host of a Neovim in which many files are open."""
    await nvim.lua(OPEN, str(project), MANY)
    await nvim.command("buffer f001.txt")
    return Host(nvim, await nvim.lua(BEGIN, await nvim.channel()))


@pytest.mark.parametrize(
    "command",
    [
        "buffer f050.txt",
        "edit new.txt",
        "badd new.txt",
        "bdelete f020.txt",
        "bwipeout f020.txt",
        "file renamed.txt",
        "call setline(1, 'x') | doautocmd BufModifiedSet",
        "setlocal filetype=python",
        "split f030.txt | vsplit f040.txt",
        "tabedit f030.txt | tabfirst",
        "enew | call setline(1, 'x') | doautocmd BufModifiedSet",
        "cd /",
        "edit f002.txt | edit f003.txt | edit f002.txt",
        "noautocmd edit new.txt | doautocmd WinEnter",
        "botright vsplit | terminal",
        "terminal",
        "%bwipeout!",
    ],
)
async def test_reported_changes_lead_to_the_same_state_as_a_snapshot(
    nvim: Neovim, host: Host, command: str
) -> None:
    await nvim.command(command)

    await until(host.knows_all, command)


@pytest.mark.parametrize("seed", range(3))
async def test_changes_in_any_order_lead_to_the_same_state_as_a_snapshot(
    nvim: Neovim, host: Host, seed: int
) -> None:
    chance = random.Random(seed)
    await nvim.command("set hidden noswapfile")
    for _ in range(60):
        name = f"f{chance.randint(1, MANY + 20):03}.txt"
        commands = [f"edit {name}"] * 4 + [
            *[f"badd {name}", f"silent! bdelete! {name}", f"silent! bwipeout! {name}"],
            *[f"split {name}", f"tabedit {name}", "silent! only", "silent! tabclose"],
            *["call setline(1, 'x') | doautocmd BufModifiedSet", "wincmd w", "tabnext"],
        ]
        await nvim.command(chance.choice(commands))

        if chance.random() < 0.3:
            await until(host.knows_all)
    await until(host.knows_all)


async def test_unchanged_editors_are_not_reported_again(nvim: Neovim, host: Host) -> None:
    await nvim.command("buffer f002.txt")
    await until(host.knows_all)
    await until(lambda: host.reports)
    # It may still have looked at the buffer that was left.
    await nvim.command("doautocmd BufEnter")
    await nvim.idle(250)
    host.receive()
    before = host.reports

    await nvim.command("doautocmd BufEnter")
    await nvim.idle(250)

    host.receive()
    assert host.reports == before
