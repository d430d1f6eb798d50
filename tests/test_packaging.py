"""The parts of a checkout other than the plugin: the package, the Makefile, the README."""

import email
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement

import claude_ide
from support.checkout import copy_plugin, program
from support.neovim import ROOT, nvim_binary
from support.wheels import JUPYTER_LOCK, LOCK, run, wheels

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_pip_installs_everything_that_the_host_needs(tmp_path: Path) -> None:
    offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels()), "HOME": str(tmp_path)}
    project = copy_plugin(tmp_path / "project")
    for name in ("README.md", "LICENSE"):
        (project / name).write_bytes((ROOT / name).read_bytes())
    # A Python may lack ensurepip.
    uv, python = Path(sys.executable).with_name("uv"), tmp_path / "venv/bin/python"
    run(uv, "venv", "--quiet", "--python", sys.executable, tmp_path / "venv")
    alone: list[str | Path] = ["--no-index", "--find-links", wheels()]
    run(uv, "pip", "install", "--quiet", *alone, "--python", python, "pip")

    run(python, "-I", "-m", "pip", "install", "--quiet", project, env=offline)

    found = run(python, "-I", "-c", "import claude_ide.app, pynvim; print(claude_ide.__file__)")
    assert found.startswith(str(tmp_path / "venv"))
    assert (Path(found.strip()).parent / "py.typed").exists()


# The packages that `:ClaudeInstall` installs.


def locked(lock: Path) -> list[tuple[str, str, str, str]]:
    """Return name, version, marker and hashes of each package."""
    return re.findall(
        r"^([\w-]+)==([\w.]+)( ; [^\\]+)? \\\n((?: +--hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)",
        lock.read_text(encoding="utf-8"),
        re.MULTILINE,
    )


def pins(lock: Path) -> dict[str, str]:
    return {name: version for name, version, _, _ in locked(lock)}


LOCKED = locked(LOCK)
PINS = pins(LOCK)
LOCKS = [LOCK, JUPYTER_LOCK]


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_each_locked_package_has_one_version_and_hashes(lock: Path) -> None:
    lines = lock.read_text(encoding="utf-8").splitlines()
    packages = [line for line in lines if line and line.lstrip()[0] not in "#-"]

    assert len(packages) == len(pins(lock)) == len(locked(lock)) > 3


def test_jupyter_changes_no_other_package() -> None:
    assert pins(JUPYTER_LOCK).items() > PINS.items()
    assert "jupyter-client" in pins(JUPYTER_LOCK)


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_the_lock_names_no_index_and_no_address(lock: Path) -> None:
    for line in lock.read_text(encoding="utf-8").splitlines():
        assert re.match(r" *(#|--hash=)|[\w-]+==", line)
        assert "://" not in line
        assert " @ " not in line


def test_the_pip_that_is_downloaded_is_pinned() -> None:
    text = (ROOT / "python/pip.txt").read_text(encoding="utf-8")

    assert re.search(r"^pip==[\d.]+ (\\\n +--hash=sha256:[0-9a-f]{64} ?)+\n$", text, re.MULTILINE)
    assert "://" not in text


@pytest.mark.parametrize("dependency", PROJECT["dependencies"])
def test_each_dependency_is_locked_within_its_range(dependency: str) -> None:
    needed = Requirement(dependency)

    assert any(specifier.operator == "<" for specifier in needed.specifier)
    assert PINS[needed.name] in needed.specifier


MACHINES = [("linux", "Linux", "posix"), ("darwin", "Darwin", "posix"), ("win32", "Windows", "nt")]


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13", "3.14"])
@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine[0])
def test_the_lock_includes_all_dependencies_of_its_packages(
    python: str, machine: tuple[str, str, str]
) -> None:
    names = dict(zip(("sys_platform", "platform_system", "os_name"), machine, strict=True))
    there = {**names, "python_version": python, "python_full_version": f"{python}.0", "extra": ""}
    locked = {
        name for name, _, marker, _ in LOCKED if not marker or Marker(marker[3:]).evaluate(there)
    }

    for wheel in wheels().glob("*.whl"):
        if wheel.name.partition("-")[0].replace("_", "-") not in locked:
            continue
        for needed in needed_by(wheel):
            if needed.marker is None or needed.marker.evaluate(there):
                assert needed.name.replace("_", "-") in locked
                assert PINS[needed.name.replace("_", "-")] in needed.specifier


def needed_by(wheel: Path) -> list[Requirement]:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = email.message_from_bytes(archive.read(name))
    return [Requirement(needed) for needed in metadata.get_all("Requires-Dist", [])]


def test_all_files_have_the_same_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")

    assert PROJECT["version"] == claude_ide.__version__
    assert re.findall(r"^## ([\d.]+)", changelog, re.MULTILINE)[0] == claude_ide.__version__


OUTSIDE_OF_MAKE = {
    name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "TESTS")
}
"""A `make` that runs these tests passes its own arguments on."""


def make(*arguments: str, **variables: str) -> str:
    """Return the commands that `make` would run, with everything installed."""
    env = OUTSIDE_OF_MAKE | variables
    return run("make", "--dry-run", "--directory", str(ROOT), *arguments, env=env)


def test_the_two_commands_at_the_top_of_the_readme_are_targets() -> None:
    first_screen = README.splitlines()[:24]
    commands = [line.split()[:2] for line in first_screen if line.startswith("make ")]

    assert commands == [["make", "try"], ["make", "test"]]
    assert "demo/launch.py" in make("try")
    for tool in ("ruff format --check", "ruff check", "mypy", "pytest", "helptags"):
        assert tool in make("test")


def test_make_help_lists_the_targets() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    targets = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[0].split()
    done = run("make", "--silent", "--directory", str(ROOT), "help", env=OUTSIDE_OF_MAKE)
    listed = re.findall(r"^make ([\w-]+) +\S", done, re.MULTILINE)

    assert sorted(listed) == sorted(targets)
    assert max(map(len, done.splitlines())) <= 100


def test_make_try_uses_the_real_cli_on_request() -> None:
    assert "--claude" not in make("try")
    assert "--claude" in make("try", "CLAUDE=1")


def test_make_reports_which_python_it_needs(tmp_path: Path) -> None:
    for name in ("echo", "mkdir", "nvim"):
        program(tmp_path / "bin" / name, f'exec /bin/{name} "$@"')
    program(tmp_path / "bin/python3", "exit 1")
    (tmp_path / "Makefile").write_bytes((ROOT / "Makefile").read_bytes())
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "python").mkdir()
    (tmp_path / "python/requirements.txt").touch()

    done = subprocess.run(
        ["/usr/bin/make", "try"],
        cwd=tmp_path,
        env={"PATH": str(tmp_path / "bin")},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode != 0
    assert "Python 3.11 or newer is needed" in done.stderr


def make_in_a_copy(tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """Run the installation of `make try` with an installer that only reports its arguments."""
    (tmp_path / "Makefile").write_bytes((ROOT / "Makefile").read_bytes())
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "python/claude_ide").mkdir(parents=True, exist_ok=True)
    (tmp_path / "python/requirements.txt").touch()
    installer = "import sys; print('creating it'); sys.exit('the reason')\n"
    (tmp_path / "python/claude_ide/install.py").write_text(installer)
    return subprocess.run(
        ["make", "--no-print-directory", ".venv/runs"],
        cwd=tmp_path,
        env=OUTSIDE_OF_MAKE,
        capture_output=True,
        text=True,
        check=False,
    )


def test_make_shows_the_steps_of_the_installation_and_why_it_fails(tmp_path: Path) -> None:
    done = make_in_a_copy(tmp_path)

    assert done.stdout.splitlines()[1:] == ["creating it"]
    assert done.stderr.splitlines()[:2] == [
        "the reason",
        "The whole output is in .cache/install.log",
    ]


def test_make_creates_an_environment_again_if_its_python_has_disappeared(tmp_path: Path) -> None:
    (tmp_path / ".venv/bin").mkdir(parents=True)
    (tmp_path / ".venv/bin/python").symlink_to("/no/python")
    (tmp_path / ".venv/runs").touch()

    assert "creating it" in make_in_a_copy(tmp_path).stdout


@pytest.mark.skipif(os.geteuid() == 0, reason="root can write everywhere")
def test_make_reports_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    make_in_a_copy(tmp_path)
    tmp_path.chmod(0o500)

    done = make_in_a_copy(tmp_path)

    tmp_path.chmod(0o700)
    assert done.stderr.startswith(f"{tmp_path} cannot be written to; ")


NVIM = nvim_binary()


def test_make_uses_the_chosen_neovim() -> None:
    for target in ("doc", "try"):
        assert NVIM in make(target, f"NVIM={NVIM}")
    assert NVIM in make("try", f"NVIM={os.path.relpath(NVIM, ROOT)}")


@pytest.mark.parametrize("nvim", ["", "/no/such/nvim", "/bin/cat", "/bin/true"])
def test_make_rejects_a_program_that_is_no_neovim_in_one_line(nvim: str) -> None:
    done = subprocess.run(
        ["make", "--dry-run", "--directory", ROOT, "--no-print-directory", "test", f"NVIM={nvim}"],
        env=OUTSIDE_OF_MAKE,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode != 0
    assert f"NVIM={nvim} is no Neovim 0.11 or newer" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_make_ignores_the_address_of_a_surrounding_neovim() -> None:
    assert "/run/nvim.1.0" not in make("try", NVIM="/run/nvim.1.0")


def test_only_make_coverage_measures_coverage() -> None:
    assert "tests/test_files.py -k link" in make("unit", "TESTS=tests/test_files.py -k link")
    assert "--cov" not in make("test")
    assert "--cov" in make("coverage")


@pytest.mark.parametrize("nvim", ["no/such/nvim", "/bin/cat", "/bin/true"])
def test_pytest_rejects_a_program_that_is_no_neovim_in_one_line(nvim: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_paths.py"],
        cwd=ROOT,
        env={**os.environ, "CLAUDE_IDE_TEST_NVIM": nvim},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert re.fullmatch(rf"ERROR: .*{nvim} is no (program|Neovim)\s*", done.stderr)
