"""Two CLIs in two worktrees: requests, diffs and the status line say whose they are."""

import asyncio
import subprocess
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from claude_ide.hooks import registration
from support.claude_code import claude_code
from support.either_editor import BOTH, Editor, configure, pid_of, status_line
from support.happenings import HookedCli, recorder
from support.neovim import until
from support.permissions import look, shown
from support.session_records import Records

pytestmark = BOTH


@pytest.fixture
def worktrees(tmp_path: Path) -> list[Path]:
    """The main worktree of a repository, and one of a branch."""
    main, feature = tmp_path / "shop", tmp_path / "feature"
    git = ["git", "-C", str(main), "-c", "user.name=a", "-c", "user.email=a@b"]
    main.mkdir()
    for words in ("init -q", "commit -q --allow-empty -m first", f"worktree add -q {feature}"):
        subprocess.run([*git, *words.split()], check=True)
    for root in (main, feature):
        (root / "cart.py").write_text("one\n")
    return [main, feature]


Pair = list[tuple[HookedCli, int]]


@pytest.fixture
async def clis(nvim: Editor, tmp_path: Path, worktrees: list[Path]) -> Pair:
    """A CLI in each worktree, each in a tab page of its own; the user is in a file of the first."""
    program, record = recorder(tmp_path)
    await configure(nvim, cmd=str(program), terminal={"per": "worktree"})
    found: Pair = []
    for number, root in enumerate(worktrees):
        record.unlink(missing_ok=True)
        await nvim.command(f"{'tabnew | ' if number else ''}tcd {root}")
        await nvim.command("Claude")
        cli = await HookedCli.started(record)
        found.append((cli, await pid_of(nvim)))
        await nvim.keys(r"<C-\><C-n>")
        await until(lambda: nvim.eval("mode(1) == 'nt'"), "the user has left Terminal mode")
    await nvim.keys("1gt<C-w>p")
    await until(lambda: nvim.eval("[tabpagenr(), &buftype] == [1, '']"), "the user is in a file")
    return found


@pytest.fixture
async def asked(nvim: Editor, clis: Pair) -> AsyncIterator[list[HookedCli]]:
    """Both CLIs ask for a permission, that of the second worktree first, which is shown."""
    asking: list[asyncio.Task[object]] = []
    for cli, _ in reversed(clis):
        tool = {"tool_name": "Bash", "tool_input": {"command": "make"}}
        work = cli.send("PermissionRequest", **tool, permission_suggestions=[])
        asking.append(asyncio.ensure_future(work))
        await shown(nvim, "make")
    yield [cli for cli, _ in clis]
    for each in asking:
        each.cancel()
    await asyncio.gather(*asking, return_exceptions=True)


async def test_a_permission_is_not_shown_over_the_prompt_of_another_terminal(
    nvim: Editor, asked: list[HookedCli]
) -> None:
    await nvim.keys("<C-w>p")
    await until(lambda: nvim.eval("&buftype == 'terminal' && line('.') == 1"), "the terminal")
    height = await nvim.eval("winheight(0)")

    async def is_above() -> bool:
        return bool((await look(nvim))["last_row"] < height - 1)

    await until(is_above, "it is at the top, wherever the cursor is")


async def test_a_permission_names_the_worktree_that_asks(
    nvim: Editor, asked: list[HookedCli]
) -> None:
    float_ = await shown(nvim, "make")
    assert float_["title"].startswith(" Claude (feature) asks ")

    async def named() -> bool:
        return "Claude (feature, shop): wants you" in await status_line(nvim)

    await until(named, "the status line names both")


async def test_a_diff_names_the_worktree_of_its_cli(
    nvim: Editor, clis: Pair, worktrees: list[Path], config_folder: Path
) -> None:
    path = str(worktrees[1] / "cart.py")
    async with AsyncExitStack() as stack:
        _, client = [
            await stack.enter_async_context(claude_code(config_folder, pid=pid)) for _, pid in clis
        ]
        client.start_call(
            "openDiff",
            {
                "old_file_path": path,
                "new_file_path": path,
                "new_file_contents": "two\n",
                "tab_name": "x",
            },
        )
        await nvim.keys("2gt")

        await until(lambda: "cart.py [feature]" in " ".join(nvim.screen.text().split()))


async def test_the_status_has_the_folder_of_a_client(
    nvim: Editor, clis: Pair, worktrees: list[Path], config_folder: Path
) -> None:
    _, pid = clis[1]
    async with claude_code(config_folder, pid=pid):
        await nvim.command("ClaudeStatus")

        await until(lambda: f"· 2 · {worktrees[1]} · pid {pid}"[:60] in nvim.screen.text())


async def test_one_cli_needs_no_name(nvim: Editor, tmp_path: Path) -> None:
    program, record = recorder(tmp_path)
    await configure(nvim, cmd=str(program))
    await nvim.command("Claude")
    cli = await HookedCli.started(record)
    await nvim.keys(r"<C-\><C-n><C-w>p")
    tool = {"tool_name": "Bash", "tool_input": {"command": "make"}}

    asking = asyncio.ensure_future(cli.send("PermissionRequest", **tool))

    float_ = await shown(nvim, "make")
    assert float_["title"].startswith(" Claude asks ")
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)


async def test_a_permission_gets_the_name_of_its_session_once_that_is_known(
    nvim: Editor, clis: Pair, worktrees: list[Path], config_folder: Path
) -> None:
    cli, pid = clis[1]
    tool = {"tool_name": "Bash", "tool_input": {"command": "make"}}
    asking = asyncio.create_task(cli.send("PermissionRequest", **tool))
    await shown(nvim, "make")

    flags = registration.options(cli.link, {})
    given = {"cwd": str(worktrees[1]), "respawnFlags": flags}
    Records(config_folder).running_job("fish", "waiting", pid, **given)

    async def is_named() -> bool:
        return "Claude (fish) asks" in (await look(nvim))["title"]

    await until(is_named, "the name")
    asking.cancel()
