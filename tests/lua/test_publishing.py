"""Waiting for language servers and linters after a write."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from support.language_client import attach, publish, received, start
from support.neovim import Neovim, until
from support.publishing import LINT, LONG_SECONDS, ODD, Waits, edit, messages, wait_for_messages
from support.reloading import expect


@pytest.fixture
async def waits(nvim: Neovim, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Waits]:
    """The host's waits for checks in this Neovim, which do not end too early if it is slow."""
    for limit in ("USUAL_SECONDS", "LINTER_SECONDS"):
        monkeypatch.setattr(f"claude_ide.editor.checks.{limit}", LONG_SECONDS)
    waits = Waits(nvim)
    yield waits
    await waits.stop()


async def test_a_buffer_without_a_language_server_is_not_awaited(
    nvim: Neovim, waits: Waits, path: Path
) -> None:
    await edit(nvim, path)

    assert await waits.write(path, "wrong\n") == []


async def test_deleted_buffers_are_not_awaited(nvim: Neovim, waits: Waits, path: Path) -> None:
    bufnr = await edit(nvim, path)
    await attach(nvim, "--publish=never")
    await waits.write(path, "wrong\n")
    await nvim.command("bwipeout a.txt")

    await waits.begin([bufnr, 9999])

    assert await waits.done()


async def test_the_wait_ends_when_the_server_has_published_for_the_new_text(
    nvim: Neovim, waits: Waits, path: Path
) -> None:
    bufnr = await edit(nvim, path, "odd\n")
    await attach(nvim)
    await wait_for_messages(nvim, bufnr, "odd word")

    assert await waits.write(path, "wrong\n") == [bufnr]
    await waits.begin([bufnr])

    assert await waits.done()
    assert await messages(nvim, bufnr) == ["wrong word"]


async def test_a_changed_buffer_has_its_diagnostics_pulled_during_the_wait(
    nvim: Neovim, waits: Waits, path: Path
) -> None:
    bufnr = await edit(nvim, path)
    await attach(nvim, "--publish=pull")
    await nvim.lua("vim.api.nvim_buf_set_lines(..., 0, -1, true, { 'wrong' })", bufnr)

    await waits.begin([bufnr])

    assert await waits.done()
    assert await messages(nvim, bufnr) == ["wrong word"]


async def test_the_last_of_several_servers_ends_the_wait(
    nvim: Neovim, waits: Waits, path: Path
) -> None:
    bufnr = await edit(nvim, path)
    slow = await attach(nvim, "--publish=on-request", name="slow")
    await attach(nvim, name="quick")
    await attach(nvim, "--publish=pull", name="pulled")
    await waits.write(path, "wrong\n")
    await waits.begin([bufnr])

    await wait_for_messages(nvim, bufnr, "wrong word", "wrong word")
    assert await waits.are_going_on()

    await publish(nvim, slow, bufnr)
    assert await waits.done()
    assert await messages(nvim, bufnr) == ["wrong word"] * 3


async def test_a_server_is_awaited_as_long_as_possible_with_diagnostics_disabled(
    nvim: Neovim, waits: Waits, path: Path
) -> None:
    """Neovim does not tell whose diagnostics have changed."""
    bufnr = await edit(nvim, path)
    await nvim.lua("vim.diagnostic.enable(false)")
    await attach(nvim)
    await waits.write(path, "wrong\n")
    await waits.begin([bufnr], 0.5)

    await wait_for_messages(nvim, bufnr, "wrong word")

    assert not await waits.done()


async def test_the_wait_ends_when_every_buffer_has_its_diagnostics(
    nvim: Neovim, waits: Waits, project: Path
) -> None:
    paths = [project / "a.txt", project / "b.txt"]
    bufnrs = []
    for path in paths:
        bufnrs.append(await edit(nvim, path))
        client = await attach(nvim, "--publish=on-request")
    for path in paths:
        asked = await waits.write(path, "wrong\n")
    assert sorted(asked) == bufnrs
    await waits.begin(bufnrs)

    await publish(nvim, client, bufnrs[0])
    await wait_for_messages(nvim, bufnrs[0], "wrong word")
    assert await waits.are_going_on()

    await publish(nvim, client, bufnrs[1])
    assert await waits.done()
    assert await messages(nvim, bufnrs[1]) == ["wrong word"]


async def test_diagnostics_that_follow_for_another_file_are_awaited_too(
    nvim: Neovim, waits: Waits, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("claude_ide.editor.checks.QUIET_SECONDS", 1)
    other = await edit(nvim, project / "b.txt", "odd\n")
    await attach(nvim, "--publish=on-request")
    bufnr = await edit(nvim, project / "a.txt")
    client = await attach(nvim, "--publish=on-request")
    await waits.write(project / "a.txt", "wrong\n")
    await waits.begin([bufnr])

    await publish(nvim, client, bufnr)
    await publish(nvim, client, other, late=5)

    assert await waits.done()
    assert await messages(nvim, other) == ["odd word"]


async def test_the_wait_ends_when_the_server_stops(nvim: Neovim, waits: Waits, path: Path) -> None:
    bufnr = await edit(nvim, path)
    client = await attach(nvim, "--publish=never")
    await waits.write(path, "wrong\n")
    await waits.begin([bufnr])

    await nvim.lua("vim.lsp.get_client_by_id(...):stop(true)", client)

    assert await waits.done()


# Writes before the wait.


async def test_a_write_that_was_reloaded_before_the_wait_is_awaited(
    nvim: Neovim, waits: Waits, path: Path
) -> None:
    bufnr = await edit(nvim, path)
    await attach(nvim, "--publish=on-request")
    await expect(nvim, path)
    path.write_text("wrong\n")

    async def is_shown() -> bool:
        return bool(await nvim.eval("getline(1) == 'wrong'"))

    await until(is_shown)

    assert await waits.unsettled() == [bufnr]


async def test_a_write_whose_diagnostics_have_arrived_is_not_awaited(
    nvim: Neovim, waits: Waits, path: Path
) -> None:
    bufnr = await edit(nvim, path)
    await attach(nvim)
    await waits.write(path, "wrong\n")
    await wait_for_messages(nvim, bufnr, "wrong word")

    assert await waits.unsettled() == []


# Texts.


@pytest.mark.parametrize("sync", ["1", "2"])
async def test_an_edit_in_several_places_reaches_the_server_immediately(
    nvim: Neovim, waits: Waits, path: Path, tmp_path: Path, sync: str
) -> None:
    log = tmp_path / "log"
    old = "odd\n" + "".join(f"line {number}\n" for number in range(30))
    new = old.replace("line 2\n", "wrong\n").replace("line 25\n", "odd\n\n")
    bufnr = await edit(nvim, path, old)
    await attach(nvim, f"--sync={sync}", f"--log={log}")
    await wait_for_messages(nvim, bufnr, "odd word")
    bufnrs = await waits.write(path, new)

    await waits.begin(bufnrs)
    assert await waits.done()

    changes = received(log, "textDocument/didChange")
    assert len(changes) <= 2
    assert await messages(nvim, bufnrs[0]) == ["odd word", "wrong word", "odd word"]
    assert changes == received(log, "textDocument/didChange")


# Servers that are pulled.

VIEWS = {"current": "", "in view": "new", "hidden": "enew"}


@pytest.mark.parametrize("view", VIEWS)
async def test_a_pulled_server_is_asked_once_whether_or_not_the_buffer_is_shown(
    nvim: Neovim, waits: Waits, path: Path, tmp_path: Path, view: str
) -> None:
    log = tmp_path / "log"
    bufnr = await edit(nvim, path, "odd\n")
    await attach(nvim, "--publish=pull", f"--log={log}")
    await wait_for_messages(nvim, bufnr, "odd word")
    await nvim.command(VIEWS[view])
    before = len(received(log, "textDocument/diagnostic"))

    assert await waits.write(path, "wrong\n") == [bufnr]
    await waits.begin([bufnr])

    assert await waits.done()
    assert await messages(nvim, bufnr) == ["wrong word"]
    assert len(received(log, "textDocument/diagnostic")) == before + 1


@pytest.mark.parametrize("answer", ["unchanged", "error"])
async def test_an_answer_that_changes_nothing_ends_the_wait(
    nvim: Neovim, waits: Waits, path: Path, answer: str
) -> None:
    bufnr = await edit(nvim, path)
    await attach(nvim, "--publish=pull", f"--pull-answer={answer}")
    await nvim.command("enew")
    await waits.write(path, "wrong\n")

    await waits.begin([bufnr])

    assert await waits.done()


async def test_each_provider_of_a_pulled_server_is_asked(
    nvim: Neovim, waits: Waits, path: Path, tmp_path: Path
) -> None:
    if not await nvim.eval("has('nvim-0.12')"):
        pytest.skip("Neovim 0.11 knows one provider")
    log = tmp_path / "log"
    bufnr = await edit(nvim, path, "odd\n")
    await attach(nvim, "--publish=pull", "--identifiers", "first", "second", f"--log={log}")
    await wait_for_messages(nvim, bufnr, "odd word", "odd word")
    await nvim.command("enew")
    await waits.write(path, "wrong\n")
    await waits.begin([bufnr])

    assert await waits.done()
    assert await messages(nvim, bufnr) == ["wrong word"] * 2
    last = received(log, "textDocument/diagnostic")[-2:]
    assert [parameters["identifier"] for parameters in last] == ["first", "second"]


# Servers that check saved files.


@pytest.mark.parametrize("options", [(), ("--identifiers", "first")])
async def test_files_that_may_depend_on_the_written_file_are_pulled_as_well(
    nvim: Neovim, waits: Waits, project: Path, path: Path, options: tuple[str, ...]
) -> None:
    if options and not await nvim.eval("has('nvim-0.12')"):
        pytest.skip("Neovim 0.11 knows no server that registers itself as one to be pulled")
    other = await edit(nvim, project / "b.txt")
    await attach(nvim, "--publish=pull", "--across", *options)
    bufnr = await edit(nvim, path)
    await attach(nvim, "--publish=pull", "--across", *options)

    await waits.begin(await waits.write(path, "wrong\n"))

    assert await waits.done()
    assert await messages(nvim, bufnr) == await messages(nvim, other) == ["wrong word"]


async def test_only_some_of_many_dependent_files_are_pulled(
    nvim: Neovim, waits: Waits, project: Path, path: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    options = ("--publish=pull", "--across", f"--log={log}")
    for number in range(30):
        await edit(nvim, project / f"{number}.txt")
        await attach(nvim, *options)
    await edit(nvim, path)
    await attach(nvim, *options)
    # Neovim pulls for each buffer that a server is attached to.
    await until(lambda: len(received(log, "textDocument/diagnostic")) >= 31)
    before = len(received(log, "textDocument/diagnostic"))

    await waits.begin(await waits.write(path, "wrong\n"))

    assert await waits.done()
    assert 20 <= len(received(log, "textDocument/diagnostic")) - before <= 22


async def test_a_server_that_checks_saved_files_is_notified_of_a_save(
    nvim: Neovim, waits: Waits, path: Path
) -> None:
    bufnr = await edit(nvim, path)
    await attach(nvim, "--publish=on-save", "--save=yes")
    await waits.write(path, "wrong\n")

    await waits.begin([bufnr])

    assert await waits.done()
    assert await messages(nvim, bufnr) == ["wrong word"]


# Servers that have not started.


@pytest.mark.parametrize("way", ["push", "pull"])
async def test_a_server_that_is_starting_is_waited_for(
    nvim: Neovim, waits: Waits, path: Path, tmp_path: Path, way: str
) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    bufnr = await edit(nvim, path)
    await start(nvim, f"--publish={way}", f"--start-after={gate}")
    assert await waits.write(path, "wrong\n") == [bufnr]
    await waits.begin([bufnr])
    assert await waits.are_going_on()

    await asyncio.to_thread(gate.write_text, "")

    assert await waits.done()
    assert await messages(nvim, bufnr) == ["wrong word"]


# Linters.


@pytest.mark.parametrize("first", [ODD, []], ids=["something", "nothing"])
async def test_a_linter_that_has_published_before_is_waited_for(
    nvim: Neovim, waits: Waits, path: Path, first: list[Any]
) -> None:
    bufnr = await edit(nvim, path)
    await nvim.lua("require('claude_ide.diagnostics')")
    await nvim.lua(LINT, bufnr, first)
    await waits.write(path, "wrong\n")
    await waits.begin([bufnr])
    assert await waits.are_going_on()

    await nvim.lua(LINT, bufnr, [])

    assert await waits.done()


async def test_hiding_diagnostics_does_not_count_as_publishing(
    nvim: Neovim, waits: Waits, path: Path
) -> None:
    bufnr = await edit(nvim, path)
    await nvim.lua(LINT, bufnr, ODD)
    await waits.write(path, "wrong\n")
    await waits.begin([bufnr])

    await nvim.lua("vim.diagnostic.hide(); vim.diagnostic.show()")
    assert await waits.are_going_on()

    await nvim.lua(LINT, bufnr, [])
    assert await waits.done()


# Work that a save has started.


async def end_work(nvim: Neovim, client: int) -> None:
    """End the server's work, and wait until Neovim knows it."""
    await nvim.lua("vim.lsp.get_client_by_id(...):notify('test/end')", client)
    has_ended = "return next(vim.lsp.get_client_by_id(...).progress.pending) == nil"
    await until(lambda: nvim.lua(has_ended, client), "the work has ended")


@pytest.mark.parametrize("end", ["work", "server"])
async def test_work_that_a_save_has_started_is_awaited_until_it_or_its_server_ends(
    nvim: Neovim, waits: Waits, path: Path, end: str
) -> None:
    bufnr = await edit(nvim, path)
    client = await attach(nvim, "--publish=on-request", "--save=yes", "--work=check")
    await waits.write(path, "wrong\n")
    await waits.begin([bufnr])

    await publish(nvim, client, bufnr)
    await wait_for_messages(nvim, bufnr, "wrong word")
    assert await waits.are_going_on()

    if end == "work":
        await publish(nvim, client, bufnr)
        await end_work(nvim, client)
    else:
        await nvim.lua("vim.lsp.get_client_by_id(...):stop(true)", client)
    assert await waits.done()
