"""Memory of the host and of Neovim, at the start and after diffs."""

from bench import texts
from bench.editors import Editor, host_pid, serving
from bench.measure import Effort, Table, figure, resident
from bench.wire import Wire, call
from support.neovim import until

DIFFS = 100
SIZE = texts.SIZES["100 KB"]


async def run(effort: Effort) -> list[Table]:
    """Propose and reject diffs; leaked memory would grow with their number."""
    diffs = effort.runs(DIFFS)
    table = Table("Resident memory (MB)", ["", "host", "Neovim"])
    async with serving() as (served, wire):
        host, neovim = await host_pid(served), served.nvim.process.pid

        def add(name: str) -> None:
            table.add(name, figure(resident(host)), figure(resident(neovim)))

        text = texts.original(SIZE)
        (served.project / "file.py").write_text(text)
        proposed = texts.few_changed(text)
        add("one client is connected")
        marks = {1, diffs // 4, diffs // 2, diffs}
        for number in range(1, diffs + 1):
            await _propose(served, wire, proposed)
            if number in marks:
                add(f"after {number} diff{'s' if number > 1 else ''} of 100 KB")
    return [table]


async def _propose(served: Editor, wire: Wire, text: str) -> None:
    number = next(wire.numbers)
    path = str(served.project / "file.py")
    frame = call(number, "openDiff", {"old_file_path": path, "new_file_contents": text})
    await wire.connection.send(frame)
    await served.report("ready")
    await served.nvim.command("ClaudeReject")
    await wire.answer(number)
    await until(lambda: served.nvim.eval("tabpagenr('$') == 1"), "closed")
