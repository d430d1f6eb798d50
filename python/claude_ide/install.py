"""Makes or updates a virtual environment with what the plugin needs to run, and nothing else.

`python -I install.py ENVIRONMENT [EXTRA…]`, for `:ClaudeInstall` and for `make`. With `uv` if
there is one, else with `venv` and pip. Needs Python 3.11 and nothing else.

Without extras the versions are those of `requirements.txt`, whose hashes are checked. An extra is
for developers: it gets the newest versions that `pyproject.toml` allows.
"""

import contextlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"
LOCK = Path(__file__).resolve().parents[1] / "requirements.txt"

LOCKED = ("--require-hashes", "--no-deps", "--only-binary", ":all:")
"""A source distribution would run code of its own, and fetch what builds it unchecked."""

FOLDERS = ("UV_PROJECT", "UV_WORKING_DIR", "UV_WORKING_DIRECTORY")
"""Variables that name a folder for uv to read settings from."""


class Failed(Exception):
    """Why there is no environment, in one line."""


def main(arguments: list[str]) -> int:
    """Install, and return the exit status."""
    # One stream, so that what is said, and by which tool, stays in order.
    os.dup2(sys.stdout.fileno(), sys.stderr.fileno())
    try:
        environment = Path(arguments[1]).absolute()
        with _alone(environment.parent):
            _leave_project(environment)
            install(environment, packages(arguments[2:]), shutil.which("uv"))
    except (Failed, OSError) as reason:
        print(reason, flush=True)
        return 1
    return 0


def packages(extras: list[str]) -> list[str]:
    """Return what to install, as arguments that pip and uv share.

    Installing the project instead would leave a copy of it behind, which an update of the
    checkout does not reach.
    """
    if not extras:
        return [*LOCKED, "--requirement", str(LOCK)]
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    needed: list[str] = list(project["dependencies"])
    for extra in extras:
        needed += project["optional-dependencies"][extra]
    return ["--upgrade", *needed]


def install(environment: Path, packages: list[str], uv: str | None) -> None:
    """Make the environment unless it is there and works, then bring its packages up to date."""
    python = environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not _works(python, needs_pip=uv is None):
        if uv is None and importlib.util.find_spec("ensurepip") is None:
            raise Failed(f"{sys.executable} has no venv module; install python3-venv or uv")
        print(f"creating {environment}", flush=True)
        # What is left of one whose Python has gone cannot be repaired.
        shutil.rmtree(environment, ignore_errors=True)
        if uv:
            _run(uv, "venv", "--python", sys.executable, str(environment))
        else:
            _run(sys.executable, "-I", "-m", "venv", "--without-pip", str(environment))
            # Takes longest of all.
            print("adding pip", flush=True)
            _run(str(python), "-I", "-m", "ensurepip", "--upgrade", "--default-pip")
    print("installing the packages", flush=True)
    if uv:
        _run(uv, "pip", "install", "--python", str(python), *packages)
    else:
        pip = [str(python), "-I", "-m", "pip", "--disable-pip-version-check", "--no-input"]
        _run(*pip, "install", *packages)


def _leave_project(environment: Path) -> None:
    """Go where only the administrator can have put settings, or a program.

    uv reads the settings of the working folder and of all above it, and relative folders on PATH
    begin there. The user's and the system's settings are found from anywhere.
    """
    os.chdir(environment.anchor)
    for name in FOLDERS:
        os.environ.pop(name, None)


def _works(python: Path, needs_pip: bool) -> bool:
    check = "import sys; assert sys.version_info >= (3, 11)"
    if needs_pip:
        check += "; import pip"
    try:
        tried = subprocess.run([python, "-I", "-c", check], capture_output=True, check=False)
    except OSError:
        return False
    return tried.returncode == 0


def _run(*command: str) -> None:
    """Run a command; it says itself what went wrong, so nothing has to be added."""
    if status := subprocess.run(command, check=False).returncode:
        sys.exit(status)


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep a second run, of another Neovim, out of the same environment."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        import fcntl
    except ImportError:  # Windows has none; there the installers' own locks must do
        yield
        return
    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Failed("another installation is already running") from None
    else:
        yield
    finally:
        os.close(held)


if __name__ == "__main__":
    sys.exit(main(sys.argv))
