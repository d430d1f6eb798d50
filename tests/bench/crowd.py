"""A diff that opens and closes over a crowded screen, compared with a screen of one window.

The floor is the same diff in plain Lua.
"""

from contextlib import AsyncExitStack

from bench import texts
from bench.diff import Plain, Proposals, Side
from bench.editors import editor, host_pid, serving
from bench.measure import Effort, Table, figure, goal, median, now, ratio
from support.neovim import until

SIZES = ("10 KB", "100 KB")
GOAL = 1.5
SETTLE = 0.3
"""Seconds after closing that are measured, too, to include deferred work."""
CROWD = """
for _ = 1, 4 do vim.cmd('split') end
for _, win in ipairs(vim.api.nvim_list_wins()) do
  for _ = 1, 3 do
    vim.api.nvim_win_call(win, function() vim.cmd('vsplit') end)
  end
end
vim.cmd('wincmd = | wincmd t')
for number = 1, 10 do
  vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), false, {
    relative = 'editor', row = number, col = 2 * number, width = 9, height = 1,
  })
end
return #vim.api.nvim_list_wins()
"""


async def run(effort: Effort) -> list[Table]:
    """Compare a screen of one window with one of 20 windows and 10 floats."""
    table = Table(
        "openDiff and its end (ms, medians)",
        ["text", "on the screen", "CPU in Neovim", "floor", "ratio", "to one window", "goal"],
    )
    for size in SIZES:
        alone = 0.0
        for name, crowd in (("one window", ""), ("20 windows and 10 floats", CROWD)):
            ours, floor = await _compare(texts.SIZES[size], crowd, effort.runs(31))
            here, there = median(ours), median(floor)
            alone = alone or here
            against = [ratio(here, alone), goal(here / alone, GOAL)] if crowd else ["", ""]
            table.add(size, name, figure(here), figure(there), ratio(here, there), *against)
    return [table]


async def _compare(size: int, crowd: str, runs: int) -> tuple[list[float], list[float]]:
    text = texts.original(size)
    async with AsyncExitStack() as stack:
        served, wire = await stack.enter_async_context(serving())
        plain = await stack.enter_async_context(editor(plugin=False))
        sides: list[tuple[Side, list[float]]] = [
            (Proposals(served, wire, await host_pid(served)), []),
            (Plain(plain), []),
        ]
        for side, _ in sides:
            path = side.editor.project / "file.py"
            path.write_text(text)
            await side.editor.nvim.command(f"edit {path}")
            if crowd:
                assert await side.editor.nvim.lua(crowd) == 30
        # The first run of each loads modules.
        for each in range(-1, runs):
            for side, samples in sides:
                spent = await _once(side, texts.few_changed(text))
                if each >= 0:
                    samples.append(spent)
        return sides[0][1], sides[1][1]


async def _once(side: Side, text: str) -> float:
    """Show and close one diff; return the CPU that Neovim needs for both."""
    nvim = side.editor
    await nvim.ask("await_diff")
    before = await nvim.ask("cpu")
    await side.show(str(nvim.project / "file.py"), text)
    visible, _ = await nvim.report("visible")
    await side.settle(visible)
    await side.close()
    await until(lambda: nvim.nvim.eval("tabpagenr('$') == 1"), "closed")
    closed = now()
    await until(lambda: now() - closed > SETTLE * 1000)
    spent: float = await nvim.ask("cpu") - before
    return spent
