"""The time from the <CR> of `:w` to the answer on the socket.

The floor is a plain buffer whose `:w` reads its text without sending it.
"""

from contextlib import AsyncExitStack

from bench import texts
from bench.editors import Editor, editor, serving
from bench.measure import Effort, Table, figure, goal, median, now, ratio
from bench.wire import Wire, call
from support.neovim import until

GOALS = {"10 KB": 5.0, "100 KB": 5.0}


async def run(effort: Effort) -> list[Table]:
    """Measure texts of all sizes."""
    table = Table(
        "accept, from `:w` to the answer (ms, medians)",
        ["text", "answered after", "floor", "ratio", "goal"],
    )
    for name, size in texts.SIZES.items():
        ours, floor = await _compare(texts.original(size), effort.runs(21))
        here, there = median(ours), median(floor)
        verdict = goal(here, GOALS[name], " ms") if name in GOALS else ""
        table.add(name, figure(here), figure(there), ratio(here, there), verdict)
    return [table]


async def _compare(text: str, runs: int) -> tuple[list[float], list[float]]:
    ours: list[float] = []
    floor: list[float] = []
    proposed = texts.few_changed(text)
    async with AsyncExitStack() as stack:
        served, wire = await stack.enter_async_context(serving())
        plain = await stack.enter_async_context(editor(plugin=False))
        (served.project / "file.py").write_text(text)
        for _ in range(runs + 1):
            ours.append(await _accept(served, wire, proposed))
            floor.append(await _write(plain, proposed))
    # The first run of each loads modules.
    return ours[1:], floor[1:]


async def _accept(served: Editor, wire: Wire, text: str) -> float:
    number = next(wire.numbers)
    path = str(served.project / "file.py")
    frame = call(number, "openDiff", {"old_file_path": path, "new_file_contents": text})
    await wire.connection.send(frame)
    await served.report("ready")
    pressed = await _type_write(served)
    at, result = await wire.answer(number)
    assert result["content"][1]["text"] == text
    await until(lambda: served.nvim.eval("tabpagenr('$') == 1"), "closed")
    return at - pressed


async def _write(plain: Editor, text: str) -> float:
    await plain.ask("plain_proposal", text)
    pressed = await _type_write(plain)
    at, size = await plain.report("written")
    assert size == len(text)
    await plain.nvim.command("bwipeout!")
    return at - pressed


async def _type_write(typist: Editor) -> float:
    """Type `:w<CR>`, and return the time of the <CR>."""
    await typist.nvim.keys(":w")
    await until(lambda: typist.nvim.eval("mode() == 'c' && getcmdline() == 'w'"), "typed")
    pressed = now()
    await typist.nvim.keys("<CR>")
    return pressed
