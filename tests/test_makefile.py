"""`make` on machines that lack something."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.checkout import program
from support.neovim import ROOT

OUTSIDE_OF_MAKE = {name: value for name, value in os.environ.items() if "MAKE" not in name}
UNREACHABLE = {"npm_config_registry": "http://127.0.0.1:1"}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with the files that the Makefile reads."""
    folder = tmp_path / "checkout"
    (folder / "python").mkdir(parents=True)
    for name in ("Makefile", "pyproject.toml", "python/requirements.txt"):
        shutil.copy2(ROOT / name, folder / name)
    return folder


def make(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", "--no-print-directory", *arguments],
        cwd=folder,
        env=OUTSIDE_OF_MAKE | variables,
        capture_output=True,
        text=True,
        check=False,
    )


def install(folder: Path) -> Path:
    """Create an environment that looks complete; return the path of its Python."""
    (folder / ".venv/runs").parent.mkdir()
    (folder / ".venv/runs").touch()
    return folder / ".venv/bin/python"


def test_without_a_target_make_lists_the_targets(checkout: Path) -> None:
    assert make(checkout).stdout == make(checkout, "help").stdout != ""


def test_a_working_environment_is_used(checkout: Path) -> None:
    program(install(checkout), f'exec {sys.executable} "$@"')

    assert "install.py" not in make(checkout, "--dry-run", "try").stdout


def test_an_environment_without_its_packages_is_repaired(checkout: Path) -> None:
    program(install(checkout), "exit 1")

    assert "install.py" in make(checkout, "--dry-run", "try").stdout


def test_an_environment_whose_python_is_gone_is_repaired(checkout: Path) -> None:
    python = install(checkout)
    python.parent.mkdir()
    python.symlink_to(checkout / "gone")

    assert "install.py" in make(checkout, "--dry-run", "try").stdout


@pytest.mark.skipif(os.geteuid() == 0, reason="root can write everywhere")
def test_a_read_only_checkout_is_named_in_one_line(checkout: Path) -> None:
    checkout.chmod(0o555)

    done = make(checkout, "try")

    assert done.returncode != 0
    assert f"{checkout} cannot be written to" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")
@pytest.mark.parametrize("tool", ["lint", "cli"])
def test_a_registry_that_cannot_be_reached_is_named_in_one_line(checkout: Path, tool: str) -> None:
    done = make(checkout, "--silent", f".cache/{tool}/installed", **UNREACHABLE)

    assert (done.returncode, done.stderr) == (0, "")
    assert f"(.cache/{tool}/install.log)" in done.stdout.splitlines()[-1]
    assert "ECONNREFUSED" in (checkout / f".cache/{tool}/install.log").read_text()


def test_every_test_that_ci_or_a_target_selects_is_there() -> None:
    selected = re.findall(r"^  (tests/[^#\n]+)", (ROOT / ".ci/run").read_text(), re.MULTILINE)
    slow = make(ROOT, "--dry-run", "slow", "quick").stdout
    words = " ".join([*selected, *re.findall(r"tests/\S+", slow)])

    found = subprocess.check_output(["bash", "-c", f"printf '%s\\n' {words}"], cwd=ROOT, text=True)

    names = [each for each in found.splitlines() if each.startswith("tests/")]
    assert len(names) > len(selected)
    assert not [each for each in names if not (ROOT / each).exists()]
