"""`lua/claude_ide/publishing.lua`: waiting for language servers to look at a new text."""

from pathlib import Path
from typing import Any

from support.language_client import attach
from support.neovim import Neovim, until

LONG = 60_000


async def edit(nvim: Neovim, path: Path, text: str = "one\n") -> int:
    path.write_text(text, encoding="utf-8")
    await nvim.command(f"edit {path}")
    return int(await nvim.eval("bufnr()"))


async def await_publish(nvim: Neovim, bufnrs: list[int], milliseconds: int = LONG) -> None:
    await nvim.lua("require('claude_ide.channel').id = ...", await nvim.channel())
    await nvim.lua(
        "require('claude_ide.diagnostics').await_publish(...)", "it", bufnrs, milliseconds
    )


async def change(nvim: Neovim, bufnr: int, text: str) -> None:
    await nvim.lua("vim.api.nvim_buf_set_lines(..., 0, -1, true, { select(2, ...) })", bufnr, text)


async def published(nvim: Neovim) -> Any:
    return await until(lambda: nvim.events("diagnostics_published"))


async def messages(nvim: Neovim, bufnr: int) -> Any:
    return await nvim.lua(
        "return vim.tbl_map(function(d) return d.message end, vim.diagnostic.get(...))", bufnr
    )


async def test_without_a_language_server_there_is_nothing_to_wait_for(
    nvim: Neovim, project: Path
) -> None:
    bufnr = await edit(nvim, project / "a.txt")

    await await_publish(nvim, [bufnr])

    assert nvim.events("diagnostics_published") == [{"token": "it"}]


async def test_without_any_buffer_there_is_nothing_to_wait_for(nvim: Neovim) -> None:
    await await_publish(nvim, [])
    assert nvim.events("diagnostics_published") == [{"token": "it"}]


async def test_buffers_that_are_gone_are_not_waited_for(nvim: Neovim, project: Path) -> None:
    bufnr = await edit(nvim, project / "a.txt")
    await attach(nvim)
    await nvim.command("bwipeout a.txt")

    await await_publish(nvim, [bufnr, 9999])

    assert nvim.events("diagnostics_published") == [{"token": "it"}]


async def test_it_waits_until_the_server_has_published_for_the_new_text(
    nvim: Neovim, project: Path
) -> None:
    bufnr = await edit(nvim, project / "a.txt", "odd\n")
    await attach(nvim)
    await until(lambda: messages(nvim, bufnr))

    await await_publish(nvim, [bufnr])
    await change(nvim, bufnr, "wrong")

    assert await published(nvim) == [{"token": "it"}]
    assert await messages(nvim, bufnr) == ["wrong word"]


async def test_it_waits_for_a_server_that_is_asked_for_diagnostics(
    nvim: Neovim, project: Path
) -> None:
    bufnr = await edit(nvim, project / "a.txt", "odd\n")
    await attach(nvim, "--publish=pull")
    await until(lambda: messages(nvim, bufnr))

    await change(nvim, bufnr, "wrong")
    await await_publish(nvim, [bufnr])

    assert await published(nvim) == [{"token": "it"}]
    assert await messages(nvim, bufnr) == ["wrong word"]


async def test_it_waits_for_each_of_the_buffers(nvim: Neovim, project: Path) -> None:
    bufnrs = []
    for name in ("a.txt", "b.txt"):
        bufnrs.append(await edit(nvim, project / name))
        await attach(nvim, "--publish=on-request")
    await await_publish(nvim, bufnrs)
    publish = """
      local client = vim.lsp.get_clients({ bufnr = ... })[1]
      client:notify('test/publish', { uri = vim.uri_from_bufnr(...) })
    """

    await change(nvim, bufnrs[0], "wrong")
    await nvim.lua(publish, bufnrs[0])
    await until(lambda: messages(nvim, bufnrs[0]))
    assert nvim.events("diagnostics_published") == []

    await change(nvim, bufnrs[1], "wrong")
    await nvim.lua(publish, bufnrs[1])
    await published(nvim)
    assert await messages(nvim, bufnrs[1]) == ["wrong word"]


async def test_it_ends_when_time_is_up(nvim: Neovim, project: Path) -> None:
    bufnr = await edit(nvim, project / "a.txt")
    await attach(nvim, "--publish=never")

    await await_publish(nvim, [bufnr], 50)

    assert nvim.events("diagnostics_published") == []
    assert await published(nvim) == [{"token": "it"}]


async def test_it_answers_once(nvim: Neovim, project: Path) -> None:
    bufnr = await edit(nvim, project / "a.txt", "odd\n")
    await attach(nvim, "--publish=never")
    await await_publish(nvim, [bufnr], 50)
    await published(nvim)

    await nvim.lua("vim.diagnostic.set(vim.api.nvim_create_namespace('x'), ..., {})", bufnr)

    assert nvim.events("diagnostics_published") == [{"token": "it"}]


async def test_a_server_that_never_publishes_is_waited_for_only_once(
    nvim: Neovim, project: Path
) -> None:
    bufnr = await edit(nvim, project / "a.txt")
    await attach(nvim, "--publish=never", name="assistant")
    await await_publish(nvim, [bufnr], 50)
    await published(nvim)
    nvim.notifications.clear()

    await await_publish(nvim, [bufnr])

    assert nvim.events("diagnostics_published") == [{"token": "it"}]


async def test_a_server_that_was_late_is_waited_for_again(nvim: Neovim, project: Path) -> None:
    bufnr = await edit(nvim, project / "a.txt", "wrong\n")
    await attach(nvim, "--publish=on-request")
    await await_publish(nvim, [bufnr], 50)
    await published(nvim)
    publish = """
      local client = vim.lsp.get_clients({ bufnr = ... })[1]
      client:notify('test/publish', { uri = vim.uri_from_bufnr(...) })
    """
    await nvim.lua(publish, bufnr)
    await until(lambda: messages(nvim, bufnr))
    nvim.notifications.clear()

    await await_publish(nvim, [bufnr])
    assert nvim.events("diagnostics_published") == []

    await nvim.lua(publish, bufnr)
    assert await published(nvim) == [{"token": "it"}]


async def test_two_can_wait_at_once(nvim: Neovim, project: Path) -> None:
    bufnr = await edit(nvim, project / "a.txt", "odd\n")
    await attach(nvim)
    await until(lambda: messages(nvim, bufnr))

    await change(nvim, bufnr, "wrong")
    await await_publish(nvim, [bufnr])
    await await_publish(nvim, [bufnr])

    assert await until(lambda: len(nvim.events("diagnostics_published")) == 2)
