"""A CLI in a pane of tmux outlives its editor, and the next editor takes it over."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from support.either_editor import BOTH, Editor, configure, on_screen
from support.happenings import HookedCli, follow, recorder, the
from support.neovim import until
from support.permissions import decision, entered
from support.tmux import Tmux, needs_tmux, tmux_around

pytestmark = [BOTH, needs_tmux]

FOUND = "Claude found: type /ide in pane %"
SIDE = {"side": "tmux", "size": 0.4}

Next = Callable[..., Awaitable[Editor]]


@pytest.fixture
async def tmux(nvim: Editor, tmp_path: Path) -> AsyncIterator[Tmux]:
    """A tmux in whose first pane the editors seem to run."""
    async with tmux_around(nvim, tmp_path) as run_tmux:
        yield run_tmux


@pytest.fixture
async def cli(nvim: Editor, tmux: Tmux, tmp_path: Path) -> HookedCli:
    """A CLI in a pane."""
    program, record = recorder(tmp_path)
    await configure(nvim, cmd=str(program), terminal=SIDE)
    await nvim.command("Claude")
    return await HookedCli.started(record)


@pytest.fixture
async def follower(nvim: Editor, project: Path, tmp_path: Path) -> AsyncIterator[Next]:
    """Kill the editor, and start the next one in `project` or another folder."""
    async with AsyncExitStack() as running:

        async def follow_up(folder: Path = project) -> Editor:
            given = {name: await nvim.eval(f"${name}") for name in ("TMUX", "TMUX_PANE")}
            cmd = await nvim.eval("g:claude_ide.cmd")
            await nvim.stop()
            editor = await type(nvim).start(cwd=folder, home=tmp_path / "home", env=given)
            running.push_async_callback(editor.stop)
            await configure(editor, cmd=cmd, terminal=SIDE)
            await follow(editor)
            return editor

        yield follow_up


async def test_a_command_in_the_name_of_a_folder_is_not_run(
    nvim: Editor, tmux: Tmux, project: Path, tmp_path: Path
) -> None:
    folder = project / "%H #S #[x] ##y#(touch ran)"
    folder.mkdir()
    await nvim.call("chdir", str(folder))
    program, record = recorder(tmp_path)
    await configure(nvim, cmd=str(program), terminal=SIDE)

    await nvim.command("Claude")
    await HookedCli.started(record)

    paths = await tmux("list-panes", "-a", "-F", "#{pane_current_path}")
    assert str(folder) in paths.splitlines()
    assert not [*tmp_path.rglob("ran")]


async def panes(tmux: Tmux) -> int:
    """Return how many panes there are, one of which is the editor's."""
    return len((await tmux("list-panes", "-a", "-F", "#{pane_id}")).splitlines())


async def active(tmux: Tmux) -> str:
    """Return the index of the pane in which the user is."""
    return await tmux("display-message", "-p", "#{pane_index}")


async def test_without_an_editor_its_hooks_are_silent_and_quick(
    nvim: Editor, cli: HookedCli
) -> None:
    await nvim.stop()

    async with asyncio.timeout(10):
        for event in ("UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"):
            assert await cli.send(event, tool_name="Bash") == b""


async def test_the_next_editor_goes_there_and_gets_its_reports(
    cli: HookedCli, follower: Next, tmux: Tmux
) -> None:
    editor = await follower()
    await tmux("select-pane", "-t", ":0.0")

    await editor.command("Claude")

    async def is_there() -> bool:
        return await active(tmux) == "1"

    await until(is_there, "the user is in the pane")
    assert await panes(tmux) == 2
    await on_screen(editor, FOUND)
    await cli.send("UserPromptSubmit", prompt="are you there?")
    assert (await the(editor, "ClaudePrompt"))["prompt"] == "are you there?"

    await editor.command("Claude")

    async def is_hidden() -> bool:
        return await tmux("list-panes", "-F", "#{pane_index}") == "0"

    await until(is_hidden, "the pane is hidden, as usual")


async def test_it_is_found_when_the_server_starts(
    cli: HookedCli, follower: Next, tmux: Tmux
) -> None:
    editor = await follower()

    await editor.command("ClaudeStart!")

    await on_screen(editor, FOUND)
    await cli.send("UserPromptSubmit", prompt="swim")
    await the(editor, "ClaudePrompt")
    assert await active(tmux) == "1", "the user's pane stays as it is"


async def test_a_permission_that_waits_is_asked_by_the_next_editor(
    cli: HookedCli, follower: Next
) -> None:
    editor = await follower()
    tool = {"tool_name": "Bash", "tool_input": {"command": "mkdir a"}}
    asked = asyncio.ensure_future(cli.send("PermissionRequest", **tool))
    later = asyncio.ensure_future(cli.send("PermissionRequest", **tool, agent_id="sub"))
    await until(lambda: len(waiting(cli)) == 2, "the hooks wait")
    later.cancel()

    await editor.command("ClaudeStart!")
    await entered(editor, "mkdir a")
    await editor.keys("y")

    assert await decision(asked) == {"behavior": "allow"}
    await asyncio.gather(later, return_exceptions=True)


async def test_a_permission_that_was_answered_meanwhile_is_not(
    cli: HookedCli, follower: Next
) -> None:
    await follower()
    tool = {"tool_name": "Bash", "tool_input": {"command": "mkdir a"}}
    asked = asyncio.ensure_future(cli.send("PermissionRequest", **tool))
    await until(lambda: waiting(cli), "the hook waits")

    await cli.send("PostToolUse", **tool)

    assert await decision(asked) == {}
    assert not waiting(cli)


async def test_a_cli_of_another_project_stays_where_it_is(
    cli: HookedCli, follower: Next, tmux: Tmux, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    editor = await follower(other)

    await editor.command("Claude")

    async def has_its_own() -> bool:
        return await panes(tmux) == 3

    await until(has_its_own, "another CLI")
    assert await cli.send("UserPromptSubmit", prompt="swim") == b""
    assert FOUND not in editor.screen.text()


async def test_the_cli_of_an_editor_that_runs_is_left_to_it(
    nvim: Editor, cli: HookedCli, tmux: Tmux, project: Path, tmp_path: Path
) -> None:
    given = {name: await nvim.eval(f"${name}") for name in ("TMUX", "TMUX_PANE")}
    other = await type(nvim).start(cwd=project, home=tmp_path / "home", env=given)
    try:
        await configure(other, cmd=await nvim.eval("g:claude_ide.cmd"), terminal=SIDE)
        await other.command("Claude")

        async def has_its_own() -> bool:
            return await panes(tmux) == 3

        await until(has_its_own, "another CLI")
        await follow(nvim)
        await cli.send("UserPromptSubmit", prompt="swim")
        await the(nvim, "ClaudePrompt")
    finally:
        await other.stop()


def waiting(cli: HookedCli) -> list[Path]:
    """Return the marks of hooks that wait for an editor."""
    return [*cli.link.parent.glob(f"{cli.link.name}.*")]
