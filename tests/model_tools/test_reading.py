"""A file outside the working folders reaches the model only with the user's consent."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from claude_ide.mcp.model import NEED_NEOVIM
from model_tools.test_private import calls
from support.claude_code import ClaudeCode
from support.either_editor import BOTH, Editor, choose_item, dismiss, edit
from support.mcp_stdio import McpStdio
from support.model_tools import ModelTools
from support.neovim import until
from support.vim import Vim

pytestmark = BOTH

SECRET = "dear diary"
YES, FOLDER, NO = "Read /", "Read everything in ", "Do not read it"
QUESTION = "wants to read"


@pytest.fixture
def diary(tmp_path: Path) -> Path:
    """A file outside the working folder."""
    folder = tmp_path / "letters"
    folder.mkdir()
    path = folder / "diary.txt"
    path.write_text(f"{SECRET}\n")
    (folder / "other.txt").write_text("dear other\n")
    return path


async def answer(editor: Editor, item: str) -> None:
    """Answer the question."""
    await until(lambda: NO in editor.screen.text(), "the question")
    await choose_item(editor, item)
    await until(lambda: NO not in editor.screen.text(), "no question")


async def result(client: McpStdio, number: int) -> Any:
    got = await client.read()
    assert got["id"] == number
    return got["result"]


async def is_asked(editor: Editor, client: McpStdio, tool: str, **arguments: Any) -> None:
    """Check that a call is asked about, and refused after a no."""
    number = await client.begin(tool, **arguments)
    await answer(editor, NO)
    got = await result(client, number)
    assert got.get("isError"), f"{tool}: {got}"
    assert "the user has not allowed you to read it" in got["content"][0]["text"], tool
    assert SECRET not in str(got)


async def test_each_tool_asks_about_a_file_outside_the_folders(
    client: McpStdio, serving: Editor, diary: Path
) -> None:
    asked = calls(diary)
    for name in NEED_NEOVIM if isinstance(serving, Vim) else ():
        asked.pop(name, None)
    assert len(asked) > 8

    for name, arguments in asked.items():
        await is_asked(serving, client, name, **arguments)
    assert not await serving.eval(f"bufloaded('{diary}')")


async def test_a_link_to_the_working_folder_leads_around_no_question(
    client: McpStdio, serving: Editor, diary: Path
) -> None:
    """Neovim takes `link/..` for the folder of the link, Vim for that of its target."""
    folder = Path(await serving.eval("getcwd()")) / "inner"
    folder.mkdir()
    diary.with_name("link").symlink_to(folder)
    arguments = {"file": f"{diary.parent}/link/../{diary.name}"}

    if isinstance(serving, Vim):
        got = await client.call("open_file", **arguments)
        assert "no such file" in str(got)
    else:
        await is_asked(serving, client, "open_file", **arguments)


async def test_a_yes_is_for_one_file_and_for_good(
    client: McpStdio, tools: ModelTools, serving: Editor, diary: Path
) -> None:
    number = await client.begin("open_file", file=str(diary))
    await until(lambda: QUESTION in serving.screen.text(), "the question")
    assert "diary.txt" in serving.screen.text()
    await answer(serving, YES)

    assert "Opened" in (await result(client, number))["content"][0]["text"]
    assert SECRET in await tools.text("buffer_text", file=str(diary))
    await is_asked(serving, client, "open_file", file=str(diary.with_name("other.txt")))


async def test_a_yes_for_a_folder_is_one_for_all_that_wait(
    client: McpStdio, tools: ModelTools, serving: Editor, diary: Path
) -> None:
    numbers = [
        await client.begin("open_file", file=str(path))
        for path in (diary, diary.with_name("other.txt"))
    ]
    await answer(serving, FOLDER)

    for number in numbers:
        assert not (await result(client, number)).get("isError")
    assert "dear other" in await tools.text("buffer_text", file=str(diary.with_name("other.txt")))


async def test_a_no_is_one_for_all_calls_that_wait_for_it(
    client: McpStdio, serving: Editor, diary: Path
) -> None:
    numbers = [await client.begin("open_file", file=str(diary)) for _ in range(3)]
    await answer(serving, NO)

    for number in numbers:
        assert (await result(client, number)).get("isError")
    await is_asked(serving, client, "open_file", file=str(diary))


async def test_a_dismissed_question_is_a_no(client: McpStdio, serving: Editor, diary: Path) -> None:
    number = await client.begin("open_file", file=str(diary))
    await until(lambda: NO in serving.screen.text(), "the question")
    await dismiss(serving)

    assert "has not allowed" in (await result(client, number))["content"][0]["text"]


async def test_where_nobody_sees_a_question_it_is_a_no(
    tools: ModelTools, serving: Editor, diary: Path
) -> None:
    if isinstance(serving, Vim):
        pytest.skip("a Vim has a screen")
    await serving.request("nvim_ui_detach")

    assert "has not allowed you" in await tools.error("open_file", file=str(diary))


async def test_a_link_out_of_the_folders_is_asked_about_by_its_target(
    client: McpStdio, serving: Editor, project: Path, diary: Path
) -> None:
    link = project / "notes.txt"
    link.symlink_to(diary)

    number = await client.begin("open_file", file=str(link))
    await until(lambda: "diary.txt" in serving.screen.text(), "the target")
    await answer(serving, NO)

    assert (await result(client, number)).get("isError")


async def test_what_the_user_has_opened_is_read(
    tools: ModelTools, serving: Editor, diary: Path
) -> None:
    await edit(serving, diary)
    number = await serving.eval("bufnr()")

    assert SECRET in await tools.text("buffer_text", file=str(diary))
    assert SECRET in await tools.text("buffer_text", buffer=number)


async def test_what_something_else_has_loaded_is_asked_about(
    client: McpStdio, serving: Editor, diary: Path
) -> None:
    await serving.command(f"call bufload(bufadd('{diary}'))")

    await is_asked(serving, client, "buffer_text", file=str(diary))
    number = await serving.eval(f"bufnr('{diary}')")
    await is_asked(serving, client, "buffer_text", buffer=number)


async def test_the_folders_are_those_of_all_windows(
    tools: ModelTools, serving: Editor, diary: Path
) -> None:
    await serving.command(f"split | lcd {diary.parent}")

    assert "Opened" in await tools.text("open_file", file=str(diary))


async def test_a_missing_file_is_not_asked_about(tools: ModelTools, diary: Path) -> None:
    missing = diary.with_name("missing.txt")

    assert await tools.error("open_file", file=str(missing)) == f"{missing}: no such file"


async def test_a_private_file_is_refused_without_a_question(
    tools: ModelTools, serving: Editor, diary: Path
) -> None:
    secret = diary.with_name(".env")
    secret.write_text("KEY=x\n")

    assert "it holds secrets by its name" in await tools.error("open_file", file=str(secret))
    assert QUESTION not in serving.screen.text()


async def test_a_cancelled_call_needs_no_answer(
    client: McpStdio, tools: ModelTools, serving: Editor, diary: Path
) -> None:
    number = await client.begin("open_file", file=str(diary))
    await until(lambda: NO in serving.screen.text(), "the question")
    await client.send("notifications/cancelled", {"requestId": number})
    assert "result" in await client.request("ping")  # the host knows
    await choose_item(serving, YES)
    await until(lambda: NO not in serving.screen.text(), "no question")

    await is_asked(serving, client, "open_file", file=str(diary))


async def test_diagnostics_for_the_model_are_asked_about(
    claude: ClaudeCode, serving: Editor, diary: Path
) -> None:
    uri = {"uri": f"file://{diary}"}
    await claude.json("getDiagnostics", uri)  # the client itself
    assert QUESTION not in serving.screen.text()

    asking = asyncio.ensure_future(claude.json_for_model("getDiagnostics", uri))
    await answer(serving, NO)
    assert "has not allowed you to read it" in await asking
