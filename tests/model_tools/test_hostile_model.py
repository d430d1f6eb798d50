"""A model that tries what it must not: nothing runs, nothing blocks, and each answer says why."""

import asyncio
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.model_tools import ModelTools
from support.neovim import Neovim, until

SOON = 15.0
CONTROL = "\x1b]0;title\x07 \x9b31m %{system('touch canary')} %#Error# \n\r\0 "

EXPLODING = (
    "((_) @a (_) @b)",
    "((_) @a (_) @b (_) @c (_) @d)",
    "((_) @a . (_) @b . (_) @c)",
    "((_)+ @a (_)+ @b)",
    "(_ (_)* @a (_)* @b (_)* @c)",
    "(_ " + "(_)* " * 100 + ")",
    "(_ " + "(_)* " * 600 + ") @a",
    "(_ " + "(_)+ " * 100 + ") @a",
    "(_ " + "(_)? " * 400 + ") @a",
    "(_ " + "(_)* . " * 100 + "(_)) @a",
    "(_ " + "((_)* (_)*)* " * 40 + ") @a",
    "(" * 200 + "(_)" + ")*" * 200 + " @a",
    "(" * 200 + "(_)" + ")+" * 200 + " @a",
    "((_)* (_)* (_)* (_)*)+ @a",
    "((_) @a (_)* @b (_)? @c)*",
    "[" + "(_) " * 2000 + "] @a",
    "(_ " + "[(_) (_)]* " * 400 + ") @a",
    "(_ " + "[(_) (_)]? " * 400 + ") @a",
    "[" * 60 + "(_) (_)" + "] (_)" * 59 + "] @a",
    "(_ " + "[(_) (_) @b]+ " * 60 + ") @a",
    "(_ " + "[(_)* (_)+]* " * 60 + ") @a",
    "(_ " * 60 + ")" * 60 + " @a",
    "(_ (_ (_)* @a)* @b)* @c",
    "(_ " * 40 + "(_)* @a" + ")*" * 40,
    "(_) @a " * 1000,
    "((_) @a (#eq? @a @a)) " * 300,
    "((_) @a (_) @b (#eq? @a @b))",
    "((_) @a (_)* @b (#any-not-eq? @b @a))",
    "((_) @a (#any-of? @a" + ' "x"' * 2000 + "))",
    "((_)" + " @a" * 3000 + ")",
)
"""Thirty kinds. With `(_ (_)* …)` of 600, the library needs many hours."""


@pytest.fixture
def unreadable(project: Path) -> Iterator[dict[str, str]]:
    """Paths that no tool may open, with the word that says why."""
    pipe, folder, huge = project / "pipe", project / "folder", project / "huge.lua"
    os.mkfifo(pipe)
    folder.mkdir()
    with huge.open("wb") as file:
        file.truncate(60_000_000)
    yield {
        str(pipe): "pipe",
        str(folder): "folder",
        str(huge): "bytes",
        "/dev/zero": "device",
        "/dev/null": "device",
        "https://example.com/a.lua": "",
        f"{project}/tarfile::a.lua::b.lua": "",
        f"{project}/zipfile:a.zip::b.lua": "",
        "term://touch canary": "",
        "": "",
        "a\0b": "",
    }


async def refused(tools: ModelTools, tool: str, **arguments: Any) -> str:
    """Return why a call is refused, as a result or as an error of the protocol."""
    params = {"name": tool, "arguments": arguments}
    answer = await tools.client.request("tools/call", params)
    if "error" in answer:
        return str(answer["error"]["message"])
    result = answer["result"]
    text: str = result["content"][0]["text"]
    assert result.get("isError"), f"{tool} {arguments}: {text[:500]}"
    return text


@pytest.mark.parametrize(
    ("tool", "more"),
    [
        ("outline", {}),
        ("syntax_node", {"line": 1}),
        ("tree_sitter_query", {"query": "(_) @a"}),
        ("enclosing", {"line": 1}),
        ("buffer_text", {}),
        ("undo_history", {}),
        ("undo_diff", {"older": 0}),
        ("marks", {}),
        ("save_file", {}),
        ("definition", {"line": 1}),
        ("open_file", {}),
    ],
)
async def test_no_tool_opens_what_is_no_file(
    tools: ModelTools,
    serving: Neovim,
    project: Path,
    unreadable: dict[str, str],
    tool: str,
    more: dict[str, Any],
) -> None:
    for path, word in unreadable.items():
        if tool == "marks" and path == "":
            continue  # the current file
        reason = await refused(tools, tool, file=path, **more)
        assert word in reason or "not open" in reason, (path, reason)
        assert len(reason) < 5_000
    assert not (project / "canary").exists()
    assert await serving.eval("len(getbufinfo({'bufloaded': 1}))") == 1


@pytest.mark.parametrize("tool", ["show_places", "set_list", "highlight"])
async def test_no_list_names_what_is_no_file(
    tools: ModelTools, serving: Neovim, project: Path, unreadable: dict[str, str], tool: str
) -> None:
    for path in unreadable:
        entry = {"file": path, "line": 1}
        more = {"ranges": [entry]} if tool == "highlight" else {"title": "t", "entries": [entry]}
        await refused(tools, tool, **more)
    assert await serving.eval("getqflist()") == []
    assert not (project / "canary").exists()


@pytest.mark.parametrize("query", EXPLODING, ids=range(len(EXPLODING)))
async def test_a_query_that_explodes_is_stopped_and_neovim_stays_usable(
    tools: ModelTools, serving: Neovim, project: Path, query: str
) -> None:
    path = project / "many.lua"
    path.write_text("".join(f"local a{n} = {{ {n}, {n}, {n} }}\n" for n in range(8_000)))
    tools.client.wait = SOON
    began = time.monotonic()

    number = await tools.client.begin("tree_sitter_query", file=str(path), query=query)
    reading = asyncio.ensure_future(tools.client.read())
    longest = 0.0
    while not reading.done():
        asked = time.monotonic()
        await serving.eval("1")
        longest = max(longest, time.monotonic() - asked)
        await asyncio.sleep(0)
    answer = await reading

    passed = time.monotonic() - began
    assert answer["id"] == number
    text = answer["result"]["content"][0]["text"]
    assert re.match("the query was stopped|[0-9,]+ captures", text), text
    # An editor that runs the query itself answers nothing else until it is stopped.
    assert longest < passed / 2 or "stopped after 5 s" not in text


async def test_a_pattern_or_a_function_in_a_query_is_refused(
    tools: ModelTools, project: Path
) -> None:
    path = project / "a.lua"
    path.write_text("local one = 1\n")

    for predicate in (
        '#match? @a "^(a+)+$"',
        '#lua-match? @a "."',
        "#vim-match? @a x",
        "#set! a b",
    ):
        query = f"((identifier) @a ({predicate}))"
        assert "is not allowed" in await refused(
            tools, "tree_sitter_query", file=str(path), query=query
        )


async def test_what_the_user_reads_has_no_control_characters_and_nothing_is_evaluated(
    tools: ModelTools, serving: Neovim, project: Path
) -> None:
    path = project / "a.txt"
    path.write_text("one\ntwo\n")
    entry = {"file": str(path), "line": 1, "text": CONTROL}
    await tools.text("show_places", title=CONTROL[:200], entries=[entry])
    await tools.text("highlight", ranges=[{"file": str(path), "line": 1, "note": CONTROL}])
    await tools.text("open_file", file=str(path))
    await until(lambda: serving.eval("getqflist({'winid': 0}).winid"), "the list is shown")
    await serving.command("redrawstatus!")

    (item,) = await serving.eval("getqflist()")
    assert not [letter for letter in item["text"] if ord(letter) < 32 or 127 <= ord(letter) < 160]
    shown = "".join(serving.screen.text().split("\n"))
    assert "\x1b" not in shown
    assert "\x9b" not in shown
    assert not (project / "canary").exists()


async def test_a_thousand_places_open_no_file(
    tools: ModelTools, serving: Neovim, project: Path
) -> None:
    for number in range(1000):
        (project / f"{number}.txt").write_text("one\n")
    entries = [{"file": str(project / f"{n}.txt"), "line": 1} for n in range(1000)]

    assert await tools.text("set_list", title="many", entries=entries) == "Set 1,000 places."

    assert await serving.eval("len(getqflist())") == 1000
    assert await serving.eval("len(getbufinfo({'bufloaded': 1}))") == 1
    assert await serving.eval("len(getbufinfo({'buflisted': 1}))") <= 1


async def test_a_file_opened_while_the_user_types_gets_none_of_the_keys(
    tools: ModelTools, serving: Neovim, project: Path
) -> None:
    mine, other = project / "mine.txt", project / "other.txt"
    mine.write_text("")
    other.write_text("untouched\n")
    await serving.command("edit mine.txt")
    await serving.keys("iHello ")

    number = await tools.client.begin("open_file", file=str(other))
    await serving.keys("world<Esc>:silent! wall<CR>")
    answer = await tools.client.read()

    assert answer["id"] == number
    await serving.keys("<Esc>")
    await serving.command("silent! wall")
    assert other.read_text() == "untouched\n"


@pytest.mark.parametrize("name", ["+", "*", "=", "?", "a b", "_", "\n", "%=", ""])
async def test_no_other_register_is_read(tools: ModelTools, serving: Neovim, name: str) -> None:
    await serving.lua("vim.g.clipboard = false vim.fn.setreg('a', 'mine')")

    assert await refused(tools, "register", name=name)


@pytest.mark.parametrize(
    "command",
    ["registers", "!touch canary", "set | !touch canary", "lua os.exit()", "messages", ""],
)
async def test_no_other_command_is_run(
    tools: ModelTools, serving: Neovim, project: Path, command: str
) -> None:
    assert "Invalid enum value" in await refused(tools, "ex_output", command=command)
    assert not (project / "canary").exists()
