"""However Vim or its host ends, with a diff open: what the client hears, and what remains."""

import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from support.claude_code import ClaudeCode, locks, the_lock
from support.neovim import until
from support.processes import alive, at_rest
from support.vim import Vim
from support.vim_diffs import BUFFERS, answer, propose

End = Callable[[Vim], Awaitable[None]]


def typed(keys: str) -> End:
    async def end(vim: Vim) -> None:
        await vim.keys(keys)

    return end


def killed(number: signal.Signals) -> End:
    async def end(vim: Vim) -> None:
        await at_rest(vim.process.pid)
        os.kill(vim.process.pid, number)

    return end


async def hung_up(vim: Vim) -> None:
    await at_rest(vim.process.pid)
    vim.screen.hang_up()


ORDERLY = {"qa!": typed(":qa!<CR>"), "cquit": typed(":cquit<CR>")}
SUDDEN = {
    "SIGTERM": killed(signal.SIGTERM),
    "SIGHUP": killed(signal.SIGHUP),
    "SIGKILL": killed(signal.SIGKILL),
    "pty closed": hung_up,
}


@pytest.mark.parametrize("way", [*ORDERLY, *SUDDEN])
async def test_nothing_remains_of_a_vim_that_ends_with_a_diff_open(
    vim: Vim, vim_client: ClaudeCode, config_folder: Path, project: Path, way: str
) -> None:
    _, lock = await the_lock(config_folder)
    asked = await propose(vim, vim_client, project / "a.txt", "new\n")

    await (ORDERLY | SUDDEN)[way](vim)

    await until(lambda: not locks(config_folder), "the lock is gone")
    await until(lambda: not alive(lock["hostPid"]), "the host has ended")
    await until(lambda: not alive(vim.process.pid), "Vim has ended")
    await until(lambda: vim_client.connection.close_code == 1001, "closed as going away")
    assert not (project / "a.txt").exists()
    if way in ORDERLY:
        assert (await answer(asked))[0] == "DIFF_REJECTED"
    else:
        await until(lambda: asked.done(), "the request is over")
        assert asked.exception() or asked.result()["content"][0]["text"] == "DIFF_REJECTED"


async def test_a_terminated_host_takes_lock_and_diff_away(
    vim: Vim, vim_client: ClaudeCode, config_folder: Path, project: Path
) -> None:
    _, lock = await the_lock(config_folder)
    await propose(vim, vim_client, project / "a.txt", "new\n")

    os.kill(lock["hostPid"], signal.SIGTERM)

    await until(lambda: not locks(config_folder), "the lock is gone")
    await until(lambda: not alive(lock["hostPid"]), "the host has ended")
    await until(lambda: vim_client.connection.close_code == 1001, "closed as going away")
    await until(lambda: vim.eval(f"{BUFFERS} == 0 && tabpagenr('$') == 1"), "the diff is closed")
    assert await vim.eval("[mode(1), claude_ide#host#Server()]") == ["n", {}]


async def test_a_killed_host_takes_its_diff_away(
    vim: Vim, vim_client: ClaudeCode, config_folder: Path, project: Path
) -> None:
    _, lock = await the_lock(config_folder)
    await propose(vim, vim_client, project / "a.txt", "new\n")
    await vim.keys("omine<Esc>")

    os.kill(lock["hostPid"], signal.SIGKILL)

    await until(lambda: not alive(lock["hostPid"]), "the host has ended")
    await until(lambda: vim_client.connection.close_code == 1006, "the connection is dropped")
    await until(lambda: vim.eval(f"{BUFFERS} == 0 && tabpagenr('$') == 1"), "the diff is closed")
    kept = "getbufinfo()->filter('v:val.name =~# \"claude-kept\"')"
    assert await vim.eval(f"getbufline({kept}[0].bufnr, 1, '$')") == ["new", "mine"]

    def is_back() -> bool:
        found = locks(config_folder)
        return len(found) == 1 and found[0][1]["hostPid"] != lock["hostPid"]

    await until(is_back, "a new host")
