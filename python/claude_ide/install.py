"""Creates or updates a virtual environment with only the packages that the plugin needs.

`python -I install.py ENVIRONMENT [EXTRA…]`, for `:ClaudeInstall` and for `make`. It uses `uv` if
available, otherwise `venv` and pip, and needs only Python 3.11.

Without extras it installs the versions in `requirements.txt` and checks their hashes. Extras are
for developers: they get the newest versions that `pyproject.toml` allows.
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
"""A source distribution would run its own code, and download its build tools unchecked."""

FOLDERS = ("UV_PROJECT", "UV_WORKING_DIR", "UV_WORKING_DIRECTORY")
"""Variables that name a folder from which uv reads settings."""


class Failed(Exception):
    """There is no environment; the text is one line with the reason."""


def main(arguments: list[str]) -> int:
    """Install, and return the exit status."""
    # A single stream keeps the output of all tools in order.
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
    """Return the packages to install, as arguments for both pip and uv.

    Installing the project itself would create a copy that stays old when the checkout is updated.
    """
    if not extras:
        return [*LOCKED, "--requirement", str(LOCK)]
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    needed: list[str] = list(project["dependencies"])
    for extra in extras:
        needed += project["optional-dependencies"][extra]
    return ["--upgrade", *needed]


def install(environment: Path, packages: list[str], uv: str | None) -> None:
    """Create the environment unless a working one exists, then update its packages."""
    python = environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not _works(python, needs_pip=uv is None):
        if uv is None and importlib.util.find_spec("ensurepip") is None:
            raise Failed(f"{sys.executable} has no venv module; install python3-venv or uv")
        print(f"creating {environment}", flush=True)
        # An environment whose Python is gone cannot be repaired.
        shutil.rmtree(environment, ignore_errors=True)
        if uv:
            _run(uv, "venv", "--python", sys.executable, str(environment))
        else:
            _run(sys.executable, "-I", "-m", "venv", "--without-pip", str(environment))
            # This takes longer than all other steps.
            print("adding pip", flush=True)
            _run(str(python), "-I", "-m", "ensurepip", "--upgrade", "--default-pip")
    print("installing the packages", flush=True)
    if uv:
        _run(uv, "pip", "install", "--python", str(python), *packages)
    else:
        pip = [str(python), "-I", "-m", "pip", "--disable-pip-version-check", "--no-input"]
        _run(*pip, "install", *packages)


def _leave_project(environment: Path) -> None:
    """Change to a folder where only the administrator can have put settings or programs.

    uv reads the settings of the working folder and its parents, and relative entries of PATH start
    there. Settings of the user and the system are found from any folder.
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
    """Run a command; if it fails, exit with its status (it has printed the error itself)."""
    if status := subprocess.run(command, check=False).returncode:
        sys.exit(status)


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep another Neovim from installing into the same environment at the same time."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        import fcntl
    except ImportError:  # on Windows the installers' own locks must do
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
