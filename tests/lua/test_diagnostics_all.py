"""`diagnostics/init.lua`: the diagnostics of all files, read in slices."""

from pathlib import Path

from support.chunks import chunk
from support.diagnostics import SET, SET_MANY, call, edit, of_file, read_all, read_on
from support.neovim import Neovim

# All files


async def test_all_files_with_diagnostics_are_read(nvim: Neovim, project: Path) -> None:
    for name in ("a.txt", "b c.txt", "none.txt"):
        bufnr = await edit(nvim, project / name)
        if name != "none.txt":
            await nvim.lua(SET, "linter", bufnr, [{"lnum": 0, "col": 0, "message": name}])

    files, omitted = await read_all(nvim)

    assert {uri: [item["message"] for item in items] for uri, items in files.items()} == {
        f"file://{project}/a.txt": ["a.txt"],
        f"file://{project}/b%20c.txt": ["b c.txt"],
    }
    assert omitted == {}


async def test_buffers_that_hold_no_file_are_skipped(nvim: Neovim, project: Path) -> None:
    await nvim.command("new | setlocal buftype=nofile | file scratch")
    await nvim.lua(
        SET, "linter", await nvim.eval("bufnr()"), [{"lnum": 0, "col": 0, "message": "m"}]
    )
    await nvim.command("new")
    await nvim.lua(
        SET, "linter", await nvim.eval("bufnr()"), [{"lnum": 0, "col": 0, "message": "m"}]
    )

    assert await read_all(nvim) == ({}, {})


async def test_one_file_can_be_read_in_slices(nvim: Neovim, project: Path) -> None:
    for name in ("a.txt", "b.txt"):
        await nvim.lua(SET_MANY, await edit(nvim, project / name), 1200)

    files, omitted = await read_all(nvim, project / "a.txt")

    assert {uri: len(items) for uri, items in files.items()} == {f"file://{project}/a.txt": 1200}
    assert omitted == {}
    assert await read_all(nvim, project / "none.txt") == ({}, {})


async def test_hints_are_omitted_first_over_the_limit(nvim: Neovim, project: Path) -> None:
    await nvim.lua(SET_MANY, await edit(nvim, project / "hints.txt"), 4000, 4)
    await nvim.lua(SET_MANY, await edit(nvim, project / "errors.txt"), 2000, 1)

    files, omitted = await read_all(nvim)

    assert {Path(uri).name: len(items) for uri, items in files.items()} == {
        "hints.txt": 3000,
        "errors.txt": 2000,
    }
    assert omitted == {f"file://{project}/hints.txt": 1000}


async def test_a_file_that_was_just_written_comes_before_all_others(
    nvim: Neovim, project: Path
) -> None:
    await call(nvim, "watch", True)
    await nvim.lua(SET_MANY, await edit(nvim, project / "big.txt"), 5200, 1)
    written = await edit(nvim, project / "small.txt")
    (project / "small.txt").write_text("three\n", encoding="utf-8")
    assert await nvim.lua("return require('claude_ide.disk_changes.reload').sync()") == [written]
    await nvim.lua(SET_MANY, written, 3, 2)

    files, omitted = await read_all(nvim)

    assert {Path(uri).name: len(items) for uri, items in files.items()} == {
        "big.txt": 4997,
        "small.txt": 3,
    }
    assert omitted == {f"file://{project}/big.txt": 203}


async def test_a_requested_file_comes_before_all_others(nvim: Neovim, project: Path) -> None:
    await nvim.lua(SET_MANY, await edit(nvim, project / "big.txt"), 5200, 1)
    asked = await edit(nvim, project / "small.txt")
    assert await of_file(nvim, project / "small.txt") == []
    await nvim.lua(SET_MANY, asked, 3, 4)

    files, _ = await read_all(nvim)

    assert len(files[f"file://{project}/small.txt"]) == 3


async def test_errors_come_first_among_requested_files(nvim: Neovim, project: Path) -> None:
    for name, count, severity in (("big.txt", 5200, 2), ("small.txt", 3, 1)):
        await nvim.lua(SET_MANY, await edit(nvim, project / name), count, severity)
        await of_file(nvim, project / name)

    files, _ = await read_all(nvim)

    assert len(files[f"file://{project}/small.txt"]) == 3


async def test_a_file_whose_diagnostics_are_all_omitted_is_still_reported(
    nvim: Neovim, project: Path
) -> None:
    await nvim.lua(SET_MANY, await edit(nvim, project / "errors.txt"), 5000, 1)
    await nvim.lua(SET_MANY, await edit(nvim, project / "hints.txt"), 7, 4)

    files, omitted = await read_all(nvim)

    assert files[f"file://{project}/hints.txt"] == []
    assert omitted == {f"file://{project}/hints.txt": 7}


async def test_a_file_that_is_closed_during_a_reading_is_skipped(
    nvim: Neovim, project: Path
) -> None:
    await nvim.lua(SET_MANY, await edit(nvim, project / "a.txt"), 1000, 1)
    await nvim.lua(SET_MANY, await edit(nvim, project / "b.txt"), 10, 2)
    begun = await call(nvim, "begin", None)

    await nvim.command("bwipeout a.txt")

    files, omitted = await read_on(nvim, begun)
    assert {uri: len(items) for uri, items in files.items()} == {
        f"file://{project}/a.txt": 0,
        f"file://{project}/b.txt": 10,
    }
    assert omitted == {}


async def test_a_finished_reading_returns_nothing_more(nvim: Neovim, project: Path) -> None:
    await nvim.lua(SET_MANY, await edit(nvim, project / "a.txt"), 1000)
    begun = await call(nvim, "begin", None)

    await call(nvim, "finish", begun["token"])

    assert await call(nvim, "next", begun["token"]) == {"files": [], "done": True}


async def longest_block(nvim: Neovim, calls: str) -> float:
    """The longest time that one of the calls blocks Neovim, including sending its result.

    In milliseconds of Neovim's CPU time, which does not depend on other programs.
    """
    block: float = await nvim.lua(
        """
        local channel, diagnostics = ..., require('claude_ide.diagnostics')
        local longest = 0
        local function timed(fn, ...)
          local began = os.clock()
          local result = fn(...)
          vim.rpcnotify(channel, 'timed', result)
          longest = math.max(longest, (os.clock() - began) * 1000)
          return result
        end
        """
        + calls
        + "\nreturn longest",
        await nvim.channel(),
    )
    return block


async def test_five_thousand_diagnostics_never_block_neovim_for_long(
    nvim: Neovim, project: Path
) -> None:
    bufnr = await edit(nvim, project / "a.txt", "éé wrong é\n" * 5000)
    await call(nvim, "watch", True)

    blocks = []
    for _ in range(5):
        await nvim.lua(SET_MANY, bufnr, 5000, 1)
        blocks.append(
            await longest_block(
                nvim,
                """
                local begun = timed(diagnostics.begin)
                repeat until timed(diagnostics.next, begun.token).done
                """,
            )
        )

    assert min(blocks) < 20
    files, _ = await read_all(nvim)
    assert [len(items) for items in files.values()] == [5000]


async def test_a_hundred_concurrent_readings_share_the_time_of_one(
    nvim: Neovim, project: Path
) -> None:
    bufnr = await edit(nvim, project / "a.txt", "éé wrong é\n" * 5000)
    await call(nvim, "watch", True)
    await nvim.lua(SET_MANY, bufnr, 5000, 1)

    milliseconds, done = await nvim.lua(chunk("diagnostics_all/time_reads"))

    assert (milliseconds < 40, done) == (True, 0)


async def test_long_lines_and_long_messages_never_block_neovim_for_long(
    nvim: Neovim, project: Path
) -> None:
    bufnr = await edit(nvim, project / "a.txt", "é" * 200_000)
    await nvim.lua(
        chunk("diagnostics_all/set_long"),
        bufnr,
    )

    blocks = [
        await longest_block(
            nvim,
            """
            local begun = timed(diagnostics.begin)
            repeat until timed(diagnostics.next, begun.token).done
            """,
        )
        for _ in range(5)
    ]

    assert min(blocks) < 20
