"""The tools that ask language servers, with servers that answer in every form that LSP allows."""

import json
from pathlib import Path
from typing import Any

import pytest

from support.language_client import received
from support.model_languages import Scripted, in_line, location, result
from support.model_tools import ModelTools
from support.neovim import Neovim

DEFINITION = "textDocument/definition"
REFERENCES = "textDocument/references"
SYMBOLS = "textDocument/documentSymbol"
BOTH = {"definitionProvider": True, "referencesProvider": True, "documentSymbolProvider": True}


@pytest.mark.parametrize("form", ["location", "list", "link", "list with null"])
async def test_each_form_of_a_location(
    form: str, scripted: Scripted, tools: ModelTools, main: Path
) -> None:
    target = main.with_name("greeter.py")
    place = location(target, 4, 8, 13)
    link = {
        "targetUri": target.as_uri(),
        "targetRange": in_line(4, 4, last=5),
        "targetSelectionRange": place["range"],
    }
    forms = {"location": place, "list": [place], "link": [link], "list with null": [None, place]}
    await scripted.enable("one", BOTH, {DEFINITION: result(forms[form])})

    found = await tools.text("definition", file=str(main), line=3, symbol="greet")

    assert found.splitlines() == [
        "1 place in 1 file",
        str(target),
        "  5:9: def greet(self, times: int = 1) -> str:",
    ]


@pytest.mark.parametrize("empty", [None, [], [None], [{"uri": 7}], {"uri": "file:///x"}])
async def test_nothing_names_the_servers(
    empty: Any, scripted: Scripted, tools: ModelTools, main: Path
) -> None:
    await scripted.enable("one", BOTH, {DEFINITION: result(empty)})

    found = await tools.text("definition", file=str(main), line=3, symbol="greet")

    assert found == "Nothing was found; asked: one."


async def test_a_uri_that_is_no_file(scripted: Scripted, tools: ModelTools, main: Path) -> None:
    uri = "jdt://contents/java.base/String.class?=x"
    await scripted.enable("one", BOTH, {DEFINITION: result(location(uri, 9, 4))})

    found = await tools.text("definition", file=str(main), line=3, symbol="greet")

    assert found.splitlines()[1:] == [uri, "  10:5: "]


async def test_servers_with_different_encodings_name_a_place_once(
    scripted: Scripted, tools: ModelTools, main: Path
) -> None:
    text = main.read_text().splitlines()[2]
    column = text.index("greet")
    units = len(text[:column].encode("utf-16-le")) // 2, len(text[:column].encode())
    for name, encoding, start in zip("ab", ("utf-16", "utf-8"), units, strict=True):
        places = [location(main, 2, start, start + 5), location(main, 3, 8, 13)]
        capabilities = {**BOTH, "positionEncoding": encoding}
        await scripted.enable(name, capabilities, {REFERENCES: result(places)})

    found = await tools.text("references", file=str(main), line=3, symbol="greet")

    assert found.splitlines() == [
        "2 places in 1 file",
        str(main),
        f"  3:32: {text}",
        "  4:9: print(é.greet())",
    ]
    for name, character in zip("ab", units, strict=True):
        (asked,) = received(scripted.folder / f"{name}.log", REFERENCES)
        assert asked["position"] == {"line": 2, "character": character}


async def test_the_first_server_with_words_explains_a_symbol(
    scripted: Scripted, tools: ModelTools, main: Path
) -> None:
    hover = "textDocument/hover"
    capabilities = {**BOTH, "hoverProvider": True}
    await scripted.enable("a", capabilities, {hover: result(None)})
    await scripted.enable("b", capabilities, {hover: result({"contents": []})})
    words = [{"language": "python", "value": "def greet()"}, "Greets."]
    await scripted.enable("c", capabilities, {hover: result({"contents": words})})

    found = await tools.text("hover", file=str(main), line=3, symbol="greet")

    assert "def greet()" in found
    assert found.endswith("Greets.")


async def test_flat_symbols_become_a_tree(
    scripted: Scripted, tools: ModelTools, main: Path
) -> None:
    def symbol(name: str, kind: int, first: int, last: int) -> Any:
        place = {"uri": main.as_uri(), "range": in_line(first, 0, 1, last)}
        return {"name": name, "kind": kind, "location": place}

    flat = [symbol("inner", 6, 1, 1), symbol("Outer", 5, 0, 2), symbol("after", 12, 3, 3)]
    await scripted.enable("one", BOTH, {SYMBOLS: result([*flat, None, {"name": "no place"}])})

    found = await tools.text("document_symbols", file=str(main))

    assert found.splitlines() == [
        "3 symbols",
        "1:1 class Outer [1-3]",
        "  2:1 method inner [2-2]",
        "4:1 function after [4-4]",
    ]


async def test_a_tree_of_symbols_is_cut_by_depth_and_in_parts(
    scripted: Scripted, tools: ModelTools, main: Path
) -> None:
    def symbol(name: str, *children: Any) -> Any:
        place = in_line(0, 5, 12)
        return {
            "name": name,
            "kind": 99,
            "range": place,
            "selectionRange": place,
            "children": [*children],
        }

    tree = [symbol("a", symbol("b", symbol("c")), symbol("d")), symbol("e")]
    await scripted.enable("one", BOTH, {SYMBOLS: result(tree)})

    found = await tools.text("document_symbols", file=str(main), limit=2, offset=1)

    assert found.splitlines() == [
        "4 symbols; 1 below depth 2 are not listed",
        "  1:6 symbol b [1-1]",
        "  1:6 symbol d [1-1]",
        "(1 more: offset=3)",
    ]


async def test_data_of_a_call_hierarchy_goes_back_to_its_server(
    scripted: Scripted, tools: ModelTools, main: Path
) -> None:
    prepare, incoming = "textDocument/prepareCallHierarchy", "callHierarchy/incomingCalls"
    data = {"opaque": [1, {"deep": []}]}
    item = {"name": "greet", "kind": 6, **location(main, 2, 0), "data": data}
    item["selectionRange"] = item["range"]
    caller = {**item, "name": "use", "kind": 12}
    call = {"from": caller, "fromRanges": [in_line(3, 6), in_line(3, 6)]}
    answers = {prepare: result([item]), incoming: result([call, None])}
    await scripted.enable("one", {**BOTH, "callHierarchyProvider": True}, answers)
    nothing = {prepare: result(None)}
    await scripted.enable("two", {**BOTH, "callHierarchyProvider": True}, nothing)

    found = await tools.text("incoming_calls", file=str(main), line=3, symbol="greet")

    assert found.splitlines() == [
        "1 caller of greet",
        str(main),
        "  3:1 function use",
        "    call 4:7: print(é.greet())",
    ]
    (asked,) = received(scripted.folder / "one.log", incoming)
    assert asked["item"]["data"] == data


async def test_symbols_of_the_project_come_from_any_server(
    serving: Neovim, scripted: Scripted, tools: ModelTools, main: Path
) -> None:
    method = "workspace/symbol"
    known = {"name": "Greeter", "kind": 5, "location": location(main.with_name("greeter.py"), 0, 6)}
    unplaced = {"name": "other", "kind": 12, "location": {"uri": main.as_uri()}}
    failing = [{"error": {"code": -32603, "message": "no index"}}]
    await scripted.enable("a", {"workspaceSymbolProvider": True}, {method: failing})
    answers = {method: result([known, known, unplaced, None])}
    await scripted.enable("b", {"workspaceSymbolProvider": True}, answers)
    assert "none is running" in await tools.error("workspace_symbols", query="ee")
    await serving.command(f"edit {main}")

    found = await tools.text("workspace_symbols", query="ee")

    assert found.splitlines() == [
        "2 symbols",
        f"{main.with_name('greeter.py')}:1:7: class Greeter",
        f"{main}: function other",
    ]


@pytest.mark.parametrize("answer", [[7], 7, "words", {"contents": 7}, {"signatures": [None, 3]}])
async def test_an_answer_of_an_unknown_form_harms_nothing(
    answer: Any, serving: Neovim, scripted: Scripted, tools: ModelTools, main: Path
) -> None:
    methods = {
        "definition": DEFINITION,
        "references": REFERENCES,
        "hover": "textDocument/hover",
        "signature_help": "textDocument/signatureHelp",
        "incoming_calls": "textDocument/prepareCallHierarchy",
    }
    capabilities = {
        **BOTH,
        "hoverProvider": True,
        "signatureHelpProvider": {},
        "callHierarchyProvider": True,
    }
    await scripted.enable("one", capabilities, {each: result(answer) for each in methods.values()})

    for tool in methods:
        call = await tools.client.call(tool, file=str(main), line=3, symbol="greet")
        assert json.dumps(call)

    assert await serving.eval("v:errmsg") == ""


async def test_long_lines_are_shown_around_the_place(
    scripted: Scripted, tools: ModelTools, main: Path
) -> None:
    long = main.with_name("long.js")
    long.write_text("é" * 50_000 + "needle" + "x" * 50_000 + "\n")
    await scripted.enable("one", BOTH, {DEFINITION: result(location(long, 0, 50_000))})

    found = await tools.text("definition", file=str(main), line=3, symbol="greet")

    line = found.splitlines()[2]
    assert line.startswith("  1:50001: …é")
    assert "éneedlex" in line
    assert len(line) < 400


async def test_files_that_are_large_or_no_files_are_not_read(
    scripted: Scripted, tools: ModelTools, main: Path, fifo: Path
) -> None:
    large = main.with_name("large.py")
    large.write_text("x = 1\n" * 500_000)
    places = [location(large, 3, 2), location(fifo, 0, 1), location("file:///nowhere", 1, 1)]
    await scripted.enable("one", BOTH, {REFERENCES: result(places)})

    found = await tools.text("references", file=str(main), line=3, symbol="greet")

    assert found.endswith(f"{large}\n  4:3: ")
    assert f"{fifo}\n  1:2: \n" in found


async def test_a_symbol_stands_for_its_call(
    scripted: Scripted, tools: ModelTools, main: Path
) -> None:
    method = "textDocument/signatureHelp"
    help_ = {
        "signatures": [
            {
                "label": "(times: int)",
                "documentation": "Greets.",
                "parameters": [
                    {"label": [1, 11], "documentation": {"kind": "markdown", "value": "How often"}},
                    None,
                ],
            }
        ],
        "activeSignature": 0,
        "activeParameter": 0,
    }
    log = await scripted.enable(
        "one", {**BOTH, "signatureHelpProvider": {}}, {method: result(help_)}
    )

    found = await tools.text("signature_help", file=str(main), line=4, symbol="greet")

    assert found.splitlines() == [
        "1 signature",
        "(times: int)",
        "  Greets.",
        "  times: int (at this place): How often",
    ]
    (asked,) = received(log, method)
    assert asked["position"] == {"line": 3, "character": 14}


async def test_a_file_outside_that_a_server_has_named_is_read_without_a_question(
    tools: ModelTools, scripted: Scripted, main: Path, tmp_path: Path
) -> None:
    library = tmp_path / "library" / "otter.py"
    library.parent.mkdir()
    library.write_text("class Otter: ...\n")
    answers = {"textDocument/definition": result(location(library, 0, 6))}
    await scripted.enable("one", {"definitionProvider": True}, answers)

    assert str(library) in await tools.text("definition", file=str(main), line=1)
    assert "Opened" in await tools.text("open_file", file=str(library))
