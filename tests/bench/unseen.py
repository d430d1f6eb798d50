"""Signs at unseen lines: the cost of a key in a file with 1,000 of them, beside one without."""

from bench.editors import Editor, editor
from bench.measure import Effort, Table, figure, goal, median, ratio

KEYS = 10_000
SIGNS = 1_000
TYPED = 2_000
GOAL = 1.1
ON = "require('claude_ide').setup({ changes = { signs = true } })"
WRITE = """
local step = ...
local before = vim.api.nvim_buf_get_lines(0, 0, -1, true)
local after = vim.deepcopy(before)
for line = step, #after - 1, step do
  after[line] = after[line] .. '!'
end
vim.api.nvim_buf_set_lines(0, 0, -1, true, after)
require('claude_ide.unseen').wrote(vim.api.nvim_get_current_buf(), before, after)
"""
COUNT = """
local namespace = vim.api.nvim_get_namespaces().claude_ide_unseen or -1
return #vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, {})
"""


async def run(effort: Effort) -> list[Table]:
    """Compare the CPU of keys that pass signs, and of typing above them, with those without."""
    table = Table(
        f"a file with {SIGNS:,} signs at unseen lines (CPU in Neovim, medians)",
        ["", "with signs", "without", "ratio", "goal"],
    )
    async with editor(plugin=True) as signed, editor(plugin=True) as plain:
        await signed.nvim.lua(ON)
        for each in (signed, plain):
            path = each.project / "file.py"
            path.write_text("".join(f"line {number}\n" for number in range(KEYS + 1)))
            await each.nvim.command(f"edit {path} | set signcolumn=yes")
        moved: dict[Editor, list[float]] = {signed: [], plain: []}
        typed: dict[Editor, list[float]] = {signed: [], plain: []}
        placed: dict[Editor, list[float]] = {signed: [], plain: []}
        # The first run of each loads modules.
        for run in range(-1, effort.runs(21)):
            for each in (signed, plain):
                figures = (await _write(each), await _type(each), await _hold_down(each))
                for samples, value in zip((placed, typed, moved), figures, strict=True):
                    samples[each] += [value] if run >= 0 else []
    for name, samples, limit in (
        (f"one of {KEYS:,} `j` that pass them all (µs)", moved, GOAL),
        (f"one of {TYPED:,} letters typed above them, all at once (µs)", typed, None),
        (f"a write of {SIGNS:,} lines (ms)", placed, None),
    ):
        here, there = median(samples[signed]), median(samples[plain])
        wanted = goal(here / there, limit) if limit else ""
        table.add(name, figure(here), figure(there), ratio(here, there), wanted)
    return [table]


async def _write(writer: Editor) -> float:
    before = await writer.ask("cpu")
    await writer.nvim.lua(WRITE, KEYS // SIGNS)
    after = await writer.ask("cpu")
    return float(after - before)


async def _type(typist: Editor) -> float:
    await typist.nvim.command("normal! gg")
    before = await typist.ask("cpu")
    await typist.nvim.request("nvim_input", f"O{'x' * TYPED}<Esc>")
    after = await typist.ask("cpu")
    await typist.nvim.command("silent undo | normal! gg")
    return float((after - before) * 1000 / TYPED)


async def _hold_down(typist: Editor) -> float:
    """Type all keys at once; return the CPU per key."""
    signs = await typist.nvim.lua(COUNT)
    before = await typist.ask("cpu")
    await typist.nvim.request("nvim_input", "j" * KEYS)
    after = await typist.ask("cpu")
    assert (signs, await typist.nvim.lua(COUNT)) in ((SIGNS, 0), (0, 0))
    return float((after - before) * 1000 / KEYS)
