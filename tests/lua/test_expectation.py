"""`checking/expectation.lua`: which publishers are waited for after a write, and how long."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from support.language_client import attach, publish, received, start
from support.neovim import Neovim, until
from support.publishing import (
    LINT,
    ODD,
    await_publish,
    done,
    edit,
    messages,
    published,
    wait_for_messages,
    write,
)

# Outdated texts.


async def test_diagnostics_of_an_older_version_do_not_end_the_wait(
    nvim: Neovim, path: Path
) -> None:
    bufnr = await edit(nvim, path)
    client = await attach(nvim, "--publish=on-request", "--version")
    await write(nvim, path, "wrong\n")
    await await_publish(nvim, [bufnr])

    await publish(nvim, client, bufnr, version=1)
    await wait_for_messages(nvim, bufnr, "wrong word")
    assert published(nvim) == []

    await publish(nvim, client, bufnr)
    await done(nvim)


async def test_the_versions_of_a_server_that_never_updates_them_are_ignored(
    nvim: Neovim, path: Path
) -> None:
    bufnr = await edit(nvim, path)
    client = await attach(nvim, "--publish=on-request", "--version", "--reads-code")
    await write(nvim, path, "wrong\n")
    await publish(nvim, client, bufnr, version=0)
    await wait_for_messages(nvim, bufnr, "wrong word")
    await await_publish(nvim, [bufnr], 50)
    await done(nvim)

    await write(nvim, path, "odd\n")
    await await_publish(nvim, [bufnr])
    await publish(nvim, client, bufnr, version=0)

    await done(nvim)


async def test_an_answer_to_the_previous_write_does_not_end_the_wait(
    nvim: Neovim, path: Path
) -> None:
    bufnr = await edit(nvim, path)
    client = await attach(nvim, "--publish=on-request")
    await write(nvim, path, "odd\n")
    await publish(nvim, client, bufnr, late=700)
    await wait_for_messages(nvim, bufnr, "odd word")
    await write(nvim, path, "one\n")

    await write(nvim, path, "wrong\n")
    await publish(nvim, client, bufnr)
    await wait_for_messages(nvim, bufnr, "wrong word")
    await await_publish(nvim, [bufnr])
    assert published(nvim) == []

    await publish(nvim, client, bufnr, late=400)
    await done(nvim)


@pytest.mark.parametrize("sync", ["1", "2"])
async def test_an_edit_in_several_places_reaches_the_server_immediately(
    nvim: Neovim, path: Path, tmp_path: Path, sync: str
) -> None:
    log = tmp_path / "log"
    old = "".join(f"line {number}\n" for number in range(30))
    new = old.replace("line 2\n", "wrong\n").replace("line 25\n", "odd\n\n")
    await edit(nvim, path, old)
    await attach(nvim, f"--sync={sync}", f"--log={log}")
    bufnrs = await write(nvim, path, new)

    await await_publish(nvim, bufnrs)
    await done(nvim)

    changes = received(log, "textDocument/didChange")
    assert len(changes) <= 2
    assert await messages(nvim, bufnrs[0]) == ["wrong word", "odd word"]
    assert changes == received(log, "textDocument/didChange")


# Servers that are pulled.

VIEWS = {"current": "", "in view": "new", "hidden": "enew"}


@pytest.mark.parametrize("view", VIEWS)
async def test_a_pulled_server_is_asked_once_whether_or_not_the_buffer_is_shown(
    nvim: Neovim, path: Path, tmp_path: Path, view: str
) -> None:
    log = tmp_path / "log"
    bufnr = await edit(nvim, path, "odd\n")
    await attach(nvim, "--publish=pull", f"--log={log}")
    await wait_for_messages(nvim, bufnr, "odd word")
    await nvim.command(VIEWS[view])
    before = len(received(log, "textDocument/diagnostic"))

    assert await write(nvim, path, "wrong\n") == [bufnr]
    await await_publish(nvim, [bufnr])

    await done(nvim)
    assert await messages(nvim, bufnr) == ["wrong word"]
    assert len(received(log, "textDocument/diagnostic")) == before + 1


@pytest.mark.parametrize("answer", ["unchanged", "error"])
async def test_an_answer_that_changes_nothing_ends_the_wait(
    nvim: Neovim, path: Path, answer: str
) -> None:
    bufnr = await edit(nvim, path)
    await attach(nvim, "--publish=pull", f"--pull-answer={answer}")
    await nvim.command("enew")
    await write(nvim, path, "wrong\n")

    await await_publish(nvim, [bufnr])

    await done(nvim)


async def test_each_provider_of_a_pulled_server_is_asked(
    nvim: Neovim, path: Path, tmp_path: Path
) -> None:
    if not await nvim.eval("has('nvim-0.12')"):
        pytest.skip("Neovim 0.11 knows one provider")
    log = tmp_path / "log"
    bufnr = await edit(nvim, path, "odd\n")
    await attach(nvim, "--publish=pull", "--identifiers", "first", "second", f"--log={log}")
    await wait_for_messages(nvim, bufnr, "odd word", "odd word")
    await nvim.command("enew")
    await write(nvim, path, "wrong\n")
    await await_publish(nvim, [bufnr])

    await done(nvim)
    assert await messages(nvim, bufnr) == ["wrong word"] * 2
    last = received(log, "textDocument/diagnostic")[-2:]
    assert [parameters["identifier"] for parameters in last] == ["first", "second"]


# Servers that check saved files.


@pytest.mark.parametrize("options", [(), ("--identifiers", "first")])
async def test_files_that_may_depend_on_the_written_file_are_pulled_as_well(
    nvim: Neovim, project: Path, path: Path, options: tuple[str, ...]
) -> None:
    if options and not await nvim.eval("has('nvim-0.12')"):
        pytest.skip("Neovim 0.11 knows no server that registers itself as one to be pulled")
    other = await edit(nvim, project / "b.txt")
    await attach(nvim, "--publish=pull", "--across", *options)
    bufnr = await edit(nvim, path)
    await attach(nvim, "--publish=pull", "--across", *options)

    await await_publish(nvim, await write(nvim, path, "wrong\n"))

    await done(nvim)
    assert await messages(nvim, bufnr) == await messages(nvim, other) == ["wrong word"]


async def test_only_some_of_many_dependent_files_are_pulled(
    nvim: Neovim, project: Path, path: Path, tmp_path: Path
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

    await await_publish(nvim, await write(nvim, path, "wrong\n"))

    await done(nvim)
    assert 20 <= len(received(log, "textDocument/diagnostic")) - before <= 22


async def test_a_server_that_checks_saved_files_is_notified_of_a_save(
    nvim: Neovim, path: Path
) -> None:
    bufnr = await edit(nvim, path)
    await attach(nvim, "--publish=on-save", "--save=yes")
    await write(nvim, path, "wrong\n")

    await await_publish(nvim, [bufnr])

    await done(nvim)
    assert await messages(nvim, bufnr) == ["wrong word"]


# Silent servers.


async def test_a_server_that_never_publishes_is_waited_for_only_once(
    nvim: Neovim, path: Path
) -> None:
    bufnr = await edit(nvim, path)
    await attach(nvim, "--publish=never", name="assistant")
    await write(nvim, path, "two\n")
    await await_publish(nvim, [bufnr], 50)
    await done(nvim)

    assert await write(nvim, path, "three\n") == []


async def test_a_server_that_has_published_is_waited_for_again(nvim: Neovim, path: Path) -> None:
    bufnr = await edit(nvim, path)
    client = await attach(nvim, "--publish=on-request", name="assistant")
    await write(nvim, path, "wrong\n")
    await await_publish(nvim, [bufnr], 50)
    await done(nvim)
    await publish(nvim, client, bufnr)
    await wait_for_messages(nvim, bufnr, "wrong word")

    assert await write(nvim, path, "three\n") == [bufnr]


async def test_a_server_that_reads_code_is_waited_for_again(nvim: Neovim, path: Path) -> None:
    bufnr = await edit(nvim, path)
    await attach(nvim, "--publish=never", "--reads-code")
    await write(nvim, path, "two\n")
    await await_publish(nvim, [bufnr], 50)
    await done(nvim)

    assert await write(nvim, path, "three\n") == [bufnr]
    await await_publish(nvim, [bufnr])

    assert published(nvim) == []
    await done(nvim)


async def test_a_server_with_nothing_new_to_publish_gets_its_usual_time(
    nvim: Neovim, path: Path
) -> None:
    bufnr = await edit(nvim, path)
    await attach(nvim, "--publish=on-change")
    await write(nvim, path, "wrong\n")
    await await_publish(nvim, [bufnr])
    await done(nvim)

    assert await write(nvim, path, "wrong\ntwo\n") == [bufnr]
    await await_publish(nvim, [bufnr])

    assert published(nvim) == []
    await done(nvim)


# Servers that have not started.


@pytest.mark.parametrize("way", ["push", "pull"])
async def test_a_server_that_is_starting_is_waited_for(
    nvim: Neovim, path: Path, tmp_path: Path, way: str
) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    bufnr = await edit(nvim, path)
    await start(nvim, f"--publish={way}", f"--start-after={gate}")
    assert await write(nvim, path, "wrong\n") == [bufnr]
    await await_publish(nvim, [bufnr])
    assert published(nvim) == []

    await asyncio.to_thread(gate.write_text, "")

    await done(nvim)
    assert await messages(nvim, bufnr) == ["wrong word"]


async def test_a_server_that_does_not_start_is_waited_for_once(
    nvim: Neovim, path: Path, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    bufnr = await edit(nvim, path)
    await start(nvim, f"--start-after={gate}")
    await write(nvim, path, "two\n")
    await await_publish(nvim, [bufnr], 50)
    await done(nvim)

    assert await write(nvim, path, "three\n") == []
    # It ends only once it has started.
    await asyncio.to_thread(gate.write_text, "")


# Linters.


@pytest.mark.parametrize("first", [ODD, []], ids=["something", "nothing"])
@pytest.mark.parametrize("enabled", [True, False], ids=["enabled", "disabled"])
async def test_a_linter_that_has_published_before_is_waited_for(
    nvim: Neovim, path: Path, first: list[Any], enabled: bool
) -> None:
    if not (first or enabled):
        pytest.skip("Neovim announces nothing")
    bufnr = await edit(nvim, path)
    await nvim.lua("require('claude_ide.diagnostics'); vim.diagnostic.enable(...)", enabled)
    await nvim.lua(LINT, bufnr, first)
    await write(nvim, path, "wrong\n")
    await await_publish(nvim, [bufnr])
    assert published(nvim) == []

    await nvim.lua(LINT, bufnr, [])

    await done(nvim)


async def test_a_linter_that_does_not_run_is_waited_for_once(nvim: Neovim, path: Path) -> None:
    bufnr = await edit(nvim, path)
    await nvim.lua(LINT, bufnr, ODD)
    await write(nvim, path, "two\n")
    await await_publish(nvim, [bufnr], 50)
    await done(nvim)

    assert await write(nvim, path, "three\n") == []


async def test_hiding_diagnostics_does_not_count_as_publishing(nvim: Neovim, path: Path) -> None:
    bufnr = await edit(nvim, path)
    await nvim.lua(LINT, bufnr, ODD)
    await write(nvim, path, "wrong\n")
    await await_publish(nvim, [bufnr])

    await nvim.lua("vim.diagnostic.hide(); vim.diagnostic.show()")
    assert published(nvim) == []

    await nvim.lua(LINT, bufnr, [])
    await done(nvim)
