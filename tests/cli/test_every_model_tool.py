"""The model calls each of its tools, in both versions of the real CLI."""

import asyncio
import json
import re
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from claude_ide.mcp.model import NEED_NEOVIM
from claude_ide.mcp.registration import TOKEN, options
from claude_ide.mcp.tool import MODEL_TOOLS
from support.claude_cli import environment
from support.claude_code import the_lock
from support.either_editor import BOTH, Editor, choose, configure, name_of
from support.fake_api import FakeApi, Turn, text, tool_use
from support.model_languages import GREETER, enable_real
from support.model_tools import READY
from support.neovim import WAIT_SECONDS, Neovim, until
from support.tool_calls import calls
from support.vim import Vim

from .conftest import serve

Ask = Callable[[Turn], Awaitable[Process]]

NO_SERVER = "no language server answers"
UNUSED = "Ruff (F401): Remove unused import: `os`"
EXPECTED = {
    "buffer_text": "2 lines\n1\tlocal one = 1\n2\tprint(one)",
    "buffers": "a.lua (lua, 2 lines",
    "clear_highlights": "There are no highlights any more.",
    "definition": NO_SERVER,
    "enclosing": "No function or class is around this line.",
    "ex_output": "line",
    "highlight": "Highlighted 1 range.",
    "jumps": "Jumps in the current window:",
    "marks": "0 marks",
    "messages": "line",
    "open_file": "Opened ",
    "outline": "0 definitions",
    "quickfix": "entr",
    "references": NO_SERVER,
    "register": "The register is empty.",
    "save_file": "Saved ",
    "selection": "a.lua:1:1",
    "set_list": "Set 1 place.",
    "show_places": "The user sees 1 place in the quickfix window.",
    "syntax_node": "1:7-1:10 name: identifier: one",
    "tree_sitter_query": "@name 1:7-1:10 name: identifier: one",
    "undo_diff": "There is no difference.",
    "undo_history": "0 states; the text is state 0",
    "unsaved_changes": "Everything is saved.",
    "windows": "1 window in this tab page",
    "working_folders": "1 folder",
}

TRIES = 5
LATE = "not all servers|no answer within|Nothing was found"

MAIN = """from greeter import Greeter

é = Greeter("x"); print("𝄞", é.greet(2))
print(é.greet(), missing)
"""


@pytest.fixture
def path(project: Path) -> Path:
    """A file in a language whose parser comes with Neovim."""
    file = project / "a.lua"
    file.write_text("local one = 1\nprint(one)\n")
    return file


@pytest.fixture
async def ask(
    each_cli: Path,
    api: FakeApi,
    nvim: Editor,
    project: Path,
    tmp_path: Path,
    config_folder: Path,
    path: Path,
) -> AsyncIterator[Ask]:
    """Start the CLI with one prompt, to which the model answers with this turn and `Done.`."""
    port = await serve(nvim, config_folder, path)
    _, lock = await the_lock(config_folder)
    given = environment(api, tmp_path / "home", config_folder) | {TOKEN: lock["authToken"]}
    words = [*options("127.0.0.1", port, MODEL_TOOLS), "-p", "Go on"]
    running: list[Process] = []

    async def ask(turn: Turn) -> Process:
        api.script(turn, [text("Done.")])
        process = await asyncio.create_subprocess_exec(
            *(str(each_cli), *words), cwd=project, env=given, stdin=DEVNULL, stdout=PIPE
        )
        running.append(process)
        return process

    yield ask
    for process in running:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def output(process: Process) -> str:
    """Wait for the end of the CLI, and return what it has printed."""
    printed, _ = await asyncio.wait_for(process.communicate(), WAIT_SECONDS * 2)
    return printed.decode()


def results(api: FakeApi) -> dict[str, str]:
    """Return what the model got from each tool, by the tool's name."""
    names: dict[str, str] = {}
    found: dict[str, str] = {}
    for message in api.requests[-1].body["messages"]:
        blocks: Any = message["content"] if isinstance(message["content"], list) else []
        for block in blocks:
            if block["type"] == "tool_use":
                names[block["id"]] = block["name"].removeprefix("mcp__neovim__")
            elif block["type"] == "tool_result":
                found[names[block["tool_use_id"]]] = json.dumps(
                    block["content"], ensure_ascii=False
                )
    return {
        name: content.replace("\\n", "\n").replace("\\t", "\t") for name, content in found.items()
    }


@BOTH
async def test_each_tool_answers_the_model(
    ask: Ask, api: FakeApi, nvim: Editor, path: Path
) -> None:
    lacking = NEED_NEOVIM if isinstance(nvim, Vim) else {}
    wanted = {
        name: arguments
        for name, arguments in calls(path).items()
        if not MODEL_TOOLS[name].asks_user and name not in lacking
    }

    process = await ask([tool_use(f"mcp__neovim__{name}", **wanted[name]) for name in wanted])

    assert await output(process) == "Done.\n"
    found = results(api)
    assert {*found} == {*wanted}
    wrong = {name: found[name] for name in found if EXPECTED.get(name, "") not in found[name]}
    assert not wrong
    assert not [name for name in found if "nternal error" in found[name]]


async def test_real_language_servers_answer_the_model(
    ask: Ask, api: FakeApi, nvim: Neovim, project: Path
) -> None:
    await enable_real(nvim, "basedpyright")
    greeter, main = project / "greeter.py", project / "main.py"
    greeter.write_text(GREETER)
    main.write_text(MAIN)
    greet = {"file": str(greeter), "line": 5, "symbol": "greet"}
    called = {"file": str(main), "line": 3, "column": 32}
    asked: list[tuple[str, dict[str, Any], str]] = [
        ("definition", called, "greeter.py\n  5:9: def greet("),
        (
            "type_definition",
            {"file": str(main), "line": 4, "symbol": "é"},
            "greeter.py\n  1:7: class Greeter:",
        ),
        ("references", greet, "main.py\n  3:32: é = Greeter("),
        ("hover", called, "(method) def greet(times: int = 1) -> str"),
        (
            "signature_help",
            {"file": str(main), "line": 3, "column": 38},
            "times: int = 1 (at this place)",
        ),
        ("implementation", greet, "greeter.py\n  5:9: def greet("),
        ("document_symbols", {"file": str(greeter)}, "5:9 method greet [5-6]"),
        ("workspace_symbols", {"query": "Greeter"}, "greeter.py:1:7: class Greeter"),
        ("incoming_calls", greet, "main.py\n  1:1 module (module) main.py\n    call 3:32: "),
        ("outgoing_calls", greet, "method join\n    call 6:21: "),
        ("diagnostics", {"file": str(main)}, '4:18: error: \\"missing\\" is not defined'),
    ]

    found: dict[str, str] = {}
    for _ in range(TRIES):
        turn = [tool_use(f"mcp__neovim__{name}", **given) for name, given, _ in asked]
        assert await output(await ask(turn)) == "Done.\n"
        found = results(api)
        asked = [each for each in asked if each[2] not in found[each[0]]]
        # The server of a busy machine has not read everything yet, and the answer says so.
        if not asked or not all(re.search(LATE, found[name]) for name, _, _ in asked):
            break

    assert not {name: found[name] for name, _, _ in asked}


@pytest.mark.parametrize(
    ("tool", "arguments", "told", "written"),
    [
        ("format", {}, "Formatted", "import os\n\none = [1, 2]\n"),
        ("code_action", {"line": 1, "title": UNUSED}, UNUSED, "one = [1,2]\n"),
    ],
)
async def test_a_change_by_a_real_language_server_is_reviewed(
    ask: Ask,
    api: FakeApi,
    nvim: Neovim,
    project: Path,
    tool: str,
    arguments: dict[str, Any],
    told: str,
    written: str,
) -> None:
    await enable_real(nvim, "ruff")
    file = project / "main.py"
    file.write_text("import os\none = [1,2]\n")

    process = await ask([tool_use(f"mcp__neovim__{tool}", file=str(file), **arguments)])
    await until(lambda: nvim.eval(f"len({READY})"), "the diff is shown")
    assert file.read_text() == "import os\none = [1,2]\n"
    await nvim.keys(":w<CR>")

    assert await output(process) == "Done.\n"
    assert told in results(api)[tool]
    assert file.read_text() == written


@BOTH
async def test_a_tool_that_waits_for_the_user_has_the_name_of_claude(
    ask: Ask, api: FakeApi, nvim: Editor
) -> None:
    await nvim.command("set makeprg=echo\\ made")

    process = await ask([tool_use("mcp__neovim__make")])
    await until(lambda: "Claude Code wants to run: echo made" in nvim.screen.text(), "a question")
    await choose(nvim, 1)

    assert await output(process) == "Done.\n"
    assert "echo made: exit code 0" in results(api)["make"]


SECRET = "swordfish"
DIAGNOSE = """
for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
  local namespace = vim.api.nvim_create_namespace('cli')
  vim.diagnostic.set(namespace, bufnr, { { lnum = 0, col = 0, message = 'odd: swordfish' } })
end
vim.diagnostic.reset(vim.api.nvim_create_namespace('cli'), vim.fn.bufnr('a.lua'))
vim.diagnostic.setqflist({ open = false })
"""


async def diagnose(editor: Editor, names: tuple[str, ...]) -> None:
    """Report something in the private files, also in the quickfix list."""
    if not isinstance(editor, Vim):
        await editor.lua(DIAGNOSE)
        return
    entry = {"lnum": 1, "type": "E", "text": f"odd: {SECRET}"}
    await editor.call("setqflist", [{"filename": name, **entry} for name in names])


@BOTH
async def test_a_private_file_is_in_no_answer(
    ask: Ask, api: FakeApi, nvim: Editor, project: Path, path: Path
) -> None:
    await configure(nvim, privacy={"deny": ["hidden.lua"]})
    names = (".env", "hidden.lua")
    for name in names:
        (project / name).write_text(f"{SECRET} = 1\n")
        await nvim.command(f"edit {name} | normal! mAyy")
    await diagnose(nvim, names)
    wanted = {
        name: arguments
        for name, arguments in calls(path).items()
        if not MODEL_TOOLS[name].asks_user
    }
    refused = [tool_use("mcp__neovim__buffer_text", file=str(project / name)) for name in names]
    turn = [tool_use(f"mcp__neovim__{name}", **wanted[name]) for name in wanted]

    assert await output(await ask([*turn, *refused])) == "Done.\n"

    found = results(api)
    assert f"stays in {name_of(nvim)}" in found.pop("buffer_text")
    assert "a.lua" in found["buffers"]
    assert SECRET not in json.dumps([request.body for request in api.requests])
    for tool, answer in found.items():
        assert not [name for name in names if name in answer], (tool, answer)
