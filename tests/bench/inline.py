"""The inline layout of a diff; the floor is the same diff in two windows, by the plugin itself."""

from bench import texts
from bench.diff import SETTLE
from bench.editors import Editor, editor
from bench.measure import Effort, Table, figure, goal, median, now, ratio
from support.neovim import until

GOAL = 2.0
LAYOUTS = ("inline", "vertical")
OPEN = """
local path, text, layout = ...
require('claude_ide.diff').open(1, { path = path, text = text, layout = layout, title = 'bench' })
"""
CLOSE = "require('claude_ide.diff').decide(false)"


async def run(effort: Effort) -> list[Table]:
    """Compare the layouts for a text of 1 MB, with a few and with all lines changed."""
    table = Table(
        "the layouts of a diff of 1 MB, CPU in Neovim until 0.3 s after it is drawn (ms, medians)",
        ["text", "inline", "vertical", "ratio", "goal"],
    )
    text = texts.original(texts.SIZES["1 MB"])
    for change, changed in (("few", texts.few_changed), ("all", texts.all_changed)):
        async with editor(plugin=True) as shown:
            path = str(shown.project / "file.py")
            (shown.project / "file.py").write_text(text)
            await shown.nvim.command(f"set columns=200 | edit {path}")
            used: dict[str, list[float]] = {layout: [] for layout in LAYOUTS}
            # The first run of each loads modules.
            for each in range(-1, effort.runs(11)):
                for layout in LAYOUTS:
                    spent = await _once(shown, path, changed(text), layout)
                    used[layout] += [spent] if each >= 0 else []
        here, there = (median(used[layout]) for layout in LAYOUTS)
        table.add(
            f"{change} lines changed",
            figure(here),
            figure(there),
            ratio(here, there),
            goal(here / there, GOAL),
        )
    return [table]


async def _once(shown: Editor, path: str, text: str, layout: str) -> float:
    before: float = await shown.ask("cpu")
    await shown.nvim.lua(OPEN, path, text, layout)
    await shown.report("ready")
    passed = now()
    await until(lambda: now() - passed > SETTLE * 1000)
    after: float = await shown.ask("cpu")
    await shown.nvim.lua(CLOSE)
    await until(lambda: shown.nvim.eval("winnr('$') == 1 && expand('%:t') ==# 'file.py'"), "closed")
    return after - before
