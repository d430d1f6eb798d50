"""Fixtures shared by every test: a real Neovim in a project folder, serving, with a client."""

import itertools
import os
from collections import Counter
from collections.abc import AsyncIterator, Generator, Iterator
from operator import itemgetter
from pathlib import Path

import hypothesis
import pytest

from support import frame_log
from support.acp.script import Fake, Make, Script
from support.claude_code import ClaudeCode, claude_code, the_lock
from support.either_editor import Editor, is_serving, start_editor
from support.neovim import nvim_binary, nvim_version, until
from support.vim import vim_binary, vim_version

# The duration of an example means nothing on a busy machine.
hypothesis.settings.register_profile(
    "busy", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("busy")


def pytest_configure() -> None:
    """Stop before the first test if there is no Neovim to test."""
    try:
        nvim_version()
    except OSError as reason:
        raise pytest.UsageError(str(reason)) from None


def pytest_report_header() -> list[str]:
    """Name the Neovim and the Vim under test."""
    try:
        vim = f"{vim_version()} ({vim_binary()})"
    except OSError as reason:
        vim = str(reason)
    return [f"neovim: {nvim_version()} ({nvim_binary()})", f"vim: {vim}"]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Count the skipped tests by reason: a list of them all would hide that one reason."""
    skipped = terminalreporter.getreports("skipped")
    reasons = Counter(str(report.longrepr[2]).removeprefix("Skipped: ") for report in skipped)
    for reason, count in sorted(reasons.items()):
        terminalreporter.write_line(f"SKIPPED [{count}] {reason}")


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Generator[None]:
    """Mark the tests that start a Neovim or a Vim, which `make quick` omits; order what is left."""
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        if "vim_program" in fixtures or _in_vim(item):
            item.add_marker("vim")
        elif "nvim" in fixtures:
            item.add_marker("neovim")
    yield
    if hasattr(config, "workerinput"):
        items[:] = _spread(items)


def _spread(items: list[pytest.Item]) -> list[pytest.Item]:
    """Return the tests with the modules that use the CLI evenly among the others.

    Each CLI occupies more than one core, and each worker begins with a part of the list: without
    this some workers would have nothing but CLIs, and would all run them at the end.
    """
    modules = [list(tests) for _, tests in itertools.groupby(items, lambda item: item.path)]
    places: list[tuple[float, list[pytest.Item]]] = []
    for uses_cli in (True, False):
        alike = [m for m in modules if bool(m[0].get_closest_marker("cli")) is uses_cli]
        ends = list(itertools.accumulate(map(len, alike)))
        middles = [(end - len(m) / 2) / ends[-1] for m, end in zip(alike, ends, strict=True)]
        places += zip(middles, alike, strict=True)
    return [item for _, module in sorted(places, key=itemgetter(0)) for item in module]


def _in_vim(item: pytest.Item) -> bool:
    callspec = getattr(item, "callspec", None)
    editors = ("nvim", "nvim_with_cli")
    return callspec is not None and "vim" in map(callspec.params.get, editors)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The empty working folder of the Neovim under test."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
async def nvim(
    request: pytest.FixtureRequest, project: Path, tmp_path: Path
) -> AsyncIterator[Editor]:
    """A real Neovim with a UI, in `project`, killed when the test ends; for `BOTH` also a Vim."""
    editor = await start_editor(request, cwd=project, home=tmp_path / "home")
    yield editor
    await editor.stop()


@pytest.fixture(scope="session")
def vim_program() -> str:
    """Vim's path; without a fit one the test is skipped, or fails if `CLAUDE_IDE_REQUIRE_VIM=1`."""
    try:
        vim_version()
    except OSError as reason:
        if os.environ.get("CLAUDE_IDE_REQUIRE_VIM") == "1":
            pytest.fail(str(reason))
        pytest.skip(str(reason))
    return vim_binary()


@pytest.fixture
def fake_agent(tmp_path: Path) -> Iterator[Make]:
    """Write scripts for fake agents. Afterwards each frame that they received must be valid."""
    made: list[Fake] = []

    def make(script: Script | None = None) -> Fake:
        made.append((script or Script()).write(tmp_path, f"agent{len(made)}"))
        return made[-1]

    yield make
    # Few tests need the schema, and it takes long to import.
    from support.acp.schema import faults

    for agent in made:
        assert not faults(frame_log.read(agent.log))


@pytest.fixture
def config_folder(tmp_path: Path) -> Path:
    """The folder in place of `~/.claude`: `CLAUDE_CONFIG_DIR` of the Neovim under test."""
    return tmp_path / "home" / "claude"


@pytest.fixture
async def serving(nvim: Editor, config_folder: Path) -> Editor:
    """A Neovim (for `BOTH` also a Vim) whose server accepts clients."""
    await nvim.command("ClaudeStart!")
    await the_lock(config_folder)
    await until(lambda: is_serving(nvim), "listening")
    return nvim


@pytest.fixture
async def claude(serving: Editor, config_folder: Path) -> AsyncIterator[ClaudeCode]:
    """A client that has connected and initialized the session."""
    async with claude_code(config_folder) as client:
        yield client
