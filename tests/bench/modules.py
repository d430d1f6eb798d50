"""How much of the Lua half a session loads: after the start, and after its first openDiff."""

from bench import texts
from bench.diff import Proposals
from bench.editors import host_pid, serving
from bench.first_diff import REST, SETTLE, wait
from bench.measure import Effort, Table, goal
from support.chunks import chunk

MODULES, LINES = 60, 8000


async def run(_: Effort) -> list[Table]:
    """Count modules and their lines."""
    table = Table(
        "Modules of the Lua half that are loaded", ["", "modules", "goal", "lines", "goal"]
    )
    text = texts.original(texts.SIZES["10 KB"])
    async with serving() as (served, wire):
        side = Proposals(served, wire, await host_pid(served))
        (served.project / "file.py").write_text(text)
        await wait(REST)
        await _add(table, "half a second after a client has connected", side)
        await served.ask("await_diff")
        await side.show(str(served.project / "file.py"), texts.few_changed(text))
        await served.report("visible")
        await _add(table, "when the first diff is drawn", side)
        await wait(SETTLE)
        await _add(table, "0.3 s later", side)
    return [table]


async def _add(table: Table, when: str, side: Proposals) -> None:
    modules, lines = await side.editor.nvim.lua(chunk("session/count_loaded"))
    table.add(when, str(modules), goal(modules, MODULES, ""), str(lines), goal(lines, LINES, ""))
