"""Creates or updates a virtual environment with only the packages that the plugin needs.

`python -I install.py [--log=FILE] ENVIRONMENT [--vim] [--package=NAME…] [--remove=NAME…]
[EXTRA…]`, for `:ClaudeInstall`, `:ClaudeUninstall` and `make`. It uses `uv` if available,
otherwise `venv` and pip, and needs only Python 3.11.

It prints each step, and the output of the tools unless that goes to a log. If it fails, its last
line is the reason.

Without extras it installs the versions in `requirements.txt` and checks their hashes; with the
extra `jupyter`, also when it was installed before, those in `jupyter.txt`. Other extras are for
developers: they get the newest versions that `pyproject.toml` allows.

With `--vim` those that only Neovim needs are left out.

Packages of the user's are installed after these, in the newest version that fits to them, and
again each time.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036  this file is run by whatever Python is found
    sys.exit(f"Python {sys.version.split()[0]} is too old; 3.11 or newer is needed")

import contextlib
import fcntl
import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from claude_ide.base.folders import make_private
from claude_ide.package_index import Failed, reason

PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"
LOCK = Path(__file__).resolve().parents[1] / "requirements.txt"
ADDED, REMOVED = "--package=", "--remove="
FOR_VIM = "--vim"
NEOVIM_ONLY = ("greenlet", "msgpack", "pynvim", "typing-extensions")
"""The client of Neovim, and what only it needs."""
RECORD = "packages.txt"
"""Next to the environment: the packages that the user has added, one per line."""
NAMED = re.compile(r"([A-Za-z0-9][\w.-]*)\s*($|[\[<>=!~;@])")
"""A package that is named, perhaps with extras or a version."""
SITE_PACKAGES = "lib/python*/site-packages"
JUPYTER = "jupyter"
JUPYTER_LOCK = LOCK.with_name("jupyter.txt")

LOCKED = ("--require-hashes", "--no-deps", "--only-binary", ":all:")
"""A source distribution would run its own code, and download its build tools unchecked."""

FOLDERS = ("UV_PROJECT", "UV_WORKING_DIR", "UV_WORKING_DIRECTORY")
"""Variables that name a folder from which uv reads settings."""

FEW_RETRIES = {"PIP_RETRIES": "1", "UV_HTTP_RETRIES": "1"}
"""Unless the user has set them: without a network, the defaults only delay the error."""

NO_VENV = (
    f"{sys.executable} has no venv module. Install it (Debian, Ubuntu: sudo apt install "
    "python3-venv) or install uv, then try again"
)


def main(arguments: list[str]) -> int:
    """Install, and return the exit status."""
    # A single stream keeps the output of all tools in order.
    os.dup2(sys.stdout.fileno(), sys.stderr.fileno())
    arguments = arguments[1:]
    try:
        with _log(arguments) as log:
            environment = Path(arguments[0]).absolute()
            with _alone(environment.parent):
                _leave_project(environment)
                added, removed, extras = _sorted(arguments[1:])
                if FOR_VIM in extras:
                    install_for_vim(environment, log)
                elif removed:
                    remove(environment, log, removed)
                else:
                    install(environment, log, extras, added)
    except Failed as failure:
        print(failure, flush=True)
        return 1
    except OSError as error:
        print(_words(error), flush=True)
        return 1
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        return 1
    return 0


def install(environment: Path, log: TextIO, extras: list[str], added: list[str]) -> None:
    """Install the plugin's packages, then the user's: those that are recorded, and `added`.

    A package is recorded when it is installed, so that it survives a new environment.
    """
    installer = Installer(environment, log)
    installer.install(packages(extras or extras_in(environment)), shutil.which("uv"))
    recorded = _recorded(environment)
    own = [*dict.fromkeys((*recorded, *added))]
    if own:
        installer.add(own, shutil.which("uv"))
    if own != recorded:
        _record(environment, own)


def install_for_vim(environment: Path, log: TextIO) -> None:
    """Install only the packages that a host for Vim needs."""
    with tempfile.TemporaryDirectory() as folder:
        lock = Path(folder, LOCK.name)
        lock.write_text(without(LOCK.read_text(encoding="utf-8"), NEOVIM_ONLY), encoding="utf-8")
        packages = [*LOCKED, "--requirement", str(lock)]
        Installer(environment, log).install(packages, shutil.which("uv"))


def without(lock: str, names: Sequence[str]) -> str:
    """Return the text of a lock without the entries of these packages."""
    entries = re.split(r"^(?=\w)", lock, flags=re.MULTILINE)
    return "".join(each for each in entries if not each.startswith(tuple(f"{n}==" for n in names)))


def remove(environment: Path, log: TextIO, removed: list[str]) -> None:
    """Remove packages of the user's; those on which they depend stay.

    The plugin's packages are installed again, because one of these may be among them.
    """
    recorded = _recorded(environment)
    if unknown := [package for package in removed if package not in recorded]:
        raise Failed(f"You have not installed {', '.join(unknown)}")
    installer = Installer(environment, log)
    installer.install(
        packages(extras_in(environment)),
        shutil.which("uv"),
        list(filter(None, (_distribution(environment, package) for package in removed))),
    )
    _record(environment, [package for package in recorded if package not in removed])


def _recorded(environment: Path) -> list[str]:
    record = environment.with_name(RECORD)
    return record.read_text(encoding="utf-8").splitlines() if record.exists() else []


def _record(environment: Path, own: list[str]) -> None:
    text = "".join(f"{package}\n" for package in own)
    environment.with_name(RECORD).write_text(text, encoding="utf-8")


def _distribution(environment: Path, package: str) -> str | None:
    """Return the name under which a package is installed; a folder or an address has another."""
    if match := NAMED.match(package):
        return match[1]
    place = Path(package).as_uri() if Path(package).is_absolute() else package.partition("+")[2]
    for origin in environment.glob(f"{SITE_PACKAGES}/*.dist-info/direct_url.json"):
        url = json.loads(origin.read_text(encoding="utf-8"))["url"]
        if place.partition("#")[0] == url or place.startswith(f"{url}@"):
            return origin.parent.name.partition("-")[0]
    return None


def _sorted(words: list[str]) -> tuple[list[str], list[str], list[str]]:
    """Return the packages to add, those to remove, and the extras."""
    added = [word.removeprefix(ADDED) for word in words if word.startswith(ADDED)]
    removed = [word.removeprefix(REMOVED) for word in words if word.startswith(REMOVED)]
    return added, removed, [word for word in words if not word.startswith((ADDED, REMOVED))]


def packages(extras: list[str]) -> list[str]:
    """Return the packages to install, as arguments for both pip and uv.

    Installing the project itself would create a copy that stays old when the checkout is updated.
    """
    if extras in ([], [JUPYTER]):
        return [*LOCKED, "--requirement", str(JUPYTER_LOCK if extras else LOCK)]
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    needed: list[str] = list(project["dependencies"])
    for extra in extras:
        needed += project["optional-dependencies"][extra]
    return ["--upgrade", *needed]


class Installer:
    """Installs into one environment; the output of the tools goes to the log."""

    def __init__(self, environment: Path, log: TextIO) -> None:
        self._environment = environment
        self._log = log
        self._python = environment / "bin/python"

    def install(self, packages: list[str], uv: str | None, without: Sequence[str] = ()) -> None:
        """Create the environment unless a working one exists, then update its packages.

        Those in `without`, named as they are installed, are removed before.
        """
        if not _works(self._python, needs_pip=uv is None):
            self._create(uv)
        if without:
            self._step(f"removing {', '.join(without)}")
            self._pip(uv, "uninstall", *without, yes=True)
        self._step("installing the packages")
        self._install(uv, *packages)

    def add(self, packages: list[str], uv: str | None) -> None:
        """Install the newest versions of packages, without other versions of those here."""
        self._step(f"installing {', '.join(packages)} (not pinned)")
        with tempfile.TemporaryDirectory() as folder:
            pins = Path(folder, "pins.txt")
            pins.write_text("\n".join(_pins(JUPYTER_LOCK)), encoding="utf-8")
            self._install(uv, "--upgrade", "--constraint", str(pins), "--", *packages)

    def _install(self, uv: str | None, *arguments: str) -> None:
        self._pip(uv, "install", *arguments)

    def _pip(self, uv: str | None, what: str, *arguments: str, yes: bool = False) -> None:
        """Run a command of pip; `yes` answers its question, which uv does not ask."""
        if uv:
            self._run(uv, "pip", what, "--python", str(self._python), *arguments)
        else:
            pip = [str(self._python), "-I", "-m", "pip", "--disable-pip-version-check"]
            answers = ["--yes"] if yes else []
            self._run(*pip, "--no-input", what, *answers, *arguments)

    def _create(self, uv: str | None) -> None:
        if uv is None and importlib.util.find_spec("venv") is None:
            raise Failed(NO_VENV)
        self._step(f"creating {self._environment}")
        # An environment whose Python is gone cannot be repaired.
        shutil.rmtree(self._environment, ignore_errors=True)
        if uv:
            self._run(uv, "venv", "--python", sys.executable, str(self._environment))
            return
        isolated = [sys.executable, "-I", "-m", "venv", "--without-pip"]
        self._run(*isolated, str(self._environment))
        if importlib.util.find_spec("ensurepip") is None:
            self._download_pip()
        else:
            self._step("adding pip")
            self._run(str(self._python), "-I", "-m", "ensurepip", "--upgrade", "--default-pip")

    def _download_pip(self) -> None:
        """Debian and Ubuntu have moved `ensurepip` to a package that is rarely installed."""
        from claude_ide.package_index import pip_wheel

        self._step("downloading pip")
        with contextlib.redirect_stdout(self._log):
            wheel = pip_wheel()
        base = str(self._environment)
        target = Path(sysconfig.get_path("purelib", "venv", {"base": base, "platbase": base}))
        unpacked = self._environment / "pip.new"
        with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
            archive.extractall(unpacked)
        # If this is interrupted, an incomplete package must not look like pip.
        for folder in sorted(unpacked.iterdir(), key=lambda path: path.name == "pip"):
            folder.rename(target / folder.name)
        unpacked.rmdir()

    def _step(self, text: str) -> None:
        """Announce what begins now."""
        print(text, flush=True)
        if self._log is not sys.stdout:
            print(text, file=self._log, flush=True)

    def _run(self, *command: str) -> None:
        """Run a command, and read why it fails from its output."""
        lines: list[str] = []
        with subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                lines.append(line.rstrip())
                self._log.write(line)
                self._log.flush()
        if process.returncode:
            raise Failed(reason(lines))


def _log(arguments: list[str]) -> contextlib.AbstractContextManager[TextIO]:
    """Open the log that is the first argument, which is removed; without it this is stdout."""
    if not arguments[0].startswith("--log="):
        return contextlib.nullcontext(sys.stdout)
    path = Path(arguments.pop(0).removeprefix("--log="))
    make_private(path.parent)
    return path.open("w", encoding="utf-8")


def _words(error: OSError) -> str:
    """Return an error of the system with its reason first, because a path may be long."""
    where = f": {error.filename}" if error.filename else ""
    return f"Cannot install: {error.strerror or error}{where}"


def _leave_project(environment: Path) -> None:
    """Change to a folder where only the administrator can have put settings or programs.

    uv reads the settings of the working folder and its parents, and relative entries of PATH start
    there. Settings of the user and the system are found from any folder.
    """
    os.chdir(environment.anchor)
    for name in FOLDERS:
        os.environ.pop(name, None)
    for name, value in FEW_RETRIES.items():
        os.environ.setdefault(name, value)


def _pins(lock: Path) -> list[str]:
    """Return the versions in a lock, without their hashes: packages of the user's have none."""
    lines = lock.read_text(encoding="utf-8").splitlines()
    return [line.removesuffix(" \\") for line in lines if line[:1].isalnum()]


def extras_in(environment: Path) -> list[str]:
    """Return the extras that users have installed: these are updated, too."""
    return [JUPYTER] * any(environment.glob(f"{SITE_PACKAGES}/jupyter_client"))


def _works(python: Path, needs_pip: bool) -> bool:
    """Return whether it runs, and belongs to its environment: another one must get no packages."""
    environment = str(python.parents[1])
    check = (
        "import os, sys; assert sys.version_info >= (3, 11);"
        f"assert os.path.samefile(sys.prefix, {environment!r})"
    )
    if needs_pip:
        check += "; import pip"
    try:
        tried = subprocess.run([python, "-I", "-c", check], capture_output=True, check=False)
    except OSError:
        return False
    return tried.returncode == 0


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep another Neovim from installing into the same environment at the same time."""
    make_private(folder)
    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Failed("Another installation is already running") from None
    else:
        yield
    finally:
        os.close(held)


if __name__ == "__main__":
    sys.exit(main(sys.argv))
