"""Fixtures for the tests with the real Claude CLI; without a CLI these tests are skipped."""

import contextlib
import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from support.claude_cli import CARET, ClaudeCli, cli_path, environment, older_cli_path, settle_in
from support.claude_code import locks
from support.either_editor import Editor, configure, edit, happened, record_diffs, start_editor
from support.fake_api import FakeApi
from support.neovim import ROOT, until

StartClaude = Callable[..., Awaitable[ClaudeCli]]
StartWithCli = Callable[..., Awaitable[Editor]]
HERE = Path(__file__).parent
PRESSES = 5


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("cli")


@pytest.fixture(scope="session")
def cli() -> Path:
    """The CLI's path; without a CLI the test is skipped, or fails if `CLAUDE_IDE_REQUIRE_CLI=1`."""
    return required(cli_path())


VERSIONS = ["newer", "older"] if os.environ.get("CLAUDE_IDE_TEST_OLDER_CLI") == "1" else ["newer"]


@pytest.fixture(params=VERSIONS)
def each_cli(request: pytest.FixtureRequest) -> Path:
    """Each of the two versions of the CLI in `make real`, otherwise the newer one."""
    return required(cli_path() if request.param == "newer" else older_cli_path())


@pytest.fixture
async def api(cli: Path) -> AsyncIterator[FakeApi]:
    """The stand-in for the model."""
    async with FakeApi.serve() as api:
        yield api


@pytest.fixture
def config_folder(config_folder: Path, project: Path, tmp_path: Path) -> Path:
    """The configuration of a user who has answered the CLI's first questions."""
    settle_in(tmp_path / "home", config_folder, tmp_path, project)
    return config_folder


@pytest.fixture
async def start_claude(
    api: FakeApi, project: Path, tmp_path: Path, config_folder: Path
) -> AsyncIterator[StartClaude]:
    """Start CLIs in `project` (or another `cwd`); they end with the test."""
    async with AsyncExitStack() as running:

        async def start(
            *arguments: str,
            cwd: Path = project,
            ide_port: int | None = None,
            program: Path | None = None,
        ) -> ClaudeCli:
            claude = await ClaudeCli.launch(
                *arguments,
                api=api,
                cwd=cwd,
                home=tmp_path / "home",
                config=config_folder,
                ide_port=ide_port,
                program=program,
            )
            running.push_async_callback(claude.stop)
            return claude

        yield start


@pytest.fixture
def path(project: Path) -> Path:
    """A file of two lines, which Neovim shows when it starts the server."""
    file = project / "a.py"
    file.write_text("one\ntwo\n")
    return file


@pytest.fixture
async def ide_port(cli: Path, nvim: Editor, config_folder: Path, path: Path) -> int:
    """The port of the server in `nvim`, which shows `path`."""
    return await serve(nvim, config_folder, path)


@pytest.fixture
async def claude(start_claude: StartClaude, each_cli: Path, ide_port: int) -> ClaudeCli:
    """A CLI of each version that asks before it edits, connected to `nvim`."""
    claude = await start_claude(
        *("--permission-mode", "default"), ide_port=ide_port, program=each_cli
    )
    await claude.shows("⧉ In a.py")
    return claude


@pytest.fixture
def options() -> dict[str, Any]:
    """The options of `nvim_with_cli`, in addition to `cmd`."""
    return {}


@pytest.fixture
async def start_with_cli(
    api: FakeApi, project: Path, tmp_path: Path, config_folder: Path
) -> AsyncIterator[StartWithCli]:
    """Start the editor of a fixture, whose CLIs use the stand-in for the model.

    It shows `path`, and serves, if there is one. `more` is added to the environment, but nothing
    that is empty.
    """
    async with AsyncExitStack() as running:

        async def start(
            request: pytest.FixtureRequest,
            *words: str | Path,
            path: Path | None = None,
            columns: int = 160,
            more: Mapping[str, str] | None = None,
            **options: Any,
        ) -> Editor:
            home = tmp_path / "home"
            given = environment(api, home, config_folder) | {"PATH": ""} | dict(more or {})
            size = {"columns": columns, "rows": 40}
            kept = {name: value for name, value in given.items() if value}
            editor = await start_editor(request, cwd=project, home=home, env=kept, **size)
            running.push_async_callback(editor.stop)
            if words:
                await configure(editor, cmd=[*map(str, words)], **options)
            if path is not None:
                await serve(editor, config_folder, path)
            return editor

        yield start


@pytest.fixture
async def nvim_with_cli(
    request: pytest.FixtureRequest,
    start_with_cli: StartWithCli,
    each_cli: Path,
    path: Path,
    options: dict[str, Any],
) -> Editor:
    """A Neovim that shows `path`, or for `BOTH_WITH_CLI` a Vim."""
    return await start_with_cli(request, each_cli, path=path, **options)


async def begin(nvim: Editor, mode: str) -> None:
    """Open a CLI in a terminal, in this mode."""
    await nvim.keys(f":Claude --permission-mode {mode}<CR>")
    await until(lambda: CARET in nvim.screen.text(), "the prompt box")
    await until(lambda: "⧉ In a.py" in nvim.screen.text(), "the CLI is connected")


def in_new_file(cli: Path, text: bytes) -> bytes:
    """Return what a CLI writes to a new or empty file: 2.1.197 drops the last newline."""
    return text.removesuffix(b"\n") if cli == older_cli_path() else text


def required(path: Path) -> Path:
    """Return the path of a CLI; if there is none, skip the test or fail."""
    if not os.access(path, os.X_OK):
        reason = _without(path)
        if os.environ.get("CLAUDE_IDE_REQUIRE_CLI") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return path


def _without(path: Path) -> str:
    if ROOT not in path.parents:
        return f"no Claude CLI at {path}"
    if shutil.which("npm") is None:
        return "no Claude CLI: install npm, then run `make unit`, or `make real` for the older one"
    log = Path(*path.relative_to(ROOT).parts[:2]) / "install.log"
    return f"no Claude CLI: `make` could not install it ({log})"


async def serve(nvim: Editor, config_folder: Path, path: Path) -> int:
    """Start the server in `nvim`, which shows `path`; return the server's port."""
    await record_diffs(nvim)
    await edit(nvim, path)
    await nvim.command("ClaudeStart")
    port: int = await until(lambda: port_of(nvim, config_folder), "a lock file")
    return port


def port_of(nvim: Editor, config_folder: Path) -> int | None:
    """Return the port in the lock file with the pid of `nvim`."""
    ports = [port for port, lock in locks(config_folder) if lock["pid"] == nvim.process.pid]
    return ports[0] if ports else None


async def diff_opened(nvim: Editor, count: int = 1) -> None:
    """Wait until `nvim` has shown `count` diffs and the last one accepts keys."""

    async def is_open() -> bool:
        return await happened(nvim, "ClaudeDiffOpened") >= count

    await until(is_open, f"diff {count} is open")


async def accept_in_the_terminal(nvim: Editor, path: Path, key: str = "<CR>") -> None:
    """Press `key` in the CLI's dialog until it accepts: it ignores keys while it opens."""
    await until(lambda: "1. Yes" in nvim.screen.text(), "the dialog")
    before = path.read_text()
    for _ in range(PRESSES):
        await nvim.keys(key)
        with contextlib.suppress(AssertionError):
            await until(lambda: path.read_text() != before, "the edit is written", 3.0)
            return
    raise AssertionError(f"the dialog stays:\n{nvim.screen.text()}")


async def diffs_closed(nvim: Editor) -> None:
    """Wait until `nvim` has closed all diffs; fail if a window or a tabpage remains."""

    async def are_closed() -> bool:
        opened = await happened(nvim, "ClaudeDiffOpened")
        return await happened(nvim, "ClaudeDiffClosed") == opened

    await until(are_closed, "the diffs are closed")
    assert await nvim.eval("tabpagenr('$')") == 1
    assert await nvim.eval("winnr('$')") == 1
