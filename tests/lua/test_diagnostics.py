"""`diagnostics/init.lua`: what `vim.diagnostic` holds, in the words of the wire."""

from pathlib import Path
from typing import Any

import pytest

from support.language_client import attach
from support.neovim import Neovim, until

SET = """
  local name, bufnr, diagnostics = ...
  vim.diagnostic.set(vim.api.nvim_create_namespace(name), bufnr, diagnostics)
"""

# As rust-analyzer's are, with all that a language server attaches to each.
SET_MANY = """
  local bufnr, count, severity = ...
  local function data(i)
    local related = {}
    for j = 1, 4 do
      local start, finish = { line = i, character = j }, { line = i, character = j + 1 }
      local location = { uri = 'file:///a', range = { start = start, ['end'] = finish } }
      related[j] = { message = 'see here', location = location }
    end
    return { rendered = 'name ' .. i, related = related }
  end
  local diagnostics = {}
  for i = 1, count do
    local range = { start = { line = i, character = 3 }, ['end'] = { line = i, character = 8 } }
    diagnostics[i] = {
      lnum = i - 1, col = 3, end_lnum = i - 1, end_col = 8, severity = severity or (i % 4 + 1),
      message = 'name ' .. i .. ' is not defined', source = 'pyright', code = 'reportUndefined',
      user_data = { lsp = { range = range, message = 'x', data = data(i) } },
    }
  end
  vim.diagnostic.set(vim.api.nvim_create_namespace('many'), bufnr, diagnostics, {
    virtual_text = false, signs = false, underline = false,
  })
"""


async def call(nvim: Neovim, function: str, *arguments: Any) -> Any:
    return await nvim.lua(f"return require('claude_ide.diagnostics').{function}(...)", *arguments)


async def edit(nvim: Neovim, path: Path, text: str = "one\ntwo\n") -> int:
    path.write_text(text, encoding="utf-8")
    await nvim.command(f"edit {path}")
    return int(await nvim.eval("bufnr()"))


async def listen(nvim: Neovim) -> None:
    await nvim.lua("require('claude_ide.channel').id = ...", await nvim.channel())


async def read_all(
    nvim: Neovim, path: Path | None = None
) -> tuple[dict[str, list[Any]], dict[str, int]]:
    """Read in slices as the host does: the items of each file, and how many were omitted."""
    begun = await call(nvim, "begin", path and str(path))
    files: dict[str, list[Any]] = {uri: [] for uri in begun["files"]}
    omitted: dict[str, int] = {}
    done = False
    while not done:
        slice_ = await call(nvim, "next", begun["token"])
        done = slice_["done"]
        for part in slice_["files"]:
            files[part["uri"]] += part["items"]
            if part["omitted"]:
                omitted[part["uri"]] = part["omitted"]
    return files, omitted


async def of_file(nvim: Neovim, path: Path) -> list[Any]:
    """Read one file to the end."""
    files, _ = await read_all(nvim, path)
    return [item for items in files.values() for item in items]


def place(item: dict[str, Any]) -> tuple[int, int, int, int]:
    start, end = item["range"]["start"], item["range"]["end"]
    return start["line"], start["character"], end["line"], end["character"]


# One file


async def test_a_diagnostic_has_the_words_of_the_wire(nvim: Neovim, project: Path) -> None:
    bufnr = await edit(nvim, project / "a.txt", "x = undefined\n")
    await nvim.lua(
        SET,
        "linter",
        bufnr,
        [
            {
                "lnum": 0,
                "col": 4,
                "end_lnum": 0,
                "end_col": 13,
                "severity": 1,
                "message": "undefined name",
                "source": "pyright",
                "code": "reportUndefined",
            }
        ],
    )

    assert await of_file(nvim, project / "a.txt") == [
        {
            "message": "undefined name",
            "severity": "Error",
            "range": {"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 13}},
            "source": "pyright",
            "code": "reportUndefined",
        }
    ]


async def test_severities_are_words_and_errors_come_first(nvim: Neovim, project: Path) -> None:
    bufnr = await edit(nvim, project / "a.txt")
    await nvim.lua(
        SET,
        "linter",
        bufnr,
        [
            {"lnum": 0, "col": 0, "severity": severity, "message": str(severity)}
            for severity in (4, 2, 3, 1)
        ],
    )

    items = await of_file(nvim, project / "a.txt")

    assert [item["severity"] for item in items] == ["Error", "Warning", "Info", "Hint"]


async def test_what_is_missing_is_left_out(nvim: Neovim, project: Path) -> None:
    bufnr = await edit(nvim, project / "a.txt")
    await nvim.lua(SET, "linter", bufnr, [{"lnum": 1, "col": 2, "message": "no"}])

    assert await of_file(nvim, project / "a.txt") == [
        {
            "message": "no",
            "severity": "Error",
            "range": {"start": {"line": 1, "character": 2}, "end": {"line": 1, "character": 2}},
        }
    ]


@pytest.mark.parametrize("code", ["E501", 501])
async def test_a_code_may_be_a_number(nvim: Neovim, project: Path, code: str | int) -> None:
    bufnr = await edit(nvim, project / "a.txt")
    await nvim.lua(SET, "linter", bufnr, [{"lnum": 0, "col": 0, "message": "m", "code": code}])

    [item] = await of_file(nvim, project / "a.txt")

    assert item["code"] == code


async def test_columns_are_utf_16_code_units(nvim: Neovim, project: Path) -> None:
    bufnr = await edit(nvim, project / "a.txt", "é😀 name\nü\n")
    start = len("é😀 ".encode())
    await nvim.lua(
        SET,
        "linter",
        bufnr,
        [
            {"lnum": 0, "col": start, "end_col": start + 4, "message": "one line"},
            {"lnum": 0, "col": start, "end_lnum": 1, "end_col": 2, "message": "two lines"},
        ],
    )

    items = await of_file(nvim, project / "a.txt")

    assert [place(item) for item in items] == [(0, 4, 0, 8), (0, 4, 1, 1)]


async def test_places_outside_the_text_do_no_harm(nvim: Neovim, project: Path) -> None:
    bufnr = await edit(nvim, project / "a.txt")
    await nvim.lua(
        SET,
        "linter",
        bufnr,
        [
            {"lnum": 0, "col": 99, "end_col": 120, "message": "past the line"},
            {"lnum": 7, "col": 3, "message": "past the buffer"},
            {"lnum": -1, "col": -1, "message": "before it"},
        ],
    )

    items = await of_file(nvim, project / "a.txt")

    assert [place(item) for item in items] == [(0, 3, 0, 3), (7, 0, 7, 0), (0, 0, 0, 0)]


async def test_all_namespaces_count(nvim: Neovim, project: Path) -> None:
    bufnr = await edit(nvim, project / "a.txt")
    for name in ("linter", "spelling"):
        await nvim.lua(SET, name, bufnr, [{"lnum": 0, "col": 0, "message": name}])

    items = await of_file(nvim, project / "a.txt")

    assert sorted(item["message"] for item in items) == ["linter", "spelling"]


async def test_functions_in_user_data_and_odd_codes_do_no_harm(nvim: Neovim, project: Path) -> None:
    bufnr = await edit(nvim, project / "a.txt")
    await nvim.lua(
        """
        vim.diagnostic.set(vim.api.nvim_create_namespace('linter'), ..., {
          { lnum = 0, col = 0, message = 'm', code = {}, user_data = { fix = function() end } },
          { lnum = 0, col = 0, message = 'n', code = vim.NIL },
        })
        """,
        bufnr,
    )

    items = await of_file(nvim, project / "a.txt")

    assert [(item["message"], item.get("code")) for item in items] == [("m", None), ("n", None)]


async def test_a_file_without_diagnostics_and_one_that_is_not_open_have_none(
    nvim: Neovim, project: Path
) -> None:
    await edit(nvim, project / "a.txt")

    assert await of_file(nvim, project / "a.txt") == []
    assert await of_file(nvim, project / "b.txt") == []


async def test_a_file_is_found_through_a_symlink(nvim: Neovim, project: Path) -> None:
    bufnr = await edit(nvim, project / "a.txt")
    await nvim.lua(SET, "linter", bufnr, [{"lnum": 0, "col": 0, "message": "m"}])
    (project / "link.txt").symlink_to(project / "a.txt")

    assert len(await of_file(nvim, project / "link.txt")) == 1


async def test_a_buffer_without_text_keeps_its_columns(nvim: Neovim, project: Path) -> None:
    bufnr = await nvim.lua("return vim.fn.bufadd(...)", str(project / "a.txt"))
    await nvim.lua(SET, "linter", bufnr, [{"lnum": 5, "col": 7, "end_col": 9, "message": "m"}])

    [item] = await of_file(nvim, project / "a.txt")

    assert place(item) == (5, 7, 5, 9)


async def test_reading_does_not_change_what_vim_diagnostic_holds(
    nvim: Neovim, project: Path
) -> None:
    bufnr = await edit(nvim, project / "a.txt")
    await nvim.lua(SET_MANY, bufnr, 3)
    held = "return vim.diagnostic.get(...)"
    before = await nvim.lua(held, bufnr)

    await of_file(nvim, project / "a.txt")

    assert await nvim.lua(held, bufnr) == before


@pytest.mark.parametrize("field", ["source", "code", "message"])
async def test_a_null_of_a_language_server_is_left_out(
    nvim: Neovim, project: Path, field: str
) -> None:
    bufnr = await edit(nvim, project / "a.txt")
    await nvim.lua(
        """local bufnr, field = ...
        local diagnostic = { lnum = 0, col = 0, message = 'm', source = 's', code = 1 }
        diagnostic[field] = vim.NIL
        vim.diagnostic.set(vim.api.nvim_create_namespace('linter'), bufnr, { diagnostic })""",
        bufnr,
        field,
    )

    [item] = await of_file(nvim, project / "a.txt")

    assert item.get(field) == ("" if field == "message" else None)
    assert item["severity"] == "Error"


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


async def test_what_is_over_the_limit_is_omitted_hints_first(nvim: Neovim, project: Path) -> None:
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
    assert await nvim.lua("return require('claude_ide.disk.reload').sync()") == [written]
    await nvim.lua(SET_MANY, written, 3, 2)

    files, omitted = await read_all(nvim)

    assert {Path(uri).name: len(items) for uri, items in files.items()} == {
        "big.txt": 4997,
        "small.txt": 3,
    }
    assert omitted == {f"file://{project}/big.txt": 203}


async def test_a_file_that_was_asked_for_comes_before_all_others(
    nvim: Neovim, project: Path
) -> None:
    await nvim.lua(SET_MANY, await edit(nvim, project / "big.txt"), 5200, 1)
    asked = await edit(nvim, project / "small.txt")
    assert await of_file(nvim, project / "small.txt") == []
    await nvim.lua(SET_MANY, asked, 3, 4)

    files, _ = await read_all(nvim)

    assert len(files[f"file://{project}/small.txt"]) == 3


async def test_of_files_that_were_asked_for_errors_come_first(nvim: Neovim, project: Path) -> None:
    for name, count, severity in (("big.txt", 5200, 2), ("small.txt", 3, 1)):
        await nvim.lua(SET_MANY, await edit(nvim, project / name), count, severity)
        await of_file(nvim, project / name)

    files, _ = await read_all(nvim)

    assert len(files[f"file://{project}/small.txt"]) == 3


async def test_a_file_none_of_which_fits_is_still_told(nvim: Neovim, project: Path) -> None:
    await nvim.lua(SET_MANY, await edit(nvim, project / "errors.txt"), 5000, 1)
    await nvim.lua(SET_MANY, await edit(nvim, project / "hints.txt"), 7, 4)

    files, omitted = await read_all(nvim)

    assert files[f"file://{project}/hints.txt"] == []
    assert omitted == {f"file://{project}/hints.txt": 7}


async def test_a_file_that_is_closed_while_it_is_read_ends_its_part(
    nvim: Neovim, project: Path
) -> None:
    await nvim.lua(SET_MANY, await edit(nvim, project / "a.txt"), 1000, 1)
    await nvim.lua(SET_MANY, await edit(nvim, project / "b.txt"), 10, 2)
    begun = await call(nvim, "begin", None)

    await nvim.command("bwipeout a.txt")

    items = []
    done = False
    while not done:
        slice_ = await call(nvim, "next", begun["token"])
        done = slice_["done"]
        items += [part["uri"] for part in slice_["files"]]
    assert items == [f"file://{project}/b.txt"]


async def test_a_reading_that_was_given_up_is_at_its_end(nvim: Neovim, project: Path) -> None:
    await nvim.lua(SET_MANY, await edit(nvim, project / "a.txt"), 1000)
    begun = await call(nvim, "begin", None)

    await call(nvim, "finish", begun["token"])

    assert await call(nvim, "next", begun["token"]) == {"files": [], "done": True}


async def longest_block(nvim: Neovim, calls: str) -> float:
    """The longest that one of the calls stops Neovim, sending its result included.

    In milliseconds of its own CPU time, which other programs on the machine do not lengthen.
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


async def test_five_thousand_in_one_buffer_never_stop_neovim_for_long(
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


async def test_a_hundred_readings_at_once_share_the_time_of_one(
    nvim: Neovim, project: Path
) -> None:
    bufnr = await edit(nvim, project / "a.txt", "éé wrong é\n" * 5000)
    await call(nvim, "watch", True)
    await nvim.lua(SET_MANY, bufnr, 5000, 1)

    milliseconds, done = await nvim.lua(
        """
        local diagnostics = require('claude_ide.diagnostics')
        local began, done = os.clock(), 0
        for _ = 1, 100 do
          done = done + (diagnostics.read().done and 1 or 0)
        end
        return { (os.clock() - began) * 1000, done }
        """
    )

    assert (milliseconds < 40, done) == (True, 0)


async def test_long_lines_and_long_messages_never_stop_neovim_for_long(
    nvim: Neovim, project: Path
) -> None:
    bufnr = await edit(nvim, project / "a.txt", "é" * 200_000)
    await nvim.lua(
        """
        local diagnostics = {}
        for i = 1, 150 do
          diagnostics[i] = { lnum = 0, col = 2 * i, end_col = 300000, message = ('x'):rep(10000) }
        end
        vim.diagnostic.set(vim.api.nvim_create_namespace('long'), ..., diagnostics, {
          virtual_text = false, signs = false, underline = false,
        })
        """,
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


# As it changes


async def test_watch_tells_of_each_file_that_changes(nvim: Neovim, project: Path) -> None:
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


async def test_watch_tells_that_there_are_none_any_more(nvim: Neovim, project: Path) -> None:
    await listen(nvim)
    await call(nvim, "watch", True)
    bufnr = await edit(nvim, project / "a.txt")
    await nvim.lua(SET, "linter", bufnr, [{"lnum": 0, "col": 0, "message": "m"}])
    await until(lambda: nvim.events("diagnostics_changed"))

    await nvim.lua("vim.diagnostic.reset()")

    await until(lambda: nvim.events("diagnostics_changed")[-1]["items"] == [])


async def test_watch_throttles_and_always_tells_the_last_state(nvim: Neovim, project: Path) -> None:
    await listen(nvim)
    await call(nvim, "watch", True)
    bufnr = await edit(nvim, project / "a.txt")

    milliseconds = await nvim.lua(
        """
        local bufnr = ...
        local began = vim.uv.hrtime()
        for i = 1, 60 do
          vim.diagnostic.set(vim.api.nvim_create_namespace('linter'), bufnr, {
            { lnum = 0, col = 0, message = tostring(i) },
          })
          vim.wait(5)
        end
        return (vim.uv.hrtime() - began) / 1e6
        """,
        bufnr,
    )

    await until(lambda: nvim.events("diagnostics_changed")[-1]["items"][0]["message"] == "60")
    assert len(nvim.events("diagnostics_changed")) <= milliseconds / 100 + 2


async def test_watch_reports_many_when_the_user_has_left_insert_mode(
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


async def test_watch_reads_many_a_bit_at_a_time(nvim: Neovim, project: Path) -> None:
    await listen(nvim)
    await call(nvim, "watch", True)
    bufnr = await edit(nvim, project / "a.txt", "éé wrong é\n" * 6000)

    await nvim.lua(SET_MANY, bufnr, 6000, 2)

    [event] = await until(lambda: nvim.events("diagnostics_changed"))
    assert (len(event["items"]), event["omitted"]) == (1000, 5000)


async def test_watch_never_tells_an_old_state_after_a_new_one(nvim: Neovim, project: Path) -> None:
    await listen(nvim)
    await call(nvim, "watch", True)
    bufnr = await edit(nvim, project / "a.txt", "é" * 200_000)
    await nvim.lua(
        """
        _G.set = function(bufnr, count, message)
          local diagnostics = {}
          for i = 1, count do
            diagnostics[i] = { lnum = 0, col = 399998 - 2 * i, end_col = 399999, message = message }
          end
          vim.diagnostic.set(vim.api.nvim_create_namespace('long'), bufnr, diagnostics, {
            virtual_text = false, signs = false, underline = false,
          })
        end
        -- Reading these takes much longer than until the next state is told.
        _G.set(..., 250, 'old')
        """,
        bufnr,
    )
    await nvim.lua("vim.wait(20)")
    await nvim.lua("_G.set(..., 1, 'new')", bufnr)

    await until(
        lambda: [e["items"][0]["message"] for e in nvim.events("diagnostics_changed")] == ["new"]
    )
    await nvim.lua("vim.wait(1500)")

    assert len(nvim.events("diagnostics_changed")) == 1


async def test_watch_is_silent_about_what_is_no_file_or_is_gone(
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


async def test_watch_can_be_ended(nvim: Neovim, project: Path) -> None:
    await listen(nvim)
    await call(nvim, "watch", True)
    await call(nvim, "watch", False)

    bufnr = await edit(nvim, project / "a.txt")
    await nvim.lua(SET, "linter", bufnr, [{"lnum": 0, "col": 0, "message": "m"}])
    await nvim.lua("vim.wait(150)")

    assert nvim.events("diagnostics_changed") == []
    autocommands = "return #vim.api.nvim_get_autocmds({ group = 'claude_ide_diagnostics' })"
    assert await nvim.lua(autocommands) == 0


# With a language server


async def test_what_a_language_server_publishes_arrives(nvim: Neovim, project: Path) -> None:
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
