"""Starts a real agent in an environment of its own."""

import os
import shutil
from pathlib import Path

from claude_ide.agents.acp.launch import known
from support.real_agents.agent import Desk, RealAgent
from support.real_agents.install import programs


def environment(agent: RealAgent, desk: Desk) -> dict[str, str]:
    """Write an agent's configuration; return its whole environment, as the chat completes it."""
    built_in = known().get(agent.name)
    (desk.home / "tmp").mkdir(parents=True, exist_ok=True)
    return {
        "PATH": search_path(agent),
        "HOME": str(desk.home),
        "TMPDIR": str(desk.home / "tmp"),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        "SHELL": "/bin/sh",
        "XDG_CONFIG_HOME": str(desk.home / ".config"),
        "XDG_DATA_HOME": str(desk.home / ".local/share"),
        "NO_PROXY": "127.0.0.1,localhost",
        **(built_in.defaults if built_in else {}),
        **agent.configure(desk),
    }


def command(agent: RealAgent) -> tuple[str, ...]:
    """Return the command that starts an installed agent."""
    program, *arguments = agent.command
    return str(programs(agent) / program), *arguments


def search_path(agent: RealAgent) -> str:
    """Return a PATH with the agent's own programs, node, and little else."""
    node = shutil.which("node")
    own = [str(programs(agent)), *([str(Path(node).parent)] if node else [])]
    return os.pathsep.join(dict.fromkeys((*own, "/usr/bin", "/bin")))
