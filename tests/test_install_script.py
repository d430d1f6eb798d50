"""`install.py` as a program, as `make` runs it."""

import re
import subprocess
import sys
from pathlib import Path

from support.neovim import ROOT

SCRIPT = ROOT / "python/claude_ide/install.py"


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_an_older_python_is_refused_in_one_line() -> None:
    older = f"import runpy, sys; sys.version_info = (3, 10, 1); runpy.run_path({str(SCRIPT)!r})"

    done = run("-c", older)

    assert done.returncode == 1
    version = sys.version.split()[0]
    assert done.stderr == f"Python {version} is too old; 3.11 or newer is needed\n"


def test_a_folder_that_cannot_be_written_to_is_named_in_one_line() -> None:
    done = run(SCRIPT, "/proc/nowhere/venv")

    assert done.returncode == 1
    assert done.stdout == "Cannot install: No such file or directory: /proc/nowhere\n"


def test_with_a_log_only_the_steps_and_the_reason_are_printed(tmp_path: Path) -> None:
    """The installer fails because there is no such index."""
    environment = {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": "/dev/null", "PATH": str(tmp_path)}
    venv, log = tmp_path / "venv", tmp_path / "logs/log"
    command: list[str | Path] = [sys.executable, "-I", SCRIPT, f"--log={log}", venv]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)

    assert done.returncode == 1
    steps = done.stdout.splitlines()
    assert steps[0] == f"creating {venv}"
    # A Python without ensurepip fails earlier.
    reasons = "Cannot install: ERROR: No matching distribution|The package index has no pip"
    assert re.match(reasons, steps[-1])
    assert not any("ERROR:" in step for step in steps[:-1])
    assert log.read_text().startswith(f"creating {venv}\n")


def test_jupyter_is_installed_from_its_lock_and_updated_once_it_is_there(tmp_path: Path) -> None:
    packages = tmp_path / "venv/lib/python3.12/site-packages/jupyter_client"
    chosen = [_locks(tmp_path), _locks(tmp_path, "jupyter")]
    packages.mkdir(parents=True)
    chosen.append(_locks(tmp_path))

    assert chosen == ["requirements.txt", "jupyter.txt", "jupyter.txt"]


def _locks(folder: Path, *extras: str) -> str:
    """Return the name of the lock that is installed into an environment."""
    code = (
        "import sys; from pathlib import Path; from claude_ide import install;"
        "environment, *extras = sys.argv[1:];"
        "print(install.packages(extras or install.extras_in(Path(environment)))[-1])"
    )
    command = [sys.executable, "-c", code, str(folder / "venv"), *extras]
    environment = {"PYTHONPATH": str(SCRIPT.parents[1])}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    return Path(done.stdout.strip()).name
