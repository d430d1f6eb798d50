"""Batches in real editors: facts, gates, steps, and a user who types in between."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, Protocol

import pytest

from claude_ide.editor.port import Port
from claude_ide.editor.port.batch import (
    MISSING,
    ChangedError,
    Fact,
    Gate,
    Guard,
    StepError,
    leads_to,
    modified,
    named,
    retry,
    stamp,
    step,
    tick,
)
from claude_ide.editor.port.binding import request
from claude_ide.editor.port.diagnostics import DiagnosticsPort
from claude_ide.editor.port.files import BuffersPort, DiskPort, NewText, Saved
from support.either_editor import BOTH, Editor, host_pids, run
from support.neovim import until
from support.ports import port_of

pytestmark = BOTH


class Edits(Protocol):
    """What these tests need beyond the port."""

    @request("file.edit.change")
    async def change(self, bufnr: int, lines: list[str]) -> None: ...


@pytest.fixture
async def port(nvim: Editor) -> AsyncIterator[Port]:
    async with port_of(nvim) as port:
        yield port


@pytest.fixture
async def path(nvim: Editor, project: Path) -> Path:
    """A file that the current window shows."""
    path = project / "a.txt"
    path.write_text("one\n")
    await nvim.command(f"set hidden | edit {path}")
    return path


async def state(nvim: Editor) -> tuple[int, int]:
    """Return the number of the current buffer, and its 'changedtick'."""
    bufnr, changedtick = await nvim.eval("[bufnr(), b:changedtick]")
    return bufnr, changedtick


async def stamp_of(nvim: Editor, path: Path) -> Fact:
    return stamp(str(path), await run(nvim, "file.disk.stamp", str(path)))


async def test_steps_run_in_their_order_and_return_their_results(
    nvim: Editor, port: Port, path: Path
) -> None:
    bufnr, changedtick = await state(nvim)
    facts = (
        tick(bufnr, changedtick),
        modified(bufnr, False),
        named(bufnr, str(path)),
        await stamp_of(nvim, path),
        stamp(f"{path}.other", MISSING),
        leads_to(str(path), str(path)),
    )

    changed = step(Edits.change, bufnr, ["two"])
    _, found = await port.batch(
        (changed, step(BuffersPort.find, str(path))), Guard(Gate.POSSIBLE, facts)
    )

    assert found is not None
    assert (found.bufnr, found.modified) == (bufnr, True)
    assert await nvim.eval("getline(1, '$')") == ["two"]


Broken = tuple[Callable[[int, Path], Fact], str, Any]

BROKEN: dict[str, Broken] = {
    "changedtick": (lambda bufnr, _: tick(bufnr, -1), "call setline(1, 'two')", "b:changedtick"),
    "unloaded": (lambda bufnr, _: tick(bufnr, 5), "enew | execute 'bdelete' bufnr('#')", "v:null"),
    "modified": (lambda bufnr, _: modified(bufnr, False), "call setline(1, 'two')", "v:true"),
    "saved": (lambda bufnr, _: modified(bufnr, True), "", "v:false"),
    "name": (
        lambda bufnr, path: named(bufnr, str(path)),
        "file other.txt",
        "fnamemodify('other.txt', ':p')",
    ),
    "stamp": (lambda _, path: stamp(str(path), MISSING), "", None),
    "target": (lambda _, path: leads_to(f"{path}.link", f"{path}.old"), "", "bufname()"),
}


@pytest.mark.parametrize(("fact", "breaking", "present"), BROKEN.values(), ids=BROKEN)
async def test_a_fact_that_does_not_hold_sends_the_batch_back(
    nvim: Editor, port: Port, path: Path, fact: Any, breaking: str, present: Any
) -> None:
    path.with_name("a.txt.link").symlink_to(path)
    bufnr, changedtick = await state(nvim)
    broken = fact(bufnr, path)
    await nvim.command(breaking)
    before = await nvim.eval(f"getbufline({bufnr}, 1, '$')")
    expected = await nvim.eval(present) if present else (await stamp_of(nvim, path)).expected
    if broken.kind == "target":
        expected = str(path)
    facts = (stamp(f"{path}.none", MISSING), broken)

    with pytest.raises(ChangedError) as raised:
        await port.batch([step(Edits.change, bufnr, ["new"])], Guard(Gate.POSSIBLE, facts))

    assert raised.value.failed == [(broken, expected)]
    assert await nvim.eval(f"getbufline({bufnr}, 1, '$')") == before
    assert changedtick


GATES = {
    "changeable": (Gate.CHANGEABLE, "i", "<Esc>"),
    "harmless": (Gate.HARMLESS, "v", "<Esc>"),
    "notifiable": (Gate.NOTIFIABLE, ":", "<Esc>"),
    "possible": (Gate.POSSIBLE, "q:", ":q<CR>"),
}


async def is_held(nvim: Editor, batch: "asyncio.Future[Any]") -> bool:
    """Return whether a batch waits longer than the editor takes to look again."""
    await nvim.idle(150)
    return not batch.done()


@pytest.mark.parametrize(("gate", "shut", "opened"), GATES.values(), ids=GATES)
async def test_a_batch_waits_while_its_gate_is_shut(
    nvim: Editor, port: Port, path: Path, gate: Gate, shut: str, opened: str
) -> None:
    bufnr, changedtick = await state(nvim)
    await nvim.keys(shut)
    await until(lambda: nvim.eval("mode() !=# 'n' || getcmdwintype() !=# ''"), "it is shut")

    guard = Guard(gate, (tick(bufnr, changedtick),))
    changed = step(Edits.change, bufnr, ["two"])
    batch = asyncio.ensure_future(port.batch([changed], guard))

    assert await is_held(nvim, batch)
    await nvim.keys(opened)
    await asyncio.wait_for(batch, 10)
    assert await nvim.eval(f"getbufline({bufnr}, 1, '$')") == ["two"]


async def test_a_file_that_was_unloaded_is_loaded_when_the_editor_can_load_it_again(
    nvim: Editor, port: Port, path: Path
) -> None:
    other = path.with_name("other.txt")
    other.write_text("two\n")
    await nvim.keys("q:")
    await until(lambda: nvim.eval("getcmdwintype() ==# ':'"), "no file can be loaded")
    steps = (step(DiagnosticsPort.load, str(other)), step(DiskPort.look, str(other), True))
    batch = asyncio.ensure_future(port.batch(steps, Guard(Gate.POSSIBLE)))

    assert await is_held(nvim, batch)
    await nvim.keys(":q<CR>")

    loaded, buffer = await asyncio.wait_for(batch, 10)
    assert buffer is not None
    assert (loaded.obstacle, buffer.bufnr, buffer.text) == ("", loaded.bufnr, "two\n")


async def test_the_facts_are_checked_when_the_gate_opens(
    nvim: Editor, port: Port, path: Path
) -> None:
    bufnr, changedtick = await state(nvim)
    await nvim.keys("Aand more")
    await until(lambda: nvim.eval("getline(1) ==# 'oneand more'"))
    guard = Guard(Gate.CHANGEABLE, (tick(bufnr, changedtick),))
    batch = asyncio.ensure_future(port.batch([step(Edits.change, bufnr, ["two"])], guard))

    assert await is_held(nvim, batch)
    await nvim.keys("<Esc>")

    with pytest.raises(ChangedError) as raised:
        await asyncio.wait_for(batch, 10)
    assert [fact for fact, _ in raised.value.failed] == [guard.facts[0]]
    assert await nvim.eval("getline(1)") == "oneand more"


async def test_a_step_that_fails_stops_the_rest(nvim: Editor, port: Port, path: Path) -> None:
    bufnr, _ = await state(nvim)
    steps = [
        step(Edits.change, bufnr, ["two"]),
        step(BuffersPort.save, f"{path}.none"),
        step(Edits.change, bufnr, ["three"]),
    ]

    with pytest.raises(StepError, match="is not open") as raised:
        await port.batch(steps, Guard(Gate.POSSIBLE))

    assert raised.value.index == 1
    assert await nvim.eval("getline(1, '$')") == ["two"]


async def test_a_step_that_raises_an_error_stops_the_rest(
    nvim: Editor, port: Port, path: Path
) -> None:
    bufnr, _ = await state(nvim)
    await nvim.command("setlocal nomodifiable")
    steps = [step(Edits.change, bufnr, ["two"]), step(BuffersPort.save, str(path))]

    with pytest.raises(StepError, match="odifiable") as raised:
        await port.batch(steps, Guard(Gate.POSSIBLE))

    assert raised.value.index == 0


async def test_the_texts_of_several_files_are_replaced_all_or_none(
    nvim: Editor, port: Port, path: Path
) -> None:
    other = path.with_name("other.txt")
    other.write_text("one\n")
    await nvim.command(f"edit {other}")
    buffers = [await port.disk.look(str(each), False) for each in (path, other)]
    found = [buffer for buffer in buffers if buffer is not None]
    facts = [tick(buffer.bufnr, buffer.changedtick) for buffer in found]
    guard = Guard(Gate.CHANGEABLE, (*facts,))
    steps = [step(DiskPort.replace, buffer.bufnr, NewText("two\n")) for buffer in found]
    await nvim.command("call setline(1, 'mine')")

    with pytest.raises(ChangedError) as raised:
        await port.batch(steps, guard)

    assert [fact for fact, _ in raised.value.failed] == [facts[1]]
    await nvim.command("undo")
    lines = [await nvim.eval(f"getbufline({buffer.bufnr}, 1, '$')") for buffer in found]
    assert lines == [["one"], ["one"]]

    ticks = [
        (await state(nvim))[1] if buffer is found[1] else buffer.changedtick for buffer in found
    ]
    facts = [tick(each.bufnr, now) for each, now in zip(found, ticks, strict=True)]
    await port.batch(steps, Guard(Gate.CHANGEABLE, (*facts,)))
    saved = [await port.disk.save(each.bufnr, "", "Otter", True) for each in found]
    assert saved == [Saved(), Saved()]
    assert (path.read_text(), other.read_text()) == ("two\n", "two\n")


async def test_a_cancelled_batch_is_withdrawn(nvim: Editor, port: Port, path: Path) -> None:
    bufnr, _ = await state(nvim)
    await nvim.keys("i")
    await until(lambda: nvim.eval("mode() ==# 'i'"))
    change = step(Edits.change, bufnr, ["two"])
    batch = asyncio.ensure_future(port.batch([change], Guard(Gate.CHANGEABLE, (tick(bufnr, 1),))))
    await is_held(nvim, batch)

    batch.cancel()
    await asyncio.wait([batch])

    await nvim.keys("<Esc>")
    # It would have been in the queue before this one.
    await asyncio.wait_for(port.batch([step(BuffersPort.folders)], Guard(Gate.POSSIBLE)), 10)
    assert await nvim.eval("getline(1)") == "one"


async def test_a_batch_ends_with_its_host(serving: Editor, path: Path) -> None:
    bufnr, _ = await state(serving)
    await serving.keys("i")
    await until(lambda: serving.eval("mode() ==# 'i'"))
    change = ["file.edit.change", [bufnr, ["two"]]]
    await run(serving, "batch.run", 99, "free", [], [change])

    (pid,) = await host_pids(serving)
    await serving.call("system", f"kill -KILL {pid}")
    await until(lambda: _has_other_host(serving, pid), "the host is restarted", 30)

    await serving.keys("<Esc>")
    await serving.idle(700)
    assert await serving.eval("getline(1)") == "one"


async def _has_other_host(editor: Editor, pid: int) -> bool:
    return any(other != pid for other in await host_pids(editor))


KEYS = ("ggOuser {}<Esc>", "gg0iuser {}<CR><Esc>")


PAUSES = (0, 0, 10, 40, 80)
"""Milliseconds."""

QUICK = (Gate.CHANGEABLE, Gate.CHANGEABLE, Gate.HARMLESS, Gate.POSSIBLE)
"""Those that open while the user goes on; all wait for the end of a command-line window."""


@pytest.mark.parametrize("seed", range(4))
async def test_no_change_of_a_user_who_types_is_lost(
    nvim: Editor, port: Port, path: Path, seed: int
) -> None:
    """A batch replaces the whole text, computed from what the host has read before."""
    chance = random.Random(seed)
    user_lines, done, tries = 12, 0, 0
    bufnr, _ = await state(nvim)

    async def type_lines() -> None:
        for number in range(user_lines):
            keys = chance.choice(KEYS).format(number)
            at = chance.randrange(4, 9)
            await nvim.keys(keys[:at])
            await nvim.idle(chance.choice(PAUSES))
            await nvim.keys(keys[at:])
            await nvim.idle(chance.choice(PAUSES))

    async def append(number: int) -> None:
        nonlocal tries
        tries += 1
        changedtick, lines = await nvim.eval(f"[b:changedtick, getbufline({bufnr}, 1, '$')]")
        for _ in range(chance.randrange(5)):
            await nvim.eval("1")
        guard = Guard(chance.choice(QUICK), (tick(bufnr, changedtick),))
        await port.batch([step(Edits.change, bufnr, [*lines, f"host {number}"])], guard)

    typing = asyncio.ensure_future(type_lines())
    while not typing.done():
        await asyncio.wait_for(retry(lambda: append(done)), 20)  # noqa: B023
        done += 1
    await typing

    assert tries > done, "some batches were sent back"
    lines = await nvim.eval("getline(1, '$')")
    expected = [f"user {n}" for n in range(user_lines)] + [f"host {n}" for n in range(done)]
    assert sorted(line for line in lines if line != "one") == sorted(expected)
