"""Requests and diffs over the real socket, with a real editor behind it."""

import asyncio
from pathlib import Path

from support.claude_code import ClaudeCode, claude_code, connected, the_lock
from support.either_editor import BOTH, Editor, diffs
from support.neovim import WAIT_SECONDS, Neovim, until

TOOLS = {
    *("openDiff", "openFile", "open_files", "close_tab", "closeAllDiffTabs"),
    *("get_all_opened_file_paths", "reformat_file", "getDiagnostics", "getCurrentSelection"),
    *("getLatestSelection", "getOpenEditors", "getWorkspaceFolders", "checkDocumentDirty"),
    *("saveDocument", "executeCode"),
}


async def no_more_answers(claude: ClaudeCode) -> None:
    """Check that no unmatched answer has arrived; a ping is answered after it."""
    assert await claude.request("ping") == {}
    assert claude.notifications_of("?") == []


async def test_concurrent_list_requests_are_all_answered(
    serving: Neovim, config_folder: Path
) -> None:
    """The CLI sends these requests without waiting for answers in between."""
    port, lock = await the_lock(config_folder)
    async with connected(port, lock["authToken"]) as client:
        await client.initialize(pid=4711)
        lists = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")
        answers = [client.send_request(method)[1] for method in lists]

        tools, prompts, resources, templates = await asyncio.wait_for(
            asyncio.gather(*answers), WAIT_SECONDS
        )

    assert {tool["name"] for tool in tools["tools"]} == TOOLS
    assert prompts == {"prompts": []}
    assert resources == {"resources": []}
    assert templates == {"resourceTemplates": []}


async def test_execute_code_fails_with_an_explanation_for_the_model(claude: ClaudeCode) -> None:
    result = await claude.call("executeCode", {"code": "1 + 1"})

    assert result["isError"] is True
    assert "No Jupyter kernel was found" in result["content"][0]["text"]


async def test_an_answer_too_large_for_the_cli_becomes_an_error(
    claude: ClaudeCode, project: Path
) -> None:
    """A message of over 16 MB makes the CLI close the connection."""
    (project / "large.txt").write_text("x" * 15_000_000)
    (project / "fits.txt").write_text("x" * 14_000_000)

    fits = await claude.request("readFile", {"path": "fits.txt"})
    large = await claude.request("readFile", {"path": "large.txt"})

    assert len(fits) == 14_000_000
    assert large["isError"] is True
    assert "the answer has 15,0" in large["content"][0]["text"]
    assert await claude.request("ping") == {}


# Diffs, and the clients that wait for them.


def diff(project: Path, name: str = "a.py") -> dict[str, str]:
    """The arguments of an openDiff for a file of the project."""
    path = project / name
    path.write_text("one\n")
    return {
        "old_file_path": str(path),
        "new_file_path": str(path),
        "new_file_contents": "two\n",
        "tab_name": f"✻ [Claude Code] {name} (9a3502) ⧉",
    }


async def shown(editor: Editor, count: int) -> None:
    """Wait until there are exactly `count` proposals, all on the screen."""

    async def are_shown() -> bool:
        found = await diffs(editor)
        return len(found) == count and all(each["shown"] for each in found)

    await until(are_shown, f"{count} diffs")


async def nothing_open(editor: Editor) -> None:
    await shown(editor, 0)
    await until(lambda: editor.eval("tabpagenr('$') == 1"), "one tab page")


@BOTH
async def test_a_cancelled_open_diff_closes_and_is_not_answered(
    serving: Editor, claude: ClaudeCode, project: Path
) -> None:
    id_, asked = claude.start_call("openDiff", diff(project))
    await shown(serving, 1)

    await claude.notify(
        "notifications/cancelled", {"requestId": id_, "reason": "AbortError: user-cancel"}
    )

    await nothing_open(serving)
    await no_more_answers(claude)
    assert not asked.done()


@BOTH
async def test_an_open_diff_cancelled_before_it_is_shown_never_appears(
    serving: Editor, claude: ClaudeCode, project: Path
) -> None:
    await serving.keys("i")
    id_, asked = claude.start_call("openDiff", diff(project))
    await until(lambda: diffs(serving), "waiting")

    await claude.notify("notifications/cancelled", {"requestId": id_})

    await shown(serving, 0)
    await serving.keys("<Esc>")
    await no_more_answers(claude)
    assert not asked.done()
    assert await serving.eval("tabpagenr('$')") == 1


@BOTH
async def test_close_tab_rejects_its_waiting_diff(
    serving: Editor, claude: ClaudeCode, project: Path
) -> None:
    arguments = diff(project)
    _, asked = claude.start_call("openDiff", arguments)
    await shown(serving, 1)

    closed = await claude.texts("close_tab", {"tab_name": arguments["tab_name"]})

    result = await asyncio.wait_for(asked, WAIT_SECONDS)
    texts = [block["text"] for block in result["content"]]
    assert texts == ["DIFF_REJECTED", arguments["tab_name"]]
    assert closed == ["TAB_CLOSED"]
    await nothing_open(serving)
    again = await claude.texts("close_tab", {"tab_name": arguments["tab_name"]})
    assert again == ["Tab not found"]


@BOTH
async def test_close_all_diff_tabs_closes_only_the_diffs_of_its_client(
    serving: Editor, claude: ClaudeCode, config_folder: Path, project: Path
) -> None:
    async with claude_code(config_folder) as other:
        asked = [claude.start_call("openDiff", diff(project, name))[1] for name in ("a", "b")]
        _, others = other.start_call("openDiff", diff(project, "c"))
        await shown(serving, 3)

        assert await claude.texts("closeAllDiffTabs") == ["CLOSED_2_DIFF_TABS"]

        for result in await asyncio.wait_for(asyncio.gather(*asked), WAIT_SECONDS):
            assert result["content"][0]["text"] == "DIFF_REJECTED"
        await shown(serving, 1)
        assert await claude.texts("closeAllDiffTabs") == ["CLOSED_0_DIFF_TABS"]
        assert not others.done()

        tab_name = "✻ [Claude Code] c (9a3502) ⧉"
        assert await claude.texts("close_tab", {"tab_name": tab_name}) == ["Tab not found"]
        assert not others.done()
        assert await other.texts("closeAllDiffTabs") == ["CLOSED_1_DIFF_TABS"]
    await nothing_open(serving)


@BOTH
async def test_only_the_diffs_of_a_disconnected_client_are_closed(
    serving: Editor, claude: ClaudeCode, config_folder: Path, project: Path
) -> None:
    claude.start_call("openDiff", diff(project, "a"))
    await shown(serving, 1)
    async with claude_code(config_folder) as other:
        other.start_call("openDiff", diff(project, "b"))
        await shown(serving, 2)

    await shown(serving, 1)
    [remaining] = await diffs(serving)
    assert remaining["path"] == str(project / "a")


@BOTH
async def test_an_aborted_connection_closes_its_diffs_without_a_message(
    serving: Editor, config_folder: Path, project: Path
) -> None:
    before = await serving.eval("execute('messages')")
    async with claude_code(config_folder) as client:
        client.start_call("openDiff", diff(project))
        await shown(serving, 1)
        client.connection.transport.abort()

        await nothing_open(serving)

    assert await serving.eval("execute('messages')") == before
    assert await serving.mode() == {"mode": "n", "blocking": False}
    assert "claude-ide" not in serving.screen.text()


@BOTH
async def test_a_waiting_diff_does_not_block_other_requests(
    serving: Editor, claude: ClaudeCode, config_folder: Path, project: Path
) -> None:
    claude.start_call("openDiff", diff(project))
    await shown(serving, 1)

    assert await claude.request("ping") == {}
    assert await claude.json("getWorkspaceFolders")
    async with claude_code(config_folder) as other:
        assert await other.json("getWorkspaceFolders")


@BOTH
async def test_status_shows_the_name_and_version_of_a_client_in_one_line(
    serving: Editor, config_folder: Path
) -> None:
    port, lock = await the_lock(config_folder)
    async with connected(port, lock["authToken"]) as client:
        information = {"name": "two\nlines %{bufnr()}", "version": "1\t2"}
        # No process has this id: the line would have its folder.
        await client.initialize(pid=2**22 + 1, clientInfo=information)
        await client.request("ping")

        await serving.command("ClaudeStatus")

        shown = f"two lines %{{bufnr()}} 1 2 · pid {2**22 + 1}"
        await until(lambda: shown in serving.screen.text())
