"""`job_end.vim`: a job is done when it has exited and its output is read."""

import os
from pathlib import Path

import pytest

from support.neovim import until
from support.vim import Vim


@pytest.fixture
def fifo(tmp_path: Path) -> Path:
    """What the command of the job waits for."""
    path = tmp_path / "fifo"
    os.mkfifo(path)
    return path


async def start(vim: Vim, command: str) -> None:
    """Run a command, and collect its output and exit code in `g:heard`."""
    options = (
        "extend({'in_io': 'null', 'out_cb': {_, line -> add(g:heard, line)}},"
        " claude_ide#system#job_end#Callbacks({_, code -> add(g:heard, code)}))"
    )
    await vim.command(
        f"let g:heard = [] | let g:job = job_start({['sh', '-c', command]}, {options})"
    )


async def test_a_job_is_done_after_the_last_line_of_its_output(vim: Vim, fifo: Path) -> None:
    await start(vim, f"(read line < '{fifo}'; echo $line) & exit 3")
    await until(lambda: vim.eval("job_status(g:job) ==# 'dead'"), "its exit")
    assert await vim.eval("g:heard") == []

    fifo.write_text("late\n")

    await until(lambda: vim.eval("g:heard == ['late', 3]"), "its end")


async def test_a_job_is_not_done_before_its_exit(vim: Vim, fifo: Path) -> None:
    await start(vim, f"exec >&- 2>&-; read line < '{fifo}'; exit 3")
    await until(lambda: vim.eval("ch_status(g:job) ==# 'closed'"), "the end of its output")
    assert await vim.eval("g:heard") == []

    fifo.write_text("go\n")

    await until(lambda: vim.eval("g:heard == [3]"), "its end")
