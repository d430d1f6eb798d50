"""What tests that run in Neovim and in Vim ask of either; `BOTH` has them run in both."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from support.neovim import WAIT_SECONDS, Neovim, until
from support.vim import Vim

Editor = Neovim | Vim

BOTH = pytest.mark.parametrize("nvim", ["neovim", "vim"], indirect=True)
"""The fixture `nvim`, and those built on it, are a Neovim first and then a Vim."""

BOTH_WITH_CLI = pytest.mark.parametrize("nvim_with_cli", ["neovim", "vim"], indirect=True)
"""As `BOTH`, for CLIs in the editor's terminal."""


async def start_editor(request: pytest.FixtureRequest, *arguments: str, **how: Any) -> Editor:
    """Start the Neovim of a fixture, or for `BOTH` its Vim; the arguments are those of either."""
    if getattr(request, "param", "neovim") == "vim":
        request.getfixturevalue("vim_program")
        return await Vim.start(*arguments, **how)
    return await Neovim.start(*arguments, **how)


RECORD = "autocmd User ClaudeDiff* let g:happened = get(g:, 'happened', []) + [expand('<amatch>')]"


async def run(editor: Editor, function: str, *arguments: Any) -> Any:
    """Call a function of the plugin by its Lua name (`messages.log.path`), or of Vim script."""
    if "." not in function:
        return await editor.call(function, *arguments)
    module, _, name = function.rpartition(".")
    if isinstance(editor, Vim):
        camel = "".join(map(str.capitalize, name.split("_")))
        return await editor.call(f"claude_ide#{module.replace('.', '#')}#{camel}", *arguments)
    return await editor.lua(f"return require('claude_ide.{module}').{name}(...)", *arguments)


async def type_prompt(editor: Editor, words: str) -> None:
    """Have words, in which no brace is a placeholder's, typed into a CLI's terminal, and sent."""
    await editor.call("claude_ide#send", words.replace("{", "{{"), {"submit": True})


async def is_serving(editor: Editor) -> bool:
    """Return whether the editor knows that its server accepts clients."""
    return bool(await run(editor, "host.server"))


async def has_host(editor: Editor) -> bool:
    """Return whether a host is running, whether or not it serves."""
    if isinstance(editor, Vim):
        return bool(await editor.eval("claude_ide#channel#IsOpen()"))
    return bool(await editor.lua("return require('claude_ide.channel').id ~= nil"))


def jobs(condition: str) -> str:
    """Return the expression for the process IDs of Vim's running jobs whose `info` meets it."""
    return (
        "map(job_info(), {_, job -> job_info(job)})"
        f"->filter({{_, info -> info.status ==# 'run' && {condition}}})"
        "->map({_, info -> info.process})"
    )


HOSTS = jobs("index(info.cmd, '--vim') >= 0")
"""The process IDs of the hosts that Vim runs."""


async def host_pids(editor: Editor) -> list[int]:
    """Return the process ID of the host; nothing while there is none."""
    if isinstance(editor, Vim):
        return [int(pid) for pid in await editor.eval(HOSTS)]
    found, pid = await editor.lua(
        "return { pcall(vim.fn.jobpid, require('claude_ide.channel').id or -1) }"
    )
    return [int(pid)] if found else []


async def host_pid(editor: Editor) -> int:
    """Return the process ID of the host."""
    return (await host_pids(editor))[0]


async def holds_port(editor: Editor, port: int) -> bool:
    """Return whether the server's port is kept for the next host."""
    return bool(await run(editor, "host.port_hold.port") == port)


async def release_port(editor: Editor) -> None:
    """Free the reserved port."""
    if isinstance(editor, Vim):
        await editor.command("call claude_ide#host#port_hold#Release()")
    else:
        await editor.lua("require('claude_ide.host.port_hold').release()")


async def on_screen(editor: Editor, words: str, seconds: float = WAIT_SECONDS) -> None:
    """Wait until words are on the screen; a failure includes the screen."""
    try:
        await until(lambda: words in editor.screen.text(), f"{words!r} on the screen", seconds)
    except AssertionError as error:
        error.add_note(f"screen:\n{editor.screen.text()}")
        raise


async def hidden(editor: Editor, words: str) -> None:
    """Wait until words have left the screen."""
    await until(lambda: words not in editor.screen.text(), f"{words!r} not on the screen")


async def diffs(editor: Editor) -> list[dict[str, Any]]:
    """Return the `path` of each open diff, and whether it is `shown` yet."""
    return list(await run(editor, "diff.list"))


async def shows_a_diff(editor: Editor) -> bool:
    """Return whether the first open diff is shown."""
    return any(diff.get("shown") for diff in (await diffs(editor))[:1])


async def configure(editor: Editor, **options: Any) -> None:
    """Set options."""
    given = json.dumps(options).replace("'", "''")
    await editor.command(f"let g:claude_ide = extend(g:claude_ide, json_decode('{given}'))")


async def status_line(editor: Editor) -> str:
    """Return the text for the status line."""
    if isinstance(editor, Vim):
        return str(await editor.eval("claude_ide#statusline()"))
    return str(await editor.lua("return require('claude_ide').statusline()"))


def name_of(editor: Editor) -> str:
    """Return what messages call the editor."""
    return "Vim" if isinstance(editor, Vim) else "Neovim"


async def open_terminal(editor: Editor, split: str = "enew", command: str = "cat") -> None:
    """Run a program in a terminal, in the window that the Ex command `split` makes."""
    here = " ++curwin" if isinstance(editor, Vim) else ""
    await editor.command(f"{split} | terminal{here} {command}")


async def pid_of(editor: Editor) -> int:
    """Return the process id of the program in the terminal of the current window."""
    is_vim = isinstance(editor, Vim)
    pid = "job_info(term_getjob(bufnr())).process" if is_vim else "b:terminal_job_pid"
    return int(await editor.eval(pid))


async def type_into(editor: Editor, terminal: int, keys: str) -> None:
    """Send keys to the program in a terminal, which may be hidden."""
    if isinstance(editor, Vim):
        await editor.call("term_sendkeys", terminal, keys)
    else:
        await editor.lua("vim.fn.chansend(vim.bo[...].channel, ({ ... })[2])", terminal, keys)


async def set_size(editor: Editor, columns: int, rows: int) -> None:
    """Change the size of the screen."""
    if isinstance(editor, Vim):
        editor.resize(columns, rows)
    else:
        await editor.command(f"set columns={columns} lines={rows}")


GUARDS = "len(filter(popup_list(), {_, id -> popup_getoptions(id).zindex == 32000}))"
"""How many popups in Vim discard keys that were typed blindly."""


GUARD_SECONDS = 0.25
"""How long a question that Neovim shows accepts no keys."""


async def noticed(editor: Editor) -> None:
    """Wait until the question on the screen accepts keys.

    At a prompt of Neovim's own, neither a timer nor a call would say so.
    """
    if isinstance(editor, Vim):
        await until(lambda: editor.eval(f"!{GUARDS}"), "the question accepts keys")
    else:
        await asyncio.sleep(GUARD_SECONDS)


async def choose(editor: Editor, number: int) -> None:
    """Answer the question on the screen with the item of this number, from 1; 0 is none."""
    await noticed(editor)
    await editor.keys("j" * (number - 1) + "<CR>" if isinstance(editor, Vim) else f"{number}<CR>")


async def choose_item(editor: Editor, beginning: str) -> None:
    """Answer the question with the item that begins so; a long one has several rows."""

    async def number() -> int:
        if isinstance(editor, Vim):
            menus = list(await editor.eval(POPUPS))
        else:
            menus = [re.findall(r"^\d+: (.*)", editor.screen.text(), re.MULTILINE)]
        numbered = [each for rows in menus for each in enumerate(rows, 1)]
        return next((n for n, row in numbered if row.startswith(beginning)), 0)

    await choose(editor, await until(number, beginning))


async def type_answer(editor: Editor, keys: str) -> None:
    """Type into the question on the screen, which asks for a line."""
    if isinstance(editor, Vim):
        await until(lambda: editor.eval(f"!{GUARDS} && mode() ==# 'c'"), "it accepts keys")
    else:
        await noticed(editor)
    await editor.keys(keys)


async def dismiss(editor: Editor) -> None:
    """Leave the question on the screen without an answer."""
    await noticed(editor)
    await editor.keys("<Esc>" if isinstance(editor, Vim) else "q<CR>")


TITLED = "filter(popup_list(), {_, id -> get(popup_getoptions(id), 'title', '') !=# ''})"
POPUPS = f"map({TITLED}, {{_, id -> getbufline(winbufnr(id), 1, '$')}})"


async def float_text(editor: Editor) -> str:
    """Return the text of the plugin's float, or popup in Vim; empty without one."""
    if isinstance(editor, Vim):
        return "\n".join(await editor.eval(f"flattennew({POPUPS})"))
    is_there = await editor.eval("win_gettype() == 'popup'")
    return "\n".join(await editor.eval("getline(1, '$')")) if is_there else ""


async def edit(editor: Editor, path: Path) -> None:
    """Edit a file, whatever its name."""
    name = str(path).replace("'", "''")
    await editor.command(f"execute 'edit' fnameescape('{name}')")


async def record_diffs(editor: Editor) -> None:
    """Record the events of diffs from now on, for `happened`."""
    await editor.command(RECORD)


async def happened(editor: Editor, event: str) -> int:
    """Return how often an event has happened."""
    count = await editor.eval(f"count(get(g:, 'happened', []), '{event}')")
    return int(count)
