"""The example agents of ACP's Python SDK, which repeat what they are sent."""

import sys
import tarfile
from pathlib import Path

from support.real_agents.agent import RealAgent
from support.real_agents.install import folder, install, is_installed, programs, run

EXAMPLES = ("agent.py", "echo_agent.py")

SDK = RealAgent(
    "python-sdk", ("agent-client-protocol==0.12.1",), ("python",), lambda _desk: {}, is_python=True
)


def command(example: str) -> list[str]:
    """Return the command line of an example."""
    return [str(programs(SDK) / "python"), str(_source(example))]


def are_installed() -> bool:
    """Whether the SDK and its examples are installed."""
    return is_installed(SDK) and all(_source(example).is_file() for example in EXAMPLES)


def install_examples() -> str:
    """Install the SDK with its examples, unless it is; return "" or why that failed."""
    if are_installed():
        return ""
    # Only the source has the examples.
    options = ("--quiet", "--no-deps", "--no-binary", ":all:", "--dest", str(folder(SDK)))
    fetch = [sys.executable, "-m", "pip", "download", *options, *SDK.packages]
    if reason := install(SDK) or run(SDK, fetch):
        return reason
    for archive in folder(SDK).glob("*.tar.gz"):
        with tarfile.open(archive) as source:
            source.extractall(folder(SDK) / "source", filter="data")
    return ""


def _source(example: str) -> Path:
    found = sorted((folder(SDK) / "source").glob(f"*/examples/{example}"))
    return found[0] if found else folder(SDK) / example
