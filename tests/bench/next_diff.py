"""From a decision about one edit until the client's next one is visible, for each way to decide.

The floor is the same by plain Lua: `:w` in the proposal closes its diff and shows the next one.
"""

import tempfile
from contextlib import AsyncExitStack
from pathlib import Path

from bench import texts
from bench.diff import MOST_COLOURED
from bench.editors import Editor, editor, serving
from bench.measure import Effort, Table, figure, goal, median, now, ratio
from bench.wire import Wire, call
from support.claude_code import ClaudeCode, claude_code, the_lock
from support.either_editor import is_serving, shows_a_diff
from support.neovim import until
from support.vim import Vim

GOAL = 30.0
IN_THE_CLI = "in the CLI"
WAYS = (":w<CR>", "ZZ", ":ClaudeAccept<CR>", ":q<CR>", ":ClaudeReject<CR>", IN_THE_CLI)
LOOK_SECONDS = 0.001
"""Between two looks into Vim, which is not asked for the time at which it has drawn something."""


async def run(effort: Effort) -> list[Table]:
    """Measure the ways to decide in turns with the floor."""
    table = Table(
        "From a decision until the next diff of 10 KB is visible (ms, medians)",
        ["decided by", "Neovim", "floor", "ratio", "goal", "Vim", "goal"],
    )
    runs = effort.runs(11)
    async with AsyncExitStack() as stack:
        served, wire = await stack.enter_async_context(serving())
        plain = await stack.enter_async_context(editor(plugin=False))
        vim, client, folder = await _vim(stack)
        text = texts.original(texts.SIZES["10 KB"])
        for path in (served.project, plain.project, folder):
            (path / "file.py").write_text(text)
        proposed = texts.few_changed(text)
        for way in WAYS:
            ours, floor, in_vim = [], [], []
            for _ in range(runs + 1):
                ours.append(await _in_neovim(served, wire, way, proposed))
                floor.append(await _plainly(plain, proposed))
                in_vim.append(await _in_vim(vim, client, way, folder / "file.py", proposed))
            # The first run of each loads modules.
            here, there, vims = (median(times[1:]) for times in (ours, floor, in_vim))
            table.add(
                *[f"`{way}`" if way != IN_THE_CLI else way, figure(here), figure(there)],
                *[ratio(here, there), goal(here, GOAL, " ms")],
                *[figure(vims), goal(vims, GOAL, " ms")],
            )
    return [table]


async def _vim(stack: AsyncExitStack) -> tuple[Vim, ClaudeCode, Path]:
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    home, project = folder / "home", folder / "project"
    project.mkdir()
    vim = await Vim.start(cwd=project, home=home)
    stack.push_async_callback(vim.stop)
    await vim.command("ClaudeStart!")
    await the_lock(home / "claude")
    await until(lambda: is_serving(vim))
    return vim, await stack.enter_async_context(claude_code(home / "claude")), project


async def _in_neovim(served: Editor, wire: Wire, way: str, text: str) -> float:
    path = str(served.project / "file.py")

    async def request() -> int:
        number = next(wire.numbers)
        arguments = {"old_file_path": path, "new_file_contents": text, "tab_name": path}
        await wire.connection.send(call(number, "openDiff", arguments))
        return number

    first = await request()
    await served.report("ready")
    await served.ask("await_diff")
    decided = now()
    if way == IN_THE_CLI:
        await wire.connection.send(call(next(wire.numbers), "close_tab", {"tab_name": path}))
    else:
        await served.nvim.keys(way)
    await until(lambda: first in wire.answers, "the answer", pause=0)
    second = await request()
    visible, _ = await served.report("visible")
    await served.report("ready")
    await served.nvim.command("ClaudeReject")
    await wire.answer(second)
    await until(lambda: served.nvim.eval("tabpagenr('$') == 1"), "closed")
    return visible - decided


async def _plainly(plain: Editor, text: str) -> float:
    path = str(plain.project / "file.py")
    await plain.ask("plain_diff_before", path, text, MOST_COLOURED)
    await plain.nvim.command("redraw")
    await plain.ask("await_diff")
    decided = now()
    await plain.nvim.keys(":w<CR>")
    visible, _ = await plain.report("visible")
    await plain.ask("close_plain_diff")
    return visible - decided


async def _in_vim(vim: Vim, client: ClaudeCode, way: str, path: Path, text: str) -> float:
    async def ready() -> None:
        await until(lambda: shows_a_diff(vim), "a diff")

    arguments = {"old_file_path": str(path), "new_file_contents": text, "tab_name": str(path)}
    _, first = client.start_call("openDiff", arguments)
    await ready()
    earlier = await vim.eval("bufnr()")
    decided = now()
    if way == IN_THE_CLI:
        client.start_call("close_tab", {"tab_name": str(path)})
    else:
        await vim.keys(way)
    await first
    _, second = client.start_call("openDiff", arguments)
    shown = f"&diff && bufname() =~# 'claude-diff' && bufnr() != {earlier}"
    await until(lambda: vim.eval(shown), "the next diff", pause=LOOK_SECONDS)
    visible = now()
    await ready()
    await vim.command("ClaudeReject")
    await second
    await until(lambda: vim.eval("tabpagenr('$') == 1"), "closed")
    return visible - decided
