"""Private files reach the model through no tool."""

import inspect
from pathlib import Path
from typing import Any

import pytest

from claude_ide.mcp.model import NEED_NEOVIM
from claude_ide.mcp.tool import MODEL_TOOLS
from support.either_editor import BOTH, Editor, name_of
from support.model_languages import Scripted, location, result
from support.model_tools import ModelTools
from support.neovim import Neovim, until
from support.vim import Vim

SECRET = "swordfish"
WHY = "it holds secrets by its name (privacy.allow)"
DIAGNOSE = """
local bufnr, namespace = vim.fn.bufnr(...), vim.api.nvim_create_namespace('x')
vim.diagnostic.set(namespace, bufnr, { { lnum = 0, col = 0, message = 'odd: swordfish' } })
"""

WITHOUT_ARGUMENTS: dict[str, dict[str, Any]] = {
    "buffers": {},
    "unsaved_changes": {},
    "diagnostics": {},
    "windows": {},
    "selection": {},
    "marks": {},
    "jumps": {},
    "quickfix": {},
    "messages": {},
    "working_folders": {},
    "clear_highlights": {},
    "register": {"name": '"'},
    "ex_output": {"command": "arguments"},
}
"""The tools that need not be given a file, and may answer something about any."""

WITH_A_FILE: dict[str, dict[str, Any]] = {
    "rename": {"line": 1, "symbol": "KEY", "new_name": "LOCK"},
    "code_action": {"line": 1},
    "tree_sitter_query": {"query": "(_) @x"},
    "undo_diff": {"older": 0},
    "show_places": {"entries": [{"file": "", "line": 1}], "title": "t"},
    "set_list": {"entries": [{"file": "", "line": 1}], "title": "t"},
    "highlight": {"ranges": [{"file": "", "line": 1}]},
}
"""What other tools need besides the file, or around it."""

FREE = {"workspace_symbols", "make", "execute_code"}
"""Those that ask others than Neovim, or the user first."""


@pytest.fixture
async def secret(serving: Editor, project: Path) -> Path:
    """A private file in all of the editor's lists, with an unsaved change."""
    (project / "a.txt").write_text("a\n")
    path = project / ".env"
    path.write_text(f"KEY={SECRET}\n")
    await serving.command("set hidden | args a.txt .env | edit a.txt | edit .env")
    await serving.keys("mamAx" + "Oother=swordfish<Esc>" + ":mode<CR>yy")
    await serving.command("call setqflist([{'filename': '.env', 'lnum': 1, 'text': 'swordfish'}])")
    await serving.command("split a.txt | vsplit .env | echomsg '.env has swordfish' | wincmd w")
    if isinstance(serving, Neovim):
        await serving.lua(DIAGNOSE, ".env")
    return path


def calls(path: Path) -> dict[str, dict[str, Any]]:
    """Return arguments about a file for each tool that can be given one."""
    found: dict[str, dict[str, Any]] = {}
    for name, tool in MODEL_TOOLS.items():
        fields = set(tool.arguments.__struct_fields__)
        if name in FREE or not ({"file", "entries", "ranges"} & fields):
            continue
        more = dict(WITH_A_FILE.get(name, {}))
        if "file" in fields:
            more["file"] = str(path)
        for key in ("entries", "ranges"):
            if key in more:
                more[key] = [{**more[key][0], "file": str(path)}]
        if "line" in fields:
            more.setdefault("line", 1)
        found[name] = more
    return found


def test_every_tool_is_tried() -> None:
    names = {*WITHOUT_ARGUMENTS, *calls(Path("/")), *FREE}

    assert names == {*MODEL_TOOLS}
    assert inspect.cleandoc(MODEL_TOOLS["buffers"].description)


@BOTH
async def test_no_tool_accepts_a_private_file(
    tools: ModelTools, serving: Editor, secret: Path
) -> None:
    refused = calls(secret)
    for name in NEED_NEOVIM if isinstance(serving, Vim) else ():
        refused.pop(name, None)
    assert len(refused) > 5
    for name, arguments in refused.items():
        answer = await tools.client.call(name, **arguments)

        text = answer["content"][0]["text"]
        assert answer.get("isError"), f"{name}: {text}"
        assert text.endswith(f".env stays in {name_of(serving)}: {WHY}"), f"{name}: {text}"
        assert SECRET not in str(answer)


@BOTH
async def test_no_tool_names_or_quotes_a_private_file(
    tools: ModelTools, serving: Editor, secret: Path
) -> None:
    for name, arguments in WITHOUT_ARGUMENTS.items():
        answer = await tools.client.call(name, **arguments)

        assert SECRET not in str(answer), name
        assert ".env" not in str(answer), name


@BOTH
async def test_the_other_entries_are_answered(
    tools: ModelTools, serving: Editor, secret: Path, project: Path
) -> None:
    assert f"{project}/a.txt" in await tools.text("buffers")
    assert f"{project}/a.txt" in await tools.text("windows")
    assert "0 entries" in await tools.text("quickfix")


async def test_places_in_a_private_file_are_neither_listed_nor_counted(
    scripted: Scripted, tools: ModelTools, main: Path
) -> None:
    secret = main.with_name(".env")
    secret.write_text(f"{SECRET}\n")
    references, symbols = "textDocument/references", "workspace/symbol"
    prepare, incoming = "textDocument/prepareCallHierarchy", "callHierarchy/incomingCalls"
    places = [location(secret, 0, 0), location(main, 3, 8), location(secret, 1, 0)]
    items = [{"name": "greet", **place, "selectionRange": place["range"]} for place in places]
    answers = {
        references: result(places),
        symbols: result([{"name": "greet", "location": place} for place in places]),
        prepare: result(items[1]),
        incoming: result([{"from": item, "fromRanges": [item["range"]]} for item in items]),
    }
    capabilities = {
        "definitionProvider": True,
        "referencesProvider": True,
        "workspaceSymbolProvider": True,
        "callHierarchyProvider": True,
    }
    await scripted.enable("one", capabilities, answers)
    place = {"file": str(main), "line": 4, "symbol": "greet"}

    found = {
        "1 place in 1 file": await tools.text("references", **place),
        "1 symbol": await tools.text("workspace_symbols", query="greet", file=str(main)),
        "1 caller of greet": await tools.text("incoming_calls", **place),
    }

    for heading, text in found.items():
        assert text.splitlines()[0] == heading
        assert str(main) in text
        assert ".env" not in text
        assert SECRET not in text


async def test_the_words_of_a_server_name_no_private_file(
    scripted: Scripted, tools: ModelTools, serving: Neovim, main: Path
) -> None:
    main.with_name(".env").write_text(SECRET)
    await serving.command(f"edit {main.with_name('.env')}")
    error = {"error": {"code": -32603, "message": f"no index of .env: {SECRET}"}}
    await scripted.enable("one", {"definitionProvider": True}, {"textDocument/definition": [error]})

    told = await tools.error("definition", file=str(main), line=4)

    assert told == "one: this concerns a file that the user keeps private"


@BOTH
async def test_a_private_buffer_cannot_be_named_by_its_number(
    tools: ModelTools, serving: Editor, secret: Path
) -> None:
    number = await serving.eval("bufnr('.env')")
    await serving.command("buffer a.txt")

    reason = await tools.error("buffer_text", buffer=number)

    assert reason == f"this buffer stays in {name_of(serving)}: {WHY}"


@BOTH
async def test_a_renamed_private_buffer_stays_private(
    tools: ModelTools, serving: Editor, secret: Path, project: Path
) -> None:
    await serving.command("edit .env | file b.txt")

    assert SECRET not in await tools.text("windows")
    assert SECRET not in await tools.text("unsaved_changes")
    assert f"stays in {name_of(serving)}" in await tools.error(
        "buffer_text", file=str(project / "b.txt")
    )


@BOTH
async def test_a_link_to_a_private_file_is_refused(
    tools: ModelTools, serving: Editor, secret: Path, project: Path
) -> None:
    (project / "link.txt").symlink_to(".env")

    assert WHY in await tools.error("undo_history", file=str(project / "link.txt"))


@BOTH
async def test_another_register_is_answered(
    tools: ModelTools, serving: Editor, secret: Path
) -> None:
    await serving.command("buffer a.txt | 1yank b")

    assert "a" in (await tools.text("register", name="b")).splitlines()
    assert await tools.error("register", name="0") == (
        "its text is from a file that the user keeps private"
    )


@BOTH
@pytest.mark.parametrize("list_", ["quickfix", "location"])
async def test_a_window_with_a_list_quotes_no_private_file(
    tools: ModelTools, serving: Editor, secret: Path, list_: str
) -> None:
    items = (
        "[{'filename': 'a.txt', 'lnum': 1, 'text': 'shown'},"
        " {'filename': '.env', 'lnum': 1, 'text': 'swordfish'},"
        " {'filename': 'config/.env', 'lnum': 1, 'text': 'swordfish'},"
        " {'text': '.env: swordfish'}]"
    )
    await serving.command("only | edit a.txt")
    if list_ == "quickfix":
        await serving.command(f"call setqflist({items}) | copen")
    else:
        await serving.command(f"call setloclist(0, {items}) | lopen")
    number = await serving.eval("bufnr()")

    windows = await tools.text("windows")
    buffer = await tools.text("buffer_text", buffer=number)
    entries = await tools.text("quickfix", list=list_)

    for text in (windows, buffer, entries):
        assert "shown" in text
        assert SECRET not in text
        assert ".env" not in text


@BOTH
@pytest.mark.parametrize("name", [".", ":", "/"])
async def test_what_the_user_has_typed_is_in_no_register(
    tools: ModelTools, serving: Editor, project: Path, name: str
) -> None:
    (project / "a.txt").write_text("a\n")
    await serving.command("edit a.txt")
    await serving.keys("Oswordfish<Esc>:let g:key = 'swordfish'<CR>/swordfish<CR>")

    assert await tools.error("register", name=name) == (
        f"register {name} has what the user has typed, which is not for the model"
    )


@BOTH
async def test_no_register_names_or_has_a_private_file(
    tools: ModelTools, serving: Editor, secret: Path
) -> None:
    await serving.command("edit .env | normal! gg")
    await serving.keys("qqOswordfish<Esc>q" + '"ayy' + '"byy')
    why = "its text is from a file that the user keeps private"

    assert await tools.error("register", name="%") == why
    assert await tools.error("register", name="q") == why
    await serving.command("buffer a.txt")
    assert await tools.error("register", name="#") == why
    await serving.keys('"Ayy' + '"byy')  # appended, replaced
    await until(lambda: serving.eval("len(getreg('a', 1, 1)) == 2"), "appended")
    assert await tools.error("register", name="a") == why
    assert "a" in (await tools.text("register", name="b")).splitlines()
    assert (await tools.text("register", name="%")).splitlines()[1] == "a.txt"
