"""How the CLI is started for a one-off request: with limited tools and without a session.

The CLI has no option that ignores a project's hooks but keeps the user's, which may protect files.
It therefore reads only the user's settings. In a trusted folder, safe ones of the project are added
here: CLAUDE.md, helpers and environment.
"""

import contextlib
import json
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from claude_ide import files, pids
from claude_ide.agents.stream_json.protocol import Launch, command
from claude_ide.config import Config
from claude_ide.errors import UserError
from claude_ide.trust import folder_settings
from claude_ide.trust.trust import Trust

ALONE = ("--strict-mcp-config", "--no-session-persistence")
"""No MCP servers, and no saved session."""

READS_MEMORY = {"CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD": "1"}
"""Has the CLI read CLAUDE.md and the rules in folders that `--add-dir` names."""

FOLLOWED = (*folder_settings.HELPERS, "model")
FOLDER = "settings"


def launch(config: Config, cwd: str, tools: Sequence[str], model: str = "") -> Launch:
    """Return how to start the CLI in `cwd` with only these tools.

    Raises `AgentError` if there is no CLI, `UserError` if there is no such folder.
    """
    words = command(config.cmd)
    if not Path(cwd).is_dir():
        raise UserError(f"no such folder: {cwd}")
    return Launch(
        words,
        Path(cwd),
        os.environ,
        model=model or config.ask.model,
        arguments=(*ALONE, "--tools", ",".join(tools)),
    )


@contextlib.contextmanager
def following(launch: Launch, trust: Trust, state: Path) -> Iterator[Launch]:
    """Yield a launch with the settings of its folder, if trusted, in a private file in `state`."""
    if not trust.is_trusted(launch.cwd):
        yield launch
        return
    arguments = ["--add-dir", str(launch.cwd)]
    given = {} if launch.names("--settings") else settings(launch.cwd)
    with _private(given, state / FOLDER) as path:
        if path is not None:
            arguments += ["--settings", str(path)]
        yield replace(
            launch,
            environment={**launch.environment, **READS_MEMORY},
            arguments=(*arguments, *launch.arguments),
        )


def settings(folder: Path) -> dict[str, Any]:
    """Return a folder's settings without hooks, servers, plugins and granted permissions."""
    merged: dict[str, Any] = {}
    environment: dict[str, Any] = {}
    denied: list[Any] = []
    for _, given in folder_settings.settings(folder):
        found = given or {}
        merged |= {key: found[key] for key in FOLLOWED if key in found}
        environment |= _mapping(found.get("env"))
        rules = _mapping(found.get("permissions")).get("deny")
        denied += rules if isinstance(rules, list) else []
    merged |= {"env": environment} if environment else {}
    return merged | ({"permissions": {"deny": denied}} if denied else {})


@contextlib.contextmanager
def _private(given: Mapping[str, Any], folder: Path) -> Iterator[Path | None]:
    """Yield the path of a private file with the settings, which may be secret; None if empty."""
    if not given:
        yield None
        return
    _sweep(folder)
    path = folder / f"{os.getpid()}-{secrets.token_hex(8)}.json"
    files.write_private(path, json.dumps(given).encode())
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def _sweep(folder: Path) -> None:
    """Remove files that killed hosts have left."""
    for path in folder.glob("*.json"):
        pid = path.name.partition("-")[0]
        if pid.isdecimal() and not pids.lives(int(pid)):
            path.unlink(missing_ok=True)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
