"""`mcp/user_tools.py`: tools of packages, whose code is not ours."""

import asyncio
import json
import sys
import threading
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from claude_ide.base.errors import ToolError
from claude_ide.config import Config
from claude_ide.editor.port.events import OwnToolsChanged
from claude_ide.mcp import user_tools
from claude_ide.mcp.client import Client
from claude_ide.mcp.server import InProcessServer
from claude_ide.mcp.tool import Caller
from claude_ide.mcp.user_tools import OwnTool, UserTools
from support.neovim import until

Load = Callable[..., dict[str, OwnTool]]

CLIENT: Any = None


class Loaded:
    """The tools of a module, and what was reported."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.syspath_prepend(folder)
        self._module = folder / "some_tools.py"
        self._monkeypatch = monkeypatch
        self.refused: dict[str, str] = {}
        self.complaints: list[str] = []

    def points(self, code: str, *names: str, module: str = "some_tools") -> tuple[EntryPoint, ...]:
        """Install a package with this code, and return its entry points of these names."""
        self._module.with_stem(module).write_text(code)
        points = tuple(EntryPoint(name, f"{module}:{name}", user_tools.GROUP) for name in names)
        self._monkeypatch.setattr(user_tools, "entry_points", lambda group: points)
        return user_tools.installed()

    async def load(self, code: str, *names: str, module: str = "some_tools") -> dict[str, OwnTool]:
        """Return the tools of a package with this code; the entry points have these names."""
        points = self.points(code, *names, module=module)
        found = user_tools.package_tools(points, self.refused.__setitem__, self.complaints.append)
        return {tool.name: tool async for tool in found}


@pytest.fixture
def loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: Any) -> Loaded:
    return Loaded(tmp_path, monkeypatch)


async def called(tool: OwnTool, **arguments: Any) -> str:
    """Call a tool, and return its text."""
    content = await tool.call(CLIENT, tool.decode(arguments), Caller())
    text: str = content[0]["text"]
    return text


@pytest.mark.parametrize(
    ("module", "code", "reason"),
    [
        ("raising", "raise ValueError('no\\nway')", "ValueError: no"),
        ("exiting", "import sys\nsys.exit('enough')", "SystemExit: enough"),
        ("needing", "import not_installed", "ModuleNotFoundError: No module named 'not_installed'"),
        ("plain", "def a(arguments): 'A.'", "it is no coroutine function, and has none as `run`"),
        (
            "of_a_class",
            "class a:\n    async def run(self, x): 'A.'",
            "it is a class, not an object",
        ),
        (
            "silent",
            "async def a(x): pass",
            "description is missing: the model chooses a tool by it",
        ),
        ("number", "async def a(x): 'A.'\na.name = 3", "name: Expected `str`, got `int`"),
        ("listed", "async def a(x): 'A.'\na.schema = []", "schema: Expected `object`, got `array`"),
        (
            "eager",
            "async def a(x): 'A.'\na.timeout = 0",
            "timeout must be a number of seconds above",
        ),
        (
            "no_json",
            "async def a(x): 'A.'\na.schema = {'properties': {'b': {'default': object()}}}",
            "it is no JSON: Encoding objects of type object is unsupported",
        ),
        ("lone", "async def a(x): 'A.'\na.title = '\\ud800'", "it is no JSON: "),
    ],
)
async def test_what_is_no_tool_is_refused_with_the_reason(
    loaded: Loaded, module: str, code: str, reason: str
) -> None:
    assert not await loaded.load(code, "a", module=module)

    assert loaded.refused["a"].startswith(reason)


async def test_a_wrong_tool_leaves_the_others(loaded: Loaded) -> None:
    code = "async def a(arguments):\n    'A.'\n\nb = 3\n"

    assert [*await loaded.load(code, "b", "a", "c", module="mixed")] == ["a"]
    assert [*loaded.refused] == ["b", "c"]


@pytest.mark.parametrize(
    ("number", "body", "reason"),
    [
        (1, "raise SystemExit(3)", "a failed: 3"),
        (2, "raise KeyboardInterrupt", "a failed: KeyboardInterrupt"),
        (3, "raise asyncio.CancelledError('mine')", "a failed: mine"),
        (4, "raise TimeoutError('slow network')", "a failed: slow network"),
        (5, "raise ValueError('one\\n  two')", "a failed: one$"),
    ],
)
async def test_whatever_a_tool_raises_is_its_failure(
    loaded: Loaded, number: int, body: str, reason: str
) -> None:
    code = f"import asyncio\nasync def a(arguments):\n    'A.'\n    {body}\n"
    tool = (await loaded.load(code, "a", module=f"raising_{number}"))["a"]

    with pytest.raises(ToolError, match=reason):
        await called(tool)
    with pytest.raises(ToolError, match=reason):
        await called(tool)


async def test_a_function_without_a_parameter_is_a_failure(loaded: Loaded) -> None:
    tool = (await loaded.load("async def a():\n    'A.'\n", "a", module="no_parameter"))["a"]

    with pytest.raises(ToolError, match="takes 0 positional arguments"):
        await called(tool)


BLOCKING = """
import threading
import time

go_on = threading.Event()


async def a(arguments):
    "Blocks."
    go_on.wait()


async def b(arguments):
    "Does not."
    return threading.current_thread().name


a.timeout = 0.5
"""


async def test_a_tool_that_blocks_is_named_and_holds_up_neither_us_nor_later_calls(
    loaded: Loaded, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(user_tools, "REACTS_SECONDS", 0.05)
    tools = await loaded.load(BLOCKING, "a", "b", module="blocking")
    from blocking import go_on  # type: ignore[import-not-found]

    with pytest.raises(ToolError, match="a has not answered within"):
        await called(tools["a"])

    assert loaded.complaints == ["the tool a blocks its thread and cannot be ended"]
    assert await called(tools["b"]) == "tools of packages"
    assert threading.current_thread().name != "tools of packages"
    go_on.set()


async def test_a_tool_that_waits_is_cancelled_at_its_limit_without_a_complaint(
    loaded: Loaded,
) -> None:
    code = """
import asyncio

ended = []


async def a(arguments):
    "Waits."
    try:
        await asyncio.Event().wait()
    finally:
        ended.append(1)


a.timeout = 0.5
"""
    tool = (await loaded.load(code, "a", module="waiting"))["a"]
    from waiting import ended  # type: ignore[import-not-found]

    with pytest.raises(ToolError, match="a has not answered within"):
        await called(tool)

    # It ends in its own thread.
    await until(lambda: ended == [1], "the tool ends")
    assert loaded.complaints == []


async def test_a_cancelled_call_cancels_the_tool(loaded: Loaded) -> None:
    code = """
import asyncio
import threading

begun, ended = threading.Event(), threading.Event()


async def a(arguments):
    "Waits."
    begun.set()
    try:
        await asyncio.Event().wait()
    finally:
        ended.set()
"""
    tool = (await loaded.load(code, "a", module="cancelled"))["a"]
    from cancelled import begun, ended  # type: ignore[import-not-found]

    call = asyncio.create_task(called(tool))
    await asyncio.to_thread(begun.wait, 10)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call

    assert await asyncio.to_thread(ended.wait, 10)


SLOW = """
import threading

import gate

at = threading.current_thread().name
gate.is_open.wait()


async def a(arguments):
    "Answers where it was imported."
    return at
"""


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[threading.Event]:
    """What imports wait for."""
    (tmp_path / "gate.py").write_text("import threading\nis_open = threading.Event()\n")
    sys.modules.pop("gate", None)
    from gate import is_open  # type: ignore[import-not-found]

    yield is_open
    is_open.set()


async def test_a_slow_import_holds_up_nobody_and_its_tools_are_listed_later(
    loaded: Loaded, gate: threading.Event
) -> None:
    loaded.points(SLOW, "a", module="slow")
    editor: Any = RecordedEditor()
    toolset = UserTools(editor, lambda: CLIENT).toolset
    server = InProcessServer(Client(editor, Config()), toolset)
    assert not toolset.is_complete
    assert await server(message("ping")) == {"jsonrpc": "2.0", "id": 1, "result": {}}

    listing = asyncio.create_task(server(message("tools/list")))
    calling = asyncio.create_task(server(message("tools/call", name="a", arguments={})))
    gate.set()

    listed, called = await listing, await calling
    assert listed is not None and called is not None
    assert "a" in [tool["name"] for tool in listed["result"]["tools"]]
    assert called["result"]["content"][0]["text"] == "tools of packages"
    assert {"a"} <= set(editor.tools[-1][1])


async def test_an_import_that_never_ends_is_reported_and_the_others_are_there(
    loaded: Loaded, gate: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    # On a busy machine the new thread may need a moment before it begins the import.
    monkeypatch.setattr(user_tools, "IMPORT_SECONDS", 1)
    monkeypatch.setattr(user_tools, "REACTS_SECONDS", 0.05)

    assert not await loaded.load(SLOW, "a", module="stuck")

    assert loaded.refused == {"a": "its import took longer than 1 s"}
    assert loaded.complaints == ["the tool a blocks its thread and cannot be ended"]


async def test_a_tool_of_a_package_wins_over_that_of_neovim(
    loaded: Loaded, gate: threading.Event
) -> None:
    loaded.points(SLOW, "a", module="winning")
    editor: Any = RecordedEditor()
    collection = UserTools(editor, lambda: CLIENT)
    own = {"name": "a", "description": "Neovim's."}
    collection.update(OwnToolsChanged(json.dumps({"tools": [own], "off": []})))
    assert collection.source("a") == "yours"

    gate.set()
    await collection.toolset.complete()

    assert collection.source("a") == "package"
    assert collection.refused == {"a": "another tool has this name"}


class RecordedEditor:
    """Keeps what a collection reports."""

    def __init__(self) -> None:
        self.tools: list[tuple[list[str], list[str]]] = []

    def tools_are(self, names: list[str], fixed: list[str]) -> None:
        self.tools.append((names, fixed))

    def notify(self, *_: object) -> None:
        pass


def message(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
