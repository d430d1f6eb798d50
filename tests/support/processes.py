"""Processes that were started during a test (Linux)."""

import contextlib
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from support.neovim import until

LOOKS = 8
"""How often in a row a process must be found not to have run, until it counts as at rest.

That must fit between two timers of the plugin in Vim, also on a slow machine.
"""


def alive(pid: int) -> bool:
    """Return whether a process is running; a zombie is not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        # The process may end during the read.
        return False
    return state != "Z"


def cpu(pid: int) -> float:
    """Return the CPU of a process so far, all threads, in milliseconds (0 except on Linux)."""
    threads = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(path.read_text().split()[0]) for path in threads) / 1e6


async def at_rest(pid: int) -> None:
    """Wait until a process does nothing but wait for input and timers.

    A signal that ends Vim must come then: where it interrupts a callback in `malloc`, Vim's handler
    calls `malloc`, too, and waits for ever.
    """
    looks: deque[float] = deque(maxlen=LOOKS)

    def rests() -> bool:
        looks.append(cpu(pid))
        return len(looks) == LOOKS and looks[0] == looks[-1]

    await until(rests, f"process {pid} rests")


async def pid_in(path: Path) -> int:
    """Wait until a program has written its process id to a file, and return it."""
    return int(await until(lambda: path.exists() and path.read_text().strip(), "its process id"))


def most_memory(pid: int) -> int:
    """Return the most bytes of memory that a process has had (`VmHWM`)."""
    status = Path(f"/proc/{pid}/status").read_text()
    fields = dict(line.split(":", 1) for line in status.splitlines())
    return int(fields["VmHWM"].split()[0]) * 1024


def started_with(words: str) -> set[int]:
    """Return the running processes with `words` in their arguments or environment."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                given = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
                if words.encode() in given and alive(int(entry.name)):
                    found.add(int(entry.name))
    return found


def processes() -> Iterator[tuple[int, int]]:
    """The pid and the parent's pid of each process on this machine."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        yield int(folder.name), int(fields[1])


def under(pid: int) -> set[int]:
    """The descendants of a process."""
    parents = dict(processes())
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}
