"""`diagnostics/init.lua`: diagnostics are reported as they change."""

from pathlib import Path

from support.chunks import chunk
from support.diagnostics import SET, SET_MANY, call, edit, of_file
from support.language_client import attach
from support.neovim import Neovim, until


async def listen(nvim: Neovim) -> None:
    await nvim.lua("require('claude_ide.channel').id = ...", await nvim.channel())


# Changes


async def test_watch_reports_each_file_that_changes(nvim: Neovim, project: Path) -> None:
    await listen(nvim)
    await call(nvim, "watch", True)
    for name in ("a.txt", "b.txt"):
        bufnr = await edit(nvim, project / name)
        await nvim.lua(SET, "linter", bufnr, [{"lnum": 0, "col": 0, "message": name}])

    events = await until(lambda: (e := nvim.events("diagnostics_changed")) and len(e) == 2 and e)

    assert sorted((e["uri"], [i["message"] for i in e["items"]], e["omitted"]) for e in events) == [
        (f"file://{project}/a.txt", ["a.txt"], 0),
        (f"file://{project}/b.txt", ["b.txt"], 0),
    ]


async def test_watch_reports_that_no_diagnostics_remain(nvim: Neovim, project: Path) -> None:
    await listen(nvim)
    await call(nvim, "watch", True)
    bufnr = await edit(nvim, project / "a.txt")
    await nvim.lua(SET, "linter", bufnr, [{"lnum": 0, "col": 0, "message": "m"}])
    await until(lambda: nvim.events("diagnostics_changed"))

    await nvim.lua("vim.diagnostic.reset()")

    await until(lambda: nvim.events("diagnostics_changed")[-1]["items"] == [])


async def test_watch_throttles_and_always_reports_the_last_state(
    nvim: Neovim, project: Path
) -> None:
    await listen(nvim)
    await call(nvim, "watch", True)
    bufnr = await edit(nvim, project / "a.txt")

    milliseconds = await nvim.lua(
        chunk("diagnostics_watch/set_often"),
        bufnr,
    )

    await until(lambda: nvim.events("diagnostics_changed")[-1]["items"][0]["message"] == "60")
    assert len(nvim.events("diagnostics_changed")) <= milliseconds / 100 + 2


async def test_watch_delays_large_reports_until_insert_mode_ends(
    nvim: Neovim, project: Path
) -> None:
    await listen(nvim)
    await call(nvim, "watch", True)
    many = await edit(nvim, project / "many.txt")
    few = await edit(nvim, project / "few.txt")
    await nvim.keys("i")
    await until(lambda: nvim.eval("mode() == 'i'"))
    await nvim.lua(SET_MANY, many, 600, 1)
    await nvim.lua(SET_MANY, few, 6)
    await until(lambda: nvim.events("diagnostics_changed"), "the few")
    assert [len(event["items"]) for event in nvim.events("diagnostics_changed")] == [6]

    await nvim.keys("<Esc>")

    await until(lambda: len(nvim.events("diagnostics_changed")) == 2)
    assert len(nvim.events("diagnostics_changed")[1]["items"]) == 600


async def test_watch_reports_at_most_a_thousand_diagnostics_of_a_file(
    nvim: Neovim, project: Path
) -> None:
    await listen(nvim)
    await call(nvim, "watch", True)
    bufnr = await edit(nvim, project / "a.txt", "éé wrong é\n" * 6000)

    await nvim.lua(SET_MANY, bufnr, 6000, 2)

    [event] = await until(lambda: nvim.events("diagnostics_changed"))
    assert (len(event["items"]), event["omitted"]) == (1000, 5000)


async def test_watch_never_reports_an_old_state_after_a_new_one(
    nvim: Neovim, project: Path
) -> None:
    await listen(nvim)
    await call(nvim, "watch", True)
    bufnr = await edit(nvim, project / "a.txt", "é" * 200_000)
    await nvim.lua(
        chunk("diagnostics_watch/set_long"),
        bufnr,
    )
    await nvim.idle(20)
    await nvim.lua("_G.set(..., 1, 'new')", bufnr)

    await until(
        lambda: [e["items"][0]["message"] for e in nvim.events("diagnostics_changed")] == ["new"]
    )
    await nvim.idle(1500)

    assert len(nvim.events("diagnostics_changed")) == 1


async def test_watch_ignores_wiped_buffers_and_buffers_that_are_not_files(
    nvim: Neovim, project: Path
) -> None:
    await listen(nvim)
    await call(nvim, "watch", True)
    await nvim.command("new | setlocal buftype=nofile | file scratch")
    await nvim.lua(
        SET, "linter", await nvim.eval("bufnr()"), [{"lnum": 0, "col": 0, "message": "m"}]
    )
    gone = await edit(nvim, project / "gone.txt")
    await nvim.lua(SET + "vim.cmd('bwipeout! ' .. bufnr)", "linter", gone, [])

    bufnr = await edit(nvim, project / "a.txt")
    await nvim.lua(SET, "linter", bufnr, [{"lnum": 0, "col": 0, "message": "m"}])

    [event] = await until(lambda: nvim.events("diagnostics_changed"))
    assert event["uri"] == f"file://{project}/a.txt"
    assert await nvim.mode() == {"mode": "n", "blocking": False}


async def test_watch_reports_nothing_after_it_ends(nvim: Neovim, project: Path) -> None:
    await listen(nvim)
    await call(nvim, "watch", True)
    await call(nvim, "watch", False)

    bufnr = await edit(nvim, project / "a.txt")
    await nvim.lua(SET, "linter", bufnr, [{"lnum": 0, "col": 0, "message": "m"}])
    await nvim.idle(150)

    assert nvim.events("diagnostics_changed") == []
    autocommands = "return #vim.api.nvim_get_autocmds({ group = 'claude_ide_diagnostics' })"
    assert await nvim.lua(autocommands) == 0


# With a language server


async def test_diagnostics_from_a_language_server_are_read(nvim: Neovim, project: Path) -> None:
    await edit(nvim, project / "a.txt", "fine\né😀 wrong and odd\n")
    await attach(nvim)

    items = await until(lambda: of_file(nvim, project / "a.txt"))

    assert items == [
        {
            "message": "wrong word",
            "severity": "Error",
            "range": {"start": {"line": 1, "character": 4}, "end": {"line": 1, "character": 9}},
            "source": "words",
            "code": "report-wrong",
        },
        {
            "message": "odd word",
            "severity": "Warning",
            "range": {"start": {"line": 1, "character": 14}, "end": {"line": 1, "character": 17}},
            "source": "words",
            "code": "report-odd",
        },
    ]
