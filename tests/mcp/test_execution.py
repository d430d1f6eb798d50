"""`mcp/model/commands.py`: what the user has allowed in the chat runs without another question."""

from typing import Any

import pytest

from claude_ide.config import Config
from claude_ide.jupyter.outputs import Ending, Outcome, Output
from claude_ide.mcp import model
from claude_ide.mcp.client import AllowedCode, Client
from claude_ide.mcp.model.commands import LARGEST_IMAGE, MOST_IMAGES, RESULT_CHARACTERS
from claude_ide.mcp.server import InProcessServer
from claude_ide.mcp.tool import TOOL_USE
from support.recorded_diffs import Editor
from support.recorded_kernel import Kernel

IMAGE = Output("image", "aGFsbG8=", "image/png")


@pytest.fixture
def kernel() -> Kernel:
    return Kernel()


def serving(kernel: Kernel, allowed: AllowedCode | None = None) -> InProcessServer:
    def kernels() -> Any:
        return kernel

    editor: Any = Editor()
    client = Client(editor, Config(), label="Claude", allowed_code=allowed or AllowedCode())
    return InProcessServer(client, model.toolset(kernels))


@pytest.fixture
def server(kernel: Kernel) -> InProcessServer:
    return serving(kernel)


async def call(server: InProcessServer, use: str = "t1", code: str = "x") -> list[dict[str, Any]]:
    params = {"name": "execute_code", "arguments": {"code": code}, "_meta": {TOOL_USE: use}}
    answer = await server({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    assert answer is not None
    content: list[dict[str, Any]] = answer["result"]["content"]
    return content


async def test_a_use_is_allowed_once(server: InProcessServer, kernel: Kernel) -> None:
    server.allowed("execute_code", "t1", {"code": "x"}, for_good=False)

    for use in ("t1", "t1", "t2"):
        await call(server, use)

    assert kernel.runs == [("x", True), ("x", False), ("x", False)]


async def test_what_runs_is_what_the_user_has_allowed(
    server: InProcessServer, kernel: Kernel
) -> None:
    server.allowed("execute_code", "t1", {"code": "changed"}, for_good=False)

    content = await call(server)

    assert kernel.runs == [("changed", True)]
    assert "The user edited the code" in content[0]["text"]


async def test_a_rule_allows_all_further_uses(server: InProcessServer, kernel: Kernel) -> None:
    server.allowed("execute_code", "t1", {"code": "x"}, for_good=True)

    await call(server, "t1")
    await call(server, "t2")

    assert kernel.runs == [("x", True), ("x", True)]


async def test_code_for_which_an_agent_has_asked_runs_once(kernel: Kernel) -> None:
    allowed = AllowedCode()
    server = serving(kernel, allowed)
    allowed.allow_text("x", "changed", for_good=False)

    for code in ("y", "x", "x"):
        await call(server, code=code)

    assert kernel.runs == [("y", False), ("changed", True), ("x", False)]


async def test_what_was_not_run_by_the_end_of_a_turn_needs_another_question(kernel: Kernel) -> None:
    allowed = AllowedCode()
    allowed.allow_text("x", "x", for_good=False)
    allowed.forget_texts()

    await call(serving(kernel, allowed))

    assert kernel.runs == [("x", False)]


async def test_the_permission_for_another_tool_allows_no_code(
    server: InProcessServer, kernel: Kernel
) -> None:
    server.allowed("references", "t1", {"code": "x"}, for_good=True)

    await call(server, "t1")

    assert kernel.runs == [("x", False)]


async def test_texts_and_images_keep_their_order(server: InProcessServer, kernel: Kernel) -> None:
    kernel.outcome.outputs = [Output("stdout", "a\n"), Output("value", "1"), IMAGE, IMAGE]
    kernel.outcome.outputs.append(Output("error", "Boom"))

    content = await call(server)

    shown = {"type": "image", "data": "aGFsbG8=", "mimeType": "image/png"}
    first, last = "a\n[value]\n1", "[error]\nBoom"
    assert content == [
        *({"type": "text", "text": first}, shown, shown, {"type": "text", "text": last})
    ]


async def test_sizes_are_limited(server: InProcessServer, kernel: Kernel) -> None:
    large = Output("image", "a" * (LARGEST_IMAGE + 1), "image/png")
    texts = [Output("stdout", "x" * RESULT_CHARACTERS), Output("error", "Boom")]
    kernel.outcome.outputs = [*texts, large, *[IMAGE] * (MOST_IMAGES + 2)]

    content = await call(server)

    assert len([each for each in content if each["type"] == "image"]) == MOST_IMAGES - 1
    texts_only = "".join(each.get("text", "") for each in content)
    assert len(texts_only) < RESULT_CHARACTERS + 1000
    assert "an image is left out" in texts_only
    assert "[error]\nBoom" in texts_only


async def test_many_outputs_leave_no_note_each(server: InProcessServer, kernel: Kernel) -> None:
    kernel.outcome.outputs = [Output("display", "x" * 100) for _ in range(1000)]

    (content,) = await call(server)

    assert len(content["text"]) < RESULT_CHARACTERS
    assert "more characters are left out]" in content["text"]


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        (Ending.INTERRUPTED, "the limit of 120 s was reached"),
        (Ending.STOPPED, "the user interrupted it"),
        (Ending.STUCK, "it goes on"),
        (Ending.QUEUED, "still waiting to run"),
        (Ending.DIED, "the kernel died: signal 9"),
    ],
)
async def test_an_end_before_the_end_is_named(
    server: InProcessServer, kernel: Kernel, ending: Ending, words: str
) -> None:
    kernel.outcome = Outcome([], ending, reason="signal 9")

    assert words in (await call(server))[0]["text"]
