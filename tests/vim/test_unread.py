"""`unread.vim`: the last lines of a job whose exit Vim has noticed first."""

from support.vim import Vim


async def test_the_lines_that_vim_has_not_read_are_returned_once(vim: Vim) -> None:
    # A script that is running reads no channel, and only asks for the status.
    await vim.call(
        "writefile",
        [
            "let g:heard = []",
            "let s:command = ['sh', '-c', 'echo one; echo; echo two; echo wrong >&2']",
            "let s:options = {'in_io': 'null', 'callback': {_, line -> add(g:heard, line)}}",
            "let s:job = job_start(s:command, s:options)",
            "while job_status(s:job) ==# 'run'",
            "endwhile",
            "let s:handle = job_getchannel(s:job)",
            "for s:part in ['out', 'err', 'out']",
            "  call add(g:heard, claude_ide#system#program#Unread(s:handle, s:part))",
            "endfor",
        ],
        "look.vim",
    )

    await vim.command("source look.vim")

    assert await vim.eval("g:heard") == [["one", "two"], ["wrong"], []]
