"""The recorded conversations in `tests/golden/`, and a CLI that replays one."""

import functools
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from claude_ide.agents.stream_json.protocol import CliLaunch
from support import frame_log
from support.neovim import ROOT

GOLDEN = ROOT / "tests" / "golden"
FAKE_CLI = Path(__file__).with_name("fake_cli.py")

Entry = dict[str, Any]


def entries(name: str) -> list[Entry]:
    """Return all entries of a recording."""
    lines = (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@functools.cache
def frames_of(name: str) -> list[dict[str, Any]]:
    """Return the frames of the CLI; callers must not change them."""
    return [entry["m"] for entry in entries(name) if entry["dir"] == "out"]


def names() -> list[str]:
    """Return the names of all recordings."""
    return sorted(path.stem for path in GOLDEN.glob("*.jsonl"))


def replaying(
    name: str, cwd: Path, *, log: Path | None = None, environment: Mapping[str, str] | None = None
) -> CliLaunch:
    """Return how to start a CLI that replays a recording in a trusted folder; it logs its input."""
    given = {"PATH": "/usr/bin:/bin", "HOME": str(cwd)} | dict(environment or {})
    if log is not None:
        given["FAKE_CLI_LOG"] = str(log)
    command = (sys.executable, "-I", FAKE_CLI, GOLDEN / f"{name}.jsonl")
    return CliLaunch(command, cwd, given, trusted=True)


def read_log(log: Path) -> list[dict[str, Any]]:
    """Return the log of a replaying CLI: first its arguments and environment, then each frame."""
    return frame_log.read(log)
