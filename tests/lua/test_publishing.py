"""`lua/claude_ide/publishing.lua`: waiting for language servers and linters after a write."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from support.language_client import attach, publish, received, start
from support.neovim import Neovim, until

LONG = 60_000
DONE = [{"token": "it"}]
READ_ALL = "return require('claude_ide.diagnostics').read_all().reloaded"
AWAIT = "require('claude_ide.diagnostics').await_publish('it', ...)"
LINT = "vim.diagnostic.set(vim.api.nvim_create_namespace('linter'), ...)"
ODD = [{"lnum": 0, "col": 0, "message": "odd"}]


async def edit(nvim: Neovim, path: Path, text: str = "one\n") -> int:
    path.write_text(text, encoding="utf-8")
    await nvim.command(f"edit {path}")
    await nvim.lua("require('claude_ide.channel').id = ...", await nvim.channel())
    return int(await nvim.eval("bufnr()"))


async def write(nvim: Neovim, path: Path, text: str) -> list[int]:
    """Write as the CLI does, and have Neovim look; the buffers about which there is more to say."""
    new = path.with_name("claude.tmp")
    new.write_text(text, encoding="utf-8")
    new.replace(path)
    nvim.notifications.clear()
    bufnrs: list[int] = await nvim.lua(READ_ALL)
    return bufnrs


async def await_publish(nvim: Neovim, bufnrs: list[int], milliseconds: int = LONG) -> None:
    await nvim.lua(AWAIT, bufnrs, milliseconds)


def published(nvim: Neovim) -> list[Any]:
    return nvim.events("diagnostics_published")


async def done(nvim: Neovim) -> Any:
    assert await until(lambda: published(nvim)) == DONE


async def messages(nvim: Neovim, bufnr: int) -> list[str]:
    found: list[str] = await nvim.lua(
        "return vim.tbl_map(function(d) return d.message end, vim.diagnostic.get(...))", bufnr
    )
    return found


async def say(nvim: Neovim, bufnr: int, *wanted: str) -> None:
    async def is_said() -> bool:
        return await messages(nvim, bufnr) == [*wanted]

    await until(is_said, f"the diagnostics are {wanted}")


@pytest.fixture
def path(project: Path) -> Path:
    return project / "a.txt"


async def test_without_a_language_server_there_is_nothing_to_wait_for(
    nvim: Neovim, path: Path
) -> None:
    await edit(nvim, path)

    assert await write(nvim, path, "wrong\n") == []


async def test_without_any_buffer_there_is_nothing_to_wait_for(nvim: Neovim, path: Path) -> None:
    await edit(nvim, path)

    await await_publish(nvim, [])

    assert published(nvim) == DONE


async def test_buffers_that_are_gone_are_not_waited_for(nvim: Neovim, path: Path) -> None:
    bufnr = await edit(nvim, path)
    await attach(nvim, "--publish=never")
    await write(nvim, path, "wrong\n")
    await nvim.command("bwipeout a.txt")

    await await_publish(nvim, [bufnr, 9999])

    await done(nvim)


async def test_it_waits_until_the_server_has_published_for_the_new_text(
    nvim: Neovim, path: Path
) -> None:
    bufnr = await edit(nvim, path, "odd\n")
    await attach(nvim)
    await say(nvim, bufnr, "odd word")

    assert await write(nvim, path, "wrong\n") == [bufnr]
    await await_publish(nvim, [bufnr])

    await done(nvim)
    assert await messages(nvim, bufnr) == ["wrong word"]


async def test_what_was_published_before_the_wait_counts(nvim: Neovim, path: Path) -> None:
    bufnr = await edit(nvim, path)
    await attach(nvim)
    await write(nvim, path, "wrong\n")
    await say(nvim, bufnr, "wrong word")

    await await_publish(nvim, [bufnr])

    await done(nvim)


async def test_a_buffer_that_was_not_asked_about_before_is_asked_about_now(
    nvim: Neovim, path: Path
) -> None:
    bufnr = await edit(nvim, path)
    await attach(nvim, "--publish=pull")
    await nvim.lua("vim.api.nvim_buf_set_lines(..., 0, -1, true, { 'wrong' })", bufnr)

    await await_publish(nvim, [bufnr])

    await done(nvim)
    assert await messages(nvim, bufnr) == ["wrong word"]


async def test_the_last_of_several_servers_ends_the_wait(nvim: Neovim, path: Path) -> None:
    bufnr = await edit(nvim, path)
    slow = await attach(nvim, "--publish=on-request", name="slow")
    await attach(nvim, name="quick")
    await attach(nvim, "--publish=pull", name="pulled")
    await write(nvim, path, "wrong\n")
    await await_publish(nvim, [bufnr])

    await say(nvim, bufnr, "wrong word", "wrong word")
    assert published(nvim) == []

    await publish(nvim, slow, bufnr)
    await done(nvim)
    assert await messages(nvim, bufnr) == ["wrong word"] * 3


async def test_the_last_of_several_servers_ends_the_wait_while_diagnostics_are_disabled(
    nvim: Neovim, path: Path
) -> None:
    bufnr = await edit(nvim, path)
    await nvim.lua("vim.diagnostic.enable(false)")
    slow = await attach(nvim, "--publish=on-request", name="slow")
    await attach(nvim, name="quick")
    await write(nvim, path, "wrong\n")
    await await_publish(nvim, [bufnr])

    await say(nvim, bufnr, "wrong word")
    assert published(nvim) == []

    await publish(nvim, slow, bufnr)
    await done(nvim)


async def test_it_waits_for_each_of_the_buffers(nvim: Neovim, project: Path) -> None:
    paths = [project / "a.txt", project / "b.txt"]
    bufnrs = []
    for path in paths:
        bufnrs.append(await edit(nvim, path))
        client = await attach(nvim, "--publish=on-request")
    for path in paths:
        asked = await write(nvim, path, "wrong\n")
    assert sorted(asked) == bufnrs
    await await_publish(nvim, bufnrs)

    await publish(nvim, client, bufnrs[0])
    await say(nvim, bufnrs[0], "wrong word")
    assert published(nvim) == []

    await publish(nvim, client, bufnrs[1])
    await done(nvim)
    assert await messages(nvim, bufnrs[1]) == ["wrong word"]


async def test_what_a_server_publishes_next_for_another_file_is_waited_for(
    nvim: Neovim, project: Path
) -> None:
    other = await edit(nvim, project / "b.txt", "odd\n")
    await attach(nvim, "--publish=on-request")
    bufnr = await edit(nvim, project / "a.txt")
    client = await attach(nvim, "--publish=on-request")
    await write(nvim, project / "a.txt", "wrong\n")
    await await_publish(nvim, [bufnr])

    await publish(nvim, client, bufnr)
    await publish(nvim, client, other, late=5)

    await done(nvim)
    assert await messages(nvim, other) == ["odd word"]


async def test_it_ends_when_time_is_up(nvim: Neovim, path: Path) -> None:
    bufnr = await edit(nvim, path)
    await attach(nvim, "--publish=never")
    await write(nvim, path, "wrong\n")

    await await_publish(nvim, [bufnr], 50)

    assert published(nvim) == []
    await done(nvim)


async def test_it_ends_when_the_server_does(nvim: Neovim, path: Path) -> None:
    bufnr = await edit(nvim, path)
    client = await attach(nvim, "--publish=never")
    await write(nvim, path, "wrong\n")
    await await_publish(nvim, [bufnr])

    await nvim.lua("vim.lsp.get_client_by_id(...):stop(true)", client)

    await done(nvim)


async def test_it_answers_once(nvim: Neovim, path: Path) -> None:
    bufnr = await edit(nvim, path)
    client = await attach(nvim, "--publish=on-request")
    await write(nvim, path, "wrong\n")
    await await_publish(nvim, [bufnr], 50)
    await done(nvim)

    await publish(nvim, client, bufnr)
    await say(nvim, bufnr, "wrong word")

    assert published(nvim) == DONE


async def test_two_can_wait_at_once(nvim: Neovim, path: Path) -> None:
    bufnr = await edit(nvim, path)
    await attach(nvim)
    await write(nvim, path, "wrong\n")

    await await_publish(nvim, [bufnr])
    await await_publish(nvim, [bufnr])

    await until(lambda: published(nvim) == DONE * 2)


# What is written before anybody waits.


async def test_a_write_that_was_taken_over_before_is_waited_for(nvim: Neovim, path: Path) -> None:
    bufnr = await edit(nvim, path)
    await attach(nvim, "--publish=on-request")
    await nvim.lua("require('claude_ide.reload').expect(...)", str(path))
    path.write_text("wrong\n")

    async def is_shown() -> bool:
        return bool(await nvim.eval("getline(1) == 'wrong'"))

    await until(is_shown)

    assert await nvim.lua(READ_ALL) == [bufnr]


async def test_what_has_been_said_about_a_write_is_not_waited_for(nvim: Neovim, path: Path) -> None:
    bufnr = await edit(nvim, path)
    await attach(nvim)
    await write(nvim, path, "wrong\n")
    await say(nvim, bufnr, "wrong word")

    assert await nvim.lua(READ_ALL) == []


# Texts that are no more.


async def test_diagnostics_of_an_older_version_do_not_end_the_wait(
    nvim: Neovim, path: Path
) -> None:
    bufnr = await edit(nvim, path)
    client = await attach(nvim, "--publish=on-request", "--version")
    await write(nvim, path, "wrong\n")
    await await_publish(nvim, [bufnr])

    await publish(nvim, client, bufnr, version=1)
    await say(nvim, bufnr, "wrong word")
    assert published(nvim) == []

    await publish(nvim, client, bufnr)
    await done(nvim)


async def test_versions_that_are_always_old_are_not_believed_again(
    nvim: Neovim, path: Path
) -> None:
    bufnr = await edit(nvim, path)
    client = await attach(nvim, "--publish=on-request", "--version", "--reads-code")
    await write(nvim, path, "wrong\n")
    await publish(nvim, client, bufnr, version=0)
    await say(nvim, bufnr, "wrong word")
    await await_publish(nvim, [bufnr], 50)
    await done(nvim)

    await write(nvim, path, "odd\n")
    await await_publish(nvim, [bufnr])
    await publish(nvim, client, bufnr, version=0)

    await done(nvim)


async def test_an_answer_to_the_write_before_does_not_end_the_wait(
    nvim: Neovim, path: Path
) -> None:
    bufnr = await edit(nvim, path)
    client = await attach(nvim, "--publish=on-request")
    await write(nvim, path, "odd\n")
    await publish(nvim, client, bufnr, late=700)
    await say(nvim, bufnr, "odd word")
    await write(nvim, path, "one\n")

    await write(nvim, path, "wrong\n")
    await publish(nvim, client, bufnr)
    await say(nvim, bufnr, "wrong word")
    await await_publish(nvim, [bufnr])
    assert published(nvim) == []

    await publish(nvim, client, bufnr, late=400)
    await done(nvim)


@pytest.mark.parametrize("sync", ["1", "2"])
async def test_an_edit_in_several_places_reaches_the_server_at_once(
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


# Servers that have to be asked.

VIEWS = {"current": "", "in view": "new", "hidden": "enew"}


@pytest.mark.parametrize("view", VIEWS)
async def test_a_pulled_server_is_asked_once_wherever_the_buffer_is(
    nvim: Neovim, path: Path, tmp_path: Path, view: str
) -> None:
    log = tmp_path / "log"
    bufnr = await edit(nvim, path, "odd\n")
    await attach(nvim, "--publish=pull", f"--log={log}")
    await say(nvim, bufnr, "odd word")
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
    await say(nvim, bufnr, "odd word", "odd word")
    await nvim.command("enew")
    await write(nvim, path, "wrong\n")
    await await_publish(nvim, [bufnr])

    await done(nvim)
    assert await messages(nvim, bufnr) == ["wrong word"] * 2
    last = received(log, "textDocument/diagnostic")[-2:]
    assert [parameters["identifier"] for parameters in last] == ["first", "second"]


# Servers that check what is saved.


@pytest.mark.parametrize("options", [(), ("--identifiers", "first")])
async def test_files_that_depend_on_what_was_written_are_pulled_as_well(
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


async def test_only_some_of_many_files_that_may_depend_are_pulled(
    nvim: Neovim, project: Path, path: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    options = ("--publish=pull", "--across", f"--log={log}")
    for number in range(30):
        await edit(nvim, project / f"{number}.txt")
        await attach(nvim, *options)
    await edit(nvim, path)
    await attach(nvim, *options)
    before = len(received(log, "textDocument/diagnostic"))

    await await_publish(nvim, await write(nvim, path, "wrong\n"))

    await done(nvim)
    assert 20 <= len(received(log, "textDocument/diagnostic")) - before <= 22


async def test_a_server_that_checks_what_is_saved_is_told_that_it_was(
    nvim: Neovim, path: Path
) -> None:
    bufnr = await edit(nvim, path)
    await attach(nvim, "--publish=on-save", "--save=yes")
    await write(nvim, path, "wrong\n")

    await await_publish(nvim, [bufnr])

    await done(nvim)
    assert await messages(nvim, bufnr) == ["wrong word"]


# Servers that say nothing.


async def test_a_server_that_never_publishes_is_waited_for_only_once(
    nvim: Neovim, path: Path
) -> None:
    bufnr = await edit(nvim, path)
    await attach(nvim, "--publish=never", name="assistant")
    await write(nvim, path, "two\n")
    await await_publish(nvim, [bufnr], 50)
    await done(nvim)

    assert await write(nvim, path, "three\n") == []


async def test_a_server_that_has_spoken_is_waited_for_again(nvim: Neovim, path: Path) -> None:
    bufnr = await edit(nvim, path)
    client = await attach(nvim, "--publish=on-request", name="assistant")
    await write(nvim, path, "wrong\n")
    await await_publish(nvim, [bufnr], 50)
    await done(nvim)
    await publish(nvim, client, bufnr)
    await say(nvim, bufnr, "wrong word")

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


async def test_a_server_with_nothing_new_to_say_is_waited_for_as_long_as_it_may_take(
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
        pytest.skip("Neovim tells nobody")
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


async def test_diagnostics_that_the_user_hides_were_not_published(nvim: Neovim, path: Path) -> None:
    bufnr = await edit(nvim, path)
    await nvim.lua(LINT, bufnr, ODD)
    await write(nvim, path, "wrong\n")
    await await_publish(nvim, [bufnr])

    await nvim.lua("vim.diagnostic.hide(); vim.diagnostic.show()")
    assert published(nvim) == []

    await nvim.lua(LINT, bufnr, [])
    await done(nvim)
