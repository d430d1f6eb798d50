"""Nothing wakes the host and the editor while nobody does anything."""

import sys
import time
from pathlib import Path

import pytest

from claude_ide.review.entry import Turn
from claude_ide.review.review import Review
from claude_ide.review.snapshot import ChangedFile
from claude_ide.review.store import Store
from support.either_editor import BOTH, Editor, edit, host_pids
from support.neovim import Neovim, until

QUIET_SECONDS = 2.0
"""Longer than the pauses of anything that would look again and again."""


class Sleeper:
    """A process, and since when none of its threads has waited anew."""

    def __init__(self, pid: int) -> None:
        self._threads = Path(f"/proc/{pid}/task")
        self._waits, self._since = -1, 0.0

    def sleeps(self) -> bool:
        words = [path.read_text().split() for path in self._threads.glob("*/status")]
        waits = sum(int(each[each.index("voluntary_ctxt_switches:") + 1]) for each in words)
        if waits != self._waits:
            self._waits, self._since = waits, time.monotonic()
        return time.monotonic() - self._since > QUIET_SECONDS


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of waits")
@BOTH
async def test_an_idle_editor_and_its_host_sleep(
    serving: Editor, project: Path, tmp_path: Path
) -> None:
    path = project / "a.txt"
    path.write_text("two\n")
    state = tmp_path / "home" / "state" / "claude_ide" / "review"
    written = ChangedFile(str(path), b"one\n", b"two\n")
    Review(str(project), Store(str(project), state)).wrote(Turn("s", "1"), [written])
    await edit(serving, path)
    await until(lambda: serving.eval("len(claude_ide#review().files) == 1"))
    own = serving.process if isinstance(serving, Neovim) else serving.screen.process
    (host,) = await host_pids(serving)

    both = Sleeper(own.pid), Sleeper(host)

    await until(lambda: min(map(Sleeper.sleeps, both)), "nothing wakes them")
