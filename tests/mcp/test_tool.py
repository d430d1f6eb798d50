"""`mcp/tool.py` and all tools: the descriptions in `tools/list`, and the checks of arguments."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from claude_ide.base.errors import INVALID_PARAMS, RpcError
from claude_ide.mcp import ide_tools, model
from claude_ide.mcp.client import Client
from claude_ide.mcp.tool import (
    IDE_TOOLS,
    MODEL_TOOLS,
    Arguments,
    Caller,
    Content,
    Tool,
    json_text,
    text,
    tool,
)

NAMES = [
    "openDiff",
    "close_tab",
    "closeAllDiffTabs",
    "openFile",
    "open_files",
    "saveDocument",
    "checkDocumentDirty",
    "reformat_file",
    "getOpenEditors",
    "get_all_opened_file_paths",
    "getWorkspaceFolders",
    "getCurrentSelection",
    "getLatestSelection",
    "getDiagnostics",
    "executeCode",
]
TYPES = {"object", "string", "integer", "number", "boolean", "array", "null"}
KEYWORDS = {
    *("type", "properties", "required", "items", "anyOf", "description", "default"),
    *("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern", "enum"),
}


@tool("pick", rename="camel")
async def pick(
    _client: Client, file_path: str, how_often_: int = 1, lines: list[int] | None = None
) -> Content:
    """Return the arguments."""
    return text(file_path, str(how_often_))


picking = IDE_TOOLS.pop("pick")

EVERY = pytest.mark.parametrize(
    "tool", [*IDE_TOOLS.values(), *MODEL_TOOLS.values()], ids=lambda tool: tool.name
)


def test_all_tools_of_the_protocol_are_registered() -> None:
    assert sorted(IDE_TOOLS) == sorted(NAMES)
    assert {tool.run.__module__ for tool in IDE_TOOLS.values()} == {ide_tools.__name__}


def test_every_module_of_the_models_tools_is_imported() -> None:
    folder = Path(model.__file__).parent
    with_tools = [path for path in folder.glob("*.py") if "@model_tool(" in path.read_text()]
    names = {f"{model.__name__}.{path.stem}" for path in with_tools}

    assert {tool.run.__module__ for tool in MODEL_TOOLS.values()} == names


@EVERY
def test_a_tool_describes_itself_in_a_sentence(tool: Tool) -> None:
    described = tool.describe()

    assert described["name"] == tool.name
    assert re.match(r"[A-Z].{20,}\.", described["description"])


@EVERY
def test_an_input_schema_is_a_self_contained_object(tool: Tool) -> None:
    schema = tool.describe()["inputSchema"]

    assert schema["type"] == "object"
    assert set(schema["required"]) <= set(schema["properties"])
    check_schema(schema)


def check_schema(schema: Any) -> None:
    """Check the keywords that our schemas use against JSON Schema 2020-12."""
    assert isinstance(schema, dict)
    assert set(schema) <= KEYWORDS
    if "anyOf" in schema:
        for each in schema["anyOf"]:
            check_schema(each)
    else:
        assert schema["type"] in TYPES
    for each in schema.get("properties", {}).values():
        check_schema(each)
    if "items" in schema:
        check_schema(schema["items"])


@EVERY
def test_every_argument_of_a_tool_is_described(tool: Tool) -> None:
    properties = tool.describe()["inputSchema"]["properties"]

    for argument in properties.values():
        assert re.match(r"[A-Z].{10,}", argument["description"])


@pytest.mark.parametrize(
    ("name", "required", "optional"),
    [
        ("openDiff", {"old_file_path", "new_file_contents"}, {"new_file_path", "tab_name"}),
        ("close_tab", {"tab_name"}, set()),
        ("closeAllDiffTabs", set(), set()),
        (
            "openFile",
            {"filePath"},
            {"preview", "startText", "endText", "selectToEndOfLine", "makeFrontmost"},
        ),
        ("open_files", {"file_paths"}, set()),
        ("saveDocument", {"filePath"}, set()),
        ("checkDocumentDirty", {"filePath"}, set()),
        ("reformat_file", {"file_path"}, set()),
        ("getDiagnostics", set(), {"uri"}),
        ("executeCode", {"code"}, set()),
    ],
)
def test_arguments_have_their_names_on_the_wire(
    name: str, required: set[str], optional: set[str]
) -> None:
    schema = IDE_TOOLS[name].describe()["inputSchema"]

    assert set(schema["required"]) == required
    assert set(schema["properties"]) == required | optional


def test_get_diagnostics_is_always_loaded_for_the_model() -> None:
    described = [tool.describe() for tool in IDE_TOOLS.values()]

    loaded = [tool["name"] for tool in described if tool.get("_meta") is not None]

    assert loaded == ["getDiagnostics"]
    assert IDE_TOOLS["getDiagnostics"].describe()["_meta"] == {"anthropic/alwaysLoad": True}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({}, "pick: Object missing required field `filePath`"),
        (None, "pick: Object missing required field `filePath`"),
        ([], "pick: Expected `object`, got `array`"),
        ("x", "pick: Expected `object`, got `str`"),
        ({"filePath": 5}, "pick: filePath: Expected `str`, got `int`"),
        ({"filePath": None}, "pick: filePath: Expected `str`, got `null`"),
        ({"filePath": "/a", "howOften": "2"}, "pick: howOften: Expected `int`, got `str`"),
        ({"filePath": "/a", "lines": [1, "2"]}, "pick: lines[1]: Expected `int`, got `str`"),
    ],
)
def test_a_wrong_argument_is_named_with_the_problem(arguments: Any, problem: str) -> None:
    with pytest.raises(RpcError) as raised:
        picking.decode(arguments)

    assert raised.value.code == INVALID_PARAMS
    assert raised.value.message == problem


async def test_unknown_arguments_are_ignored(client: Client) -> None:
    arguments = picking.decode({"filePath": "/a", "newerThanWe": True})
    answer = await picking.call(client, arguments, Caller())

    assert answer == text("/a", "1")


@EVERY
def test_a_value_that_the_schema_forbids_is_rejected_before_the_call(tool: Tool) -> None:
    schema = tool.describe()["inputSchema"]
    for argument in schema["properties"]:
        with pytest.raises(RpcError, match=f"^{tool.name}: ") as raised:
            tool.decode({argument: {"not": "this"}})
        assert raised.value.code == INVALID_PARAMS


@pytest.mark.parametrize("tool", MODEL_TOOLS.values(), ids=lambda tool: tool.name)
def test_a_tool_of_the_model_has_hints_for_people_and_permissions(tool: Tool) -> None:
    described = tool.describe()

    assert re.fullmatch(r"[a-z][a-z_]+", tool.name)
    assert described["annotations"] == {
        "title": described["title"],
        "readOnlyHint": tool.is_read_only,
        "destructiveHint": tool.is_destructive,
        "openWorldHint": False,
    }
    assert not (tool.is_read_only and (tool.is_destructive or tool.asks_user))


async def test_the_decorator_registers_a_tool_under_its_name_on_the_wire(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(IDE_TOOLS, "sayNothing", raising=False)

    class Named(Arguments, frozen=True):
        name: str

    @tool("sayNothing")
    async def say_nothing(_client: Client, caller: Caller, all_: Named, more: int = 2) -> Content:
        """Say nothing.

        In a second paragraph, too.
        """
        return text(str(caller.tool_use), all_.name, str(more))

    registered = IDE_TOOLS.pop("sayNothing")
    assert registered.description == "Say nothing.\n\nIn a second paragraph, too."
    arguments = registered.decode({"name": "a"})
    assert await registered.call(client, arguments, Caller()) == text("None", "a", "2")


def test_text_makes_one_block_of_each_argument() -> None:
    assert text("a", "") == [{"type": "text", "text": "a"}, {"type": "text", "text": ""}]
    assert text() == []


def test_json_text_contains_one_encoded_value() -> None:
    (block,) = json_text({"ü": [1, None]})

    assert block["type"] == "text"
    assert msgspec.json.decode(block["text"]) == {"ü": [1, None]}
    assert "ü" in block["text"]
