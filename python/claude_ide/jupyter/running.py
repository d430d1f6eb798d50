"""Kernels that other programs have started, such as molten-nvim or `jupyter console`."""

import asyncio
import contextlib
import os
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from claude_ide import files
from claude_ide.errors import ToolError
from claude_ide.jupyter import connection
from claude_ide.jupyter.connection import SHARED, decoded
from claude_ide.jupyter.kernel import Kernel

MOST = 12
"""How many connection files are tried, the latest first: many are left over."""

LARGEST_FILE = 10_000
ANSWER_SECONDS = 1.5
PREFIX = "kernel-"


class Running(NamedTuple):
    """A running kernel: its connection file and its name for the user."""

    file: Path
    title: str


async def find(except_for: Path | None = None) -> list[Running]:
    """Return the kernels of this user that answer, the latest first."""
    found = await asyncio.to_thread(_files)
    candidates = [described(file) for file in found if file != except_for][:MOST]
    answers = await asyncio.gather(*map(_answers, candidates))
    return [each for each, is_there in zip(candidates, answers, strict=True) if is_there]


def named(given: str) -> Running | None:
    """Return the latest kernel whose connection file has this name, or an id that begins so."""
    found = (
        each
        for each in _files()
        if each.name == given or each.stem.removeprefix(PREFIX).startswith(given)
    )
    return next(map(described, found), None)


def described(file: Path) -> Running:
    """Return the kernel of a connection file."""
    content = decoded(files.read_if_sound(file, LARGEST_FILE))
    given = content if isinstance(content, dict) else {}
    name = given.get("kernel_name")
    title = f"running {name if name and isinstance(name, str) else 'kernel'}"
    with contextlib.suppress(OSError):
        since = datetime.fromtimestamp(file.stat().st_mtime).astimezone()
        title += f" since {since:%Y-%m-%d %H:%M}"
    is_private = given.get("transport") == "ipc" or "curve_publickey" in given
    return Running(file, title + SHARED * (not is_private))


def _files() -> list[Path]:
    paths = connection.load("jupyter_core.paths")
    # molten-nvim always uses the second one.
    folders = {Path(paths.jupyter_runtime_dir()), Path(paths.jupyter_data_dir(), "runtime")}
    found: list[tuple[float, Path]] = []
    for file in chain.from_iterable(each.glob(f"{PREFIX}*.json") for each in folders):
        with contextlib.suppress(OSError):
            status = file.stat()
            if not hasattr(os, "geteuid") or status.st_uid == os.geteuid():
                found.append((status.st_mtime, file))
    return [file for _, file in sorted(found, reverse=True)]


async def _answers(candidate: Running) -> bool:
    try:
        kernel = await Kernel.join(candidate.file, candidate.title, ANSWER_SECONDS)
    except ToolError:
        return False
    await kernel.stop()
    return True
