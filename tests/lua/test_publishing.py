"""`checking/publishing.lua`: waiting for language servers and linters after a write."""

from pathlib import Path

from support.language_client import attach, publish
from support.neovim import Neovim, until
from support.publishing import (
    DONE,
    READ_ALL,
    await_publish,
    done,
    edit,
    messages,
    published,
    wait_for_messages,
    write,
)


async def test_a_buffer_without_a_language_server_is_not_awaited(nvim: Neovim, path: Path) -> None:
    await edit(nvim, path)

    assert await write(nvim, path, "wrong\n") == []


async def test_a_wait_without_any_buffer_ends_immediately(nvim: Neovim, path: Path) -> None:
    await edit(nvim, path)

    await await_publish(nvim, [])

    assert published(nvim) == DONE


async def test_deleted_buffers_are_not_awaited(nvim: Neovim, path: Path) -> None:
    bufnr = await edit(nvim, path)
    await attach(nvim, "--publish=never")
    await write(nvim, path, "wrong\n")
    await nvim.command("bwipeout a.txt")

    await await_publish(nvim, [bufnr, 9999])

    await done(nvim)


async def test_the_wait_ends_when_the_server_has_published_for_the_new_text(
    nvim: Neovim, path: Path
) -> None:
    bufnr = await edit(nvim, path, "odd\n")
    await attach(nvim)
    await wait_for_messages(nvim, bufnr, "odd word")

    assert await write(nvim, path, "wrong\n") == [bufnr]
    await await_publish(nvim, [bufnr])

    await done(nvim)
    assert await messages(nvim, bufnr) == ["wrong word"]


async def test_diagnostics_published_before_the_wait_count(nvim: Neovim, path: Path) -> None:
    bufnr = await edit(nvim, path)
    await attach(nvim)
    await write(nvim, path, "wrong\n")
    await wait_for_messages(nvim, bufnr, "wrong word")

    await await_publish(nvim, [bufnr])

    await done(nvim)


async def test_a_changed_buffer_has_its_diagnostics_pulled_during_the_wait(
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

    await wait_for_messages(nvim, bufnr, "wrong word", "wrong word")
    assert published(nvim) == []

    await publish(nvim, slow, bufnr)
    await done(nvim)
    assert await messages(nvim, bufnr) == ["wrong word"] * 3


async def test_the_last_of_several_servers_ends_the_wait_with_diagnostics_disabled(
    nvim: Neovim, path: Path
) -> None:
    bufnr = await edit(nvim, path)
    await nvim.lua("vim.diagnostic.enable(false)")
    slow = await attach(nvim, "--publish=on-request", name="slow")
    await attach(nvim, name="quick")
    await write(nvim, path, "wrong\n")
    await await_publish(nvim, [bufnr])

    await wait_for_messages(nvim, bufnr, "wrong word")
    assert published(nvim) == []

    await publish(nvim, slow, bufnr)
    await done(nvim)


async def test_the_wait_ends_when_every_buffer_has_its_diagnostics(
    nvim: Neovim, project: Path
) -> None:
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
    await wait_for_messages(nvim, bufnrs[0], "wrong word")
    assert published(nvim) == []

    await publish(nvim, client, bufnrs[1])
    await done(nvim)
    assert await messages(nvim, bufnrs[1]) == ["wrong word"]


async def test_diagnostics_that_follow_for_another_file_are_awaited_too(
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


async def test_the_wait_ends_when_time_is_up(nvim: Neovim, path: Path) -> None:
    bufnr = await edit(nvim, path)
    await attach(nvim, "--publish=never")
    await write(nvim, path, "wrong\n")

    await await_publish(nvim, [bufnr], 50)

    assert published(nvim) == []
    await done(nvim)


async def test_the_wait_ends_when_the_server_stops(nvim: Neovim, path: Path) -> None:
    bufnr = await edit(nvim, path)
    client = await attach(nvim, "--publish=never")
    await write(nvim, path, "wrong\n")
    await await_publish(nvim, [bufnr])

    await nvim.lua("vim.lsp.get_client_by_id(...):stop(true)", client)

    await done(nvim)


async def test_the_end_of_a_wait_is_reported_only_once(nvim: Neovim, path: Path) -> None:
    bufnr = await edit(nvim, path)
    client = await attach(nvim, "--publish=on-request")
    await write(nvim, path, "wrong\n")
    await await_publish(nvim, [bufnr], 50)
    await done(nvim)

    await publish(nvim, client, bufnr)
    await wait_for_messages(nvim, bufnr, "wrong word")

    assert published(nvim) == DONE


async def test_two_waits_can_run_at_the_same_time(nvim: Neovim, path: Path) -> None:
    bufnr = await edit(nvim, path)
    await attach(nvim)
    await write(nvim, path, "wrong\n")

    await await_publish(nvim, [bufnr])
    await await_publish(nvim, [bufnr])

    await until(lambda: published(nvim) == DONE * 2)


# Writes before the wait.


async def test_a_write_that_was_reloaded_before_the_wait_is_awaited(
    nvim: Neovim, path: Path
) -> None:
    bufnr = await edit(nvim, path)
    await attach(nvim, "--publish=on-request")
    await nvim.lua("require('claude_ide.disk.reload').expect(...)", str(path))
    path.write_text("wrong\n")

    async def is_shown() -> bool:
        return bool(await nvim.eval("getline(1) == 'wrong'"))

    await until(is_shown)

    assert await nvim.lua(READ_ALL) == [bufnr]


async def test_a_write_whose_diagnostics_have_arrived_is_not_awaited(
    nvim: Neovim, path: Path
) -> None:
    bufnr = await edit(nvim, path)
    await attach(nvim)
    await write(nvim, path, "wrong\n")
    await wait_for_messages(nvim, bufnr, "wrong word")

    assert await nvim.lua(READ_ALL) == []
