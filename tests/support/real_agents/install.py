"""Installs agents into .cache/agents: `python -m support.real_agents.install opencode kimi`.

`--few` installs those that install and start quickly.

Nothing in a package that is newer than `AS_OF` is installed, so that the packages that these
need are always the same ones.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from support.neovim import ROOT
from support.real_agents.agent import RealAgent
from support.real_agents.catalog import AGENTS, FEW

AS_OF = "2026-11-22"
CACHE = ROOT / ".cache/agents"
OLDEST_PYTHON = (3, 12)
LONGEST = 600.0
"""Seconds that an installation may take."""
NPM_OPTIONS = (
    *("--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1"),
    *("--fetch-retry-mintimeout=1000", "--fetch-timeout=10000"),
)


def folder(agent: RealAgent) -> Path:
    """Return the folder of an agent."""
    return CACHE / agent.name


def programs(agent: RealAgent) -> Path:
    """Return the folder of an agent's programs."""
    return folder(agent) / ("env/bin" if agent.is_python else "node_modules/.bin")


def is_installed(agent: RealAgent) -> bool:
    """Whether the agent is installed in the version of the catalog."""
    stamp = folder(agent) / "installed"
    return stamp.is_file() and stamp.read_text(encoding="utf-8") == _stamp(agent)


def install(agent: RealAgent) -> str:
    """Install an agent, unless it is; return "" or why that failed, in one line."""
    if is_installed(agent):
        return ""
    place = folder(agent)
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    reason = _from_pypi(agent) if agent.is_python else _from_npm(agent)
    if not reason:
        (place / "installed").write_text(_stamp(agent), encoding="utf-8")
    return reason


def _stamp(agent: RealAgent) -> str:
    return "\n".join((AS_OF, *agent.packages))


def _from_npm(agent: RealAgent) -> str:
    if not shutil.which("npm"):
        return "npm is not installed"
    place = str(folder(agent))
    options = (*NPM_OPTIONS, f"--before={AS_OF}T23:59:59Z")
    return run(agent, ["npm", "install", "--prefix", place, *options, *agent.packages])


def _from_pypi(agent: RealAgent) -> str:
    env, uv = str(folder(agent) / "env"), str(Path(sys.executable).with_name("uv"))
    newer = ".".join(str(part) for part in OLDEST_PYTHON)
    make = ["venv", "--quiet", "--python", f">={newer}", env]
    fill = ["pip", "install", "--quiet", "--python", env, "--exclude-newer", AS_OF]
    return run(agent, [uv, *make]) or run(agent, [uv, *fill, *agent.packages])


def run(agent: RealAgent, command: list[str]) -> str:
    """Run a command for an agent and log its output; return "" or the last line of that."""
    log = folder(agent) / "install.log"
    with log.open("ab") as output:
        done = subprocess.run(
            command,
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env=_environment(),
            timeout=LONGEST,
            check=False,
        )
    lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
    return "" if done.returncode == 0 else next((line for line in reversed(lines) if line), "")


def _environment() -> dict[str, str]:
    """Return an environment in which uv finds a Python that only pyenv knows."""
    given = dict(os.environ)
    if shutil.which("pyenv") and (found := _newest_of_pyenv()):
        given["PYENV_VERSION"] = found
    return given


def _newest_of_pyenv() -> str:
    listed = subprocess.run(
        ["pyenv", "versions", "--bare"], capture_output=True, text=True, check=False
    ).stdout.split()
    numbered = [name for name in listed if all(part.isdigit() for part in name.split("."))]
    versions = sorted(tuple(int(part) for part in name.split(".")) for name in numbered)
    newest = [version for version in versions if version >= OLDEST_PYTHON]
    return ".".join(str(part) for part in newest[-1]) if newest else ""


def main() -> int:
    """Install the agents that are named, or all; report each that cannot be had."""
    given = sys.argv[1:]
    for name in FEW if given == ["--few"] else given or AGENTS:
        if name not in AGENTS:
            print(f"no agent {name}; there are {', '.join(AGENTS)}", file=sys.stderr)
            return 2
        if not is_installed(AGENTS[name]):
            print(f"Installing {name} for the tests…", flush=True)
        if reason := install(AGENTS[name]):
            print(f"{name} could not be installed: {reason}")
    if not given:
        # It imports this module.
        from support.real_agents.sdk_examples import install_examples

        if reason := install_examples():
            print(f"the examples of the SDK could not be installed: {reason}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
