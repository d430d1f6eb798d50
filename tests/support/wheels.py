"""The packages of an environment as wheels, so that tests can install them without a network."""

import fcntl
import importlib.util
import os
import subprocess
import sys
import tomllib
from pathlib import Path

from support.neovim import ROOT

LOCK = ROOT / "python/requirements.txt"
JUPYTER_LOCK = ROOT / "python/jupyter.txt"
PIP = ROOT / "python/pip.txt"


def wheels() -> Path:
    """Return a folder with the plugin's packages, which are fetched once for each Python."""
    folder = ROOT / f".cache/wheels-{sys.implementation.cache_tag}"
    folder.mkdir(parents=True, exist_ok=True)
    # Parallel test processes wait until the first one has fetched them.
    held = os.open(folder, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    try:
        _fetch(folder)
    finally:
        os.close(held)
    return folder


def _fetch(folder: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    needed = project["build-system"]["requires"]
    wanted = f"{needed} {LOCK.read_text()} {PIP.read_text()}"
    fetched = folder / "fetched"
    if not fetched.exists() or fetched.read_text() != wanted:
        download: list[str | Path] = [_pip(folder), "-I", "-m", "pip", "download"]
        download += ["--quiet", "--only-binary", ":all:"]
        run(*download, "--dest", folder, *needed)
        for lock in (LOCK, PIP):
            run(*download, "--dest", folder, "--no-deps", "--requirement", lock)
        fetched.write_text(wanted)


def _pip(folder: Path) -> Path:
    """Return a Python with pip; an environment that uv has created has none."""
    if importlib.util.find_spec("pip") is not None:
        return Path(sys.executable)
    uv = Path(sys.executable).with_name("uv")
    run(uv, "venv", "--quiet", "--clear", "--seed", "--python", sys.executable, folder / "pip")
    return folder / "pip/bin/python"


def run(*command: str | Path, env: dict[str, str] | None = None) -> str:
    """Run a command, which must succeed; return its output."""
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout
