"""`:ClaudeInstall` in a hostile folder: the folder cannot affect what is installed."""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from support.checkout import program
from support.installs import pip_settings, tools, uv_settings, wheel
from support.neovim import Neovim, until
from support.wheels import LOCK, wheels

MINUTE = 60.0
READY = "claude-ide: Python is ready; :Claude opens Claude Code"
INSTALLERS = ["uv", "pip"]

StartNeovim = Callable[..., Awaitable[Neovim]]


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    """A file that is created when code of the hostile folder runs."""
    return tmp_path / "canary"


@pytest.fixture
async def index() -> AsyncIterator[tuple[str, list[bytes]]]:
    """A package index named by the hostile folder, and the first line of each request to it."""
    requests: list[bytes] = []

    async def note(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        requests.append(await reader.readline())
        writer.close()

    async with await asyncio.start_server(note, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/simple", requests


@pytest.fixture
def hostile(project: Path, canary: Path, index: tuple[str, list[bytes]]) -> Path:
    """A project with every file that an installer or Python might read."""
    address, _ = index
    touch = f"open({str(canary)!r}, 'w').close()\n"
    for name, version in pins():
        wheel(project / "wheels", name, version, touch)
    settings = f'no-index = false\nindex-url = "{address}"\nfind-links = ["wheels"]\n'
    required = 'required-version = ">=999"\n'
    (project / "uv.toml").write_text(f"{required}{settings}[pip]\n{settings}")
    (project / "pyproject.toml").write_text(
        f'[project]\nname = "x"\nversion = "1"\nrequires-python = "<3"\n[tool.uv]\n{required}'
    )
    pip = f"[global]\nindex-url = {address}\nfind-links = wheels\n[install]\ntarget = stolen\n"
    (project / "pip.conf").write_text(pip)
    (project / "pip.ini").write_text(pip)
    (project / "setup.cfg").write_text(f"[easy_install]\nindex_url = {address}\n")
    (project / ".python-version").write_text("2.7\n")
    (project / ".venv/bin").mkdir(parents=True)
    (project / ".venv/pyvenv.cfg").write_text("home = /nowhere\n")
    program(project / ".venv/bin/python", f"touch '{canary}'; exit 1")
    (project / "constraints.txt").write_text("msgpack==0.0.1\n")
    (project / "requirements.txt").write_text("evil\n")
    for module in ("sitecustomize", "usercustomize", "venv", "ensurepip", "tomllib", "msgpack"):
        (project / f"{module}.py").write_text(touch)
    (project / "pip").mkdir()
    for file in ("__init__.py", "__main__.py"):
        (project / "pip" / file).write_text(touch)
    for name in ("python3", "python3.11", "python3.12", "uv", "git", "claude"):
        program(project / name, f"touch '{canary}'; exit 1")
    return project


def pins() -> list[tuple[str, str]]:
    lines = LOCK.read_text().splitlines()
    names = [line.split(" ")[0].split("==") for line in lines if line[:1].isalpha()]
    return [(name.replace("-", "_"), version) for name, version in names]


@pytest.fixture
async def start_neovim(hostile: Path, tmp_path: Path) -> AsyncIterator[StartNeovim]:
    """Start Neovim in the hostile project, or below it, with an installer and a PATH."""
    async with AsyncExitStack() as running:

        async def start(installer: str, path: str = "{}", folder: str = "") -> Neovim:
            found = tools(tmp_path / "bin", with_uv=installer == "uv")
            (hostile / folder).mkdir(exist_ok=True)
            neovim = await Neovim.start(
                *["--cmd", "unlet g:claude_ide"],
                cwd=hostile / folder,
                home=tmp_path / "home",
                env={"PATH": path.format(found)},
            )
            running.push_async_callback(neovim.stop)
            await neovim.command(f"let $PYTHONPATH = '{hostile}'")
            return neovim

        yield start


@pytest.fixture
def user(tmp_path: Path) -> Path:
    """The user's own settings, which name the package source."""
    config = tmp_path / "home/config"
    uv_settings(config / "uv/uv.toml", wheels())
    pip_settings(config / "pip/pip.conf", wheels())
    return config


async def result(nvim: Neovim) -> str:
    """Run `:ClaudeInstall` and return its final message."""
    await nvim.command("ClaudeInstall")

    async def last() -> str:
        lines = str(await nvim.lua("return vim.fn.execute('messages')")).strip().splitlines()
        return next((line for line in lines if line.startswith("claude-ide: ")), "")

    return str(await until(last, "the end of the installation", MINUTE))


def installed(tmp_path: Path) -> list[tuple[str, str]]:
    """The packages in the environment, except for pip and setuptools."""
    found = tmp_path.glob("home/data/nvim/claude_ide/venv/lib/python3*/site-packages/*.dist-info")
    packages = [path.stem.split("-") for path in found]
    return sorted(
        (name, version) for name, version in packages if name not in ("pip", "setuptools")
    )


@pytest.mark.usefixtures("user")
@pytest.mark.parametrize("folder", ["", "below"], ids=["in it", "below it"])
@pytest.mark.parametrize("installer", INSTALLERS)
async def test_files_in_the_folder_do_not_affect_the_installation(
    start_neovim: StartNeovim,
    index: tuple[str, list[bytes]],
    canary: Path,
    tmp_path: Path,
    installer: str,
    folder: str,
) -> None:
    nvim = await start_neovim(installer, folder=folder)

    assert await result(nvim) == READY

    needed = [pin for pin in pins() if pin[0] != "typing_extensions" or sys.version_info < (3, 12)]
    assert installed(tmp_path) == sorted(needed)
    assert index[1] == []
    assert not canary.exists()
    await nvim.command("ClaudeStart")
    await until(
        lambda: nvim.lua("return vim.fn.execute('messages'):find('ready (', 1, true) ~= nil")
    )
    assert not canary.exists()


@pytest.mark.usefixtures("user")
@pytest.mark.parametrize("path", [".:{}", ":{}"])
async def test_programs_in_the_folder_are_not_run_even_if_path_contains_it(
    start_neovim: StartNeovim, canary: Path, path: str
) -> None:
    nvim = await start_neovim("pip", path)

    assert await result(nvim) == READY
    assert await nvim.lua("return require('claude_ide.system.program').find('claude')") is None
    assert not canary.exists()


@pytest.mark.usefixtures("user")
async def test_variables_that_name_the_folder_have_no_effect(
    start_neovim: StartNeovim, hostile: Path, tmp_path: Path
) -> None:
    nvim = await start_neovim("uv")
    for name in ("UV_PROJECT", "UV_WORKING_DIR", "UV_PYTHON", "VIRTUAL_ENV"):
        await nvim.command(f"let ${name} = '{hostile}'")

    assert await result(nvim) == READY


@pytest.mark.parametrize("installer", INSTALLERS)
async def test_the_settings_of_the_user_are_respected(
    start_neovim: StartNeovim, user: Path, tmp_path: Path, installer: str
) -> None:
    (tmp_path / "empty").mkdir()
    uv_settings(user / "uv/uv.toml", tmp_path / "empty")
    pip_settings(user / "pip/pip.conf", tmp_path / "empty")
    nvim = await start_neovim(installer)
    await nvim.command("set columns=200")

    reason = {"uv": "No solution found", "pip": "No matching distribution found"}[installer]
    assert reason in await result(nvim)


@pytest.mark.parametrize("installer", INSTALLERS)
async def test_the_environment_variables_of_the_user_are_respected(
    start_neovim: StartNeovim, index: tuple[str, list[bytes]], installer: str
) -> None:
    nvim = await start_neovim(installer)
    for name in ("PIP_INDEX_URL", "UV_INDEX_URL"):
        await nvim.command(f"let ${name} = '{index[0]}'")
    await nvim.command("let $PIP_RETRIES = 0 | let $UV_HTTP_RETRIES = 0 | let $PIP_NO_INDEX = 0")

    assert "Cannot install" in await result(nvim)
    assert any(b"GET /simple/" in request for request in index[1])


@pytest.mark.usefixtures("user")
@pytest.mark.parametrize("installer", INSTALLERS)
async def test_a_forged_package_is_rejected(
    start_neovim: StartNeovim, user: Path, hostile: Path, canary: Path, installer: str
) -> None:
    """Even an index that the user trusts cannot replace the pinned files."""
    uv_settings(user / "uv/uv.toml", hostile / "wheels")
    pip_settings(user / "pip/pip.conf", hostile / "wheels")
    nvim = await start_neovim(installer)

    assert "has the wrong hash" in await result(nvim)
    assert not canary.exists()
