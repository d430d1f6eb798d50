"""Every tool except openDiff, called over the socket and observed in a real Neovim."""

from pathlib import Path
from typing import Any

import pytest

from support.claude_code import ClaudeCode, RpcFailure
from support.either_editor import BOTH, Editor, edit
from support.neovim import Neovim, until
from support.vim import Vim

REPORTED = 1000
"""How many diagnostics of a file the host knows without asking Neovim."""
PUBLISH = """
local bufnr, items = vim.fn.bufnr(...), select(2, ...)
vim.diagnostic.set(vim.api.nvim_create_namespace('linter'), bufnr, items)
"""


@pytest.fixture
async def path(serving: Editor, project: Path) -> Path:
    """A file that is open in the editor."""
    file = project / "a b.py"
    file.write_text("first = 1\nsecond = 2\nthird = 3\n")
    await edit(serving, file)
    return file


def warning(lnum: int, text: str) -> dict[str, Any]:
    """A linter's diagnostic for the columns 0 to 5."""
    return {"lnum": lnum, "col": 0, "end_col": 5, "message": text, "severity": 2, "source": "lint"}


@BOTH
async def test_open_file_selects_from_the_start_text_to_the_end_text(
    serving: Editor, claude: ClaudeCode, path: Path
) -> None:
    await serving.command("enew")

    texts = await claude.texts(
        "openFile", {"filePath": str(path), "startText": "first", "endText": "second"}
    )

    assert texts == [f"Opened file: {path}"]
    assert await serving.eval("expand('%:p')") == str(path)
    selected = await claude.json("getCurrentSelection")
    assert selected["text"] == "first = 1\nsecond"
    assert selected["selection"]["end"] == {"line": 1, "character": 6}


@BOTH
async def test_open_file_in_the_background_keeps_the_current_file(
    serving: Editor, claude: ClaudeCode, path: Path, project: Path
) -> None:
    other = project / "other.py"
    other.write_text("x = 1\n")

    opened = await claude.json("openFile", {"filePath": str(other), "makeFrontmost": False})

    assert opened["success"] is True
    assert opened["languageId"] == "python"
    assert opened["lineCount"] == 1
    assert await serving.eval("expand('%:p')") == str(path)
    assert await serving.eval(f"bufloaded('{other}')") == 1


@BOTH
async def test_open_file_names_a_missing_path(claude: ClaudeCode, project: Path) -> None:
    result = await claude.call("openFile", {"filePath": str(project / "none.py")})

    assert result["isError"] is True
    assert str(project / "none.py") in result["content"][0]["text"]


@BOTH
async def test_open_files_lists_the_opened_files(
    serving: Editor, claude: ClaudeCode, project: Path
) -> None:
    files = [project / "x.py", project / "y.py"]
    for file in files:
        file.write_text("1\n")

    opened = await claude.json("open_files", {"file_paths": [*map(str, files)]})

    assert opened == {"opened_files": [*map(str, files)]}
    assert set(await claude.texts("get_all_opened_file_paths")) == {"\n".join(map(str, files))}


@BOTH
async def test_open_files_reports_why_a_file_is_not_open(claude: ClaudeCode, project: Path) -> None:
    path = project / "x.py"
    path.write_text("1\n")

    opened = await claude.json("open_files", {"file_paths": [str(project), str(path)]})

    assert opened == {
        "opened_files": [str(path)],
        "errors": [f"{project}: not a file but a folder"],
    }


@BOTH
async def test_open_editors_have_their_language_and_state(
    serving: Editor, claude: ClaudeCode, path: Path
) -> None:
    await serving.keys("x")
    await until(lambda: serving.eval("&modified"))

    (tab,) = (await claude.json("getOpenEditors"))["tabs"]

    assert tab["uri"] == f"file://{str(path).replace(' ', '%20')}"
    assert (tab["label"], tab["languageId"]) == ("a b.py", "python")
    assert (tab["isActive"], tab["isDirty"]) == (True, True)


@BOTH
async def test_workspace_folders_start_with_the_current_one(
    serving: Editor, claude: ClaudeCode, project: Path
) -> None:
    (project / "sub").mkdir()
    await serving.command("tabnew | tcd sub")

    answer = await claude.json("getWorkspaceFolders")

    assert answer["rootPath"] == str(project)
    assert [folder["path"] for folder in answer["folders"]] == [str(project), str(project / "sub")]
    assert answer["folders"][1]["name"] == "sub"


@BOTH
async def test_a_document_is_dirty_until_it_is_saved(
    serving: Editor, claude: ClaudeCode, path: Path
) -> None:
    await serving.keys("dd")
    await until(lambda: serving.eval("&modified"))
    assert (await claude.json("checkDocumentDirty", {"filePath": str(path)}))["isDirty"] is True

    saved = await claude.json("saveDocument", {"filePath": str(path)})

    assert saved["success"] is True
    assert path.read_text() == "second = 2\nthird = 3\n"
    assert (await claude.json("checkDocumentDirty", {"filePath": str(path)}))["isDirty"] is False


@BOTH
async def test_a_document_that_is_not_open_is_not_saved(claude: ClaudeCode, project: Path) -> None:
    elsewhere = str(project / "none.py")

    known = await claude.json("checkDocumentDirty", {"filePath": elsewhere})
    result = await claude.call("saveDocument", {"filePath": elsewhere})

    assert known["success"] is False
    assert result["isError"] is True
    assert "not open" in result["content"][0]["text"]


@BOTH
async def test_reformat_uses_formatprg(serving: Editor, claude: ClaudeCode, path: Path) -> None:
    await serving.command("setlocal formatprg=sort\\ -r")

    assert await claude.texts("reformat_file", {"file_path": str(path)}) == [
        "Reformatted with sort -r: 2 lines changed, saved."
    ]

    assert path.read_text() == "third = 3\nsecond = 2\nfirst = 1\n"


@BOTH
async def test_reformat_without_a_formatter_is_an_error(
    serving: Editor, claude: ClaudeCode, path: Path, project: Path
) -> None:
    await serving.command("setlocal formatprg= equalprg=")

    without = await claude.call("reformat_file", {"file_path": str(path)})
    missing = await claude.call("reformat_file", {"file_path": str(project / "none.py")})

    assert without["isError"] is True
    assert "formatter" in without["content"][0]["text"]
    assert missing["isError"] is True
    assert missing["content"][0]["text"] == "File not found"


async def test_diagnostics_are_returned_for_one_file_and_for_all(
    serving: Neovim, claude: ClaudeCode, path: Path
) -> None:
    await until(lambda: claude.notifications_of("selection_changed"), "notifications arrive")
    await serving.lua(PUBLISH, str(path), [warning(1, "unused")])
    uri = f"file://{path}"  # unencoded, because the CLI compares it with the plain path
    encoded = uri.replace(" ", "%20")
    expected = {
        "message": "unused",
        "severity": "Warning",
        "range": {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 5}},
        "source": "lint",
    }

    for asked in (uri, encoded):
        assert await claude.json("getDiagnostics", {"uri": asked}) == [
            {"uri": uri, "diagnostics": [expected]}
        ]
    assert await claude.json("getDiagnostics") == [{"uri": uri, "diagnostics": [expected]}]
    await until(lambda: claude.notifications_of("diagnostics_changed"))
    assert claude.notifications_of("diagnostics_changed")[-1]["uri"] == encoded


@BOTH
async def test_a_file_without_diagnostics_has_an_empty_list(
    claude: ClaudeCode, project: Path
) -> None:
    uri = f"file://{project}/none.py"

    assert await claude.json("getDiagnostics", {"uri": uri}) == [{"uri": uri, "diagnostics": []}]


async def test_five_thousand_diagnostics_are_returned_and_the_rest_is_counted(
    serving: Neovim, claude: ClaudeCode, project: Path
) -> None:
    path = project / "big.py"
    path.write_text("x = 1\n" * 5001)
    await serving.lua("vim.cmd.edit(...)", str(path))
    await serving.lua(PUBLISH, str(path), [warning(n, f"no {n}") for n in range(5001)])

    async def answered() -> Any:
        """Return the answer, or None if a busy machine made Neovim appear busy."""
        (file,) = await claude.json("getDiagnostics") or [{"diagnostics": []}]
        return file if len(file["diagnostics"]) > REPORTED else None

    file = await until(answered, "Neovim's answer")
    assert len(file["diagnostics"]) == 5000
    assert "1 more" in file["note"]


async def test_a_diagnostic_that_outlasts_a_write_is_not_reported_as_new(
    serving: Neovim, claude: ClaudeCode, path: Path
) -> None:
    path.write_text("first = 'a string'\n")
    await until(lambda: serving.eval("getline(1) =~ 'a string' && line('$') == 1"))
    stale = {**warning(0, "a string"), "col": 8, "end_col": 18}
    await serving.lua(PUBLISH, str(path), [stale])
    [before] = await claude.json("getDiagnostics", {"uri": f"file://{path}"})

    path.write_text("one = 2\n")
    after = await claude.json("getDiagnostics")

    assert await serving.eval("getline(1)") == "one = 2"
    assert before["diagnostics"][0]["range"]["end"]["character"] == 18
    assert all(item in before["diagnostics"] for file in after for item in file["diagnostics"])


@BOTH
async def test_close_tab_closes_a_saved_file_but_not_a_modified_one(
    serving: Editor, claude: ClaudeCode, path: Path
) -> None:
    await serving.keys("x")
    await until(lambda: serving.eval("&modified"))
    kept = await claude.call("close_tab", {"tab_name": str(path)})
    assert await serving.eval("bufloaded(1) && &modified")

    await serving.command("write")
    closed = await claude.texts("close_tab", {"tab_name": str(path)})

    assert kept["content"][0]["text"] != "TAB_CLOSED"
    assert closed == ["TAB_CLOSED"]
    assert await claude.texts("get_all_opened_file_paths") == [""]


@BOTH
async def test_close_tab_reports_an_unknown_tab(claude: ClaudeCode) -> None:
    assert await claude.texts("close_tab", {"tab_name": "none"}) == ["Tab not found"]


@BOTH
async def test_files_of_the_workspace_are_read_written_and_listed(
    serving: Editor, claude: ClaudeCode, path: Path, project: Path
) -> None:
    await serving.keys("ccunsaved<Esc>")
    await until(lambda: serving.eval("mode() == 'n' && &modified"))

    assert await claude.request("readFile", {"path": path.name}) == (
        "unsaved\nsecond = 2\nthird = 3\n"
    )
    assert await claude.request("getOpenFiles", {}) == [path.name]
    assert await claude.request("getCurrentFile", {}) == path.name
    with pytest.raises(RpcFailure, match="unsaved changes"):
        await claude.request("writeFile", {"path": path.name, "content": "lost"})

    await claude.request("writeFile", {"path": "sub/new.txt", "content": "one\n"})
    assert (project / "sub" / "new.txt").read_text() == "one\n"
    assert await claude.request("listFiles", {"pattern": "*.txt"}) == ["sub/new.txt"]
    info = await claude.request("getWorkspaceInfo", {})
    kind = "vim" if isinstance(serving, Vim) else "neovim"
    assert info == {"name": "project", "path": str(project), "fileCount": 2, "type": kind}


@BOTH
async def test_write_file_reloads_an_unchanged_buffer(
    serving: Editor, claude: ClaudeCode, path: Path
) -> None:
    await claude.request("writeFile", {"path": path.name, "content": "new\n"})

    await until(lambda: serving.eval("getline(1, '$') == ['new']"))
    assert await serving.eval("&modified") == 0


@BOTH
async def test_undecodable_bytes_are_sent_as_replacement_characters(
    serving: Editor, claude: ClaudeCode, project: Path
) -> None:
    path = project / "latin.txt"
    path.write_bytes(b"caf\xe9 \xff\xfe\n")
    await edit(serving, path)
    await serving.command("edit ++enc=utf-8 ++bad=keep")
    await until(lambda: claude.notifications_of("selection_changed"))

    await serving.keys("V")
    await until(
        lambda: claude.notifications_of("selection_changed")[-1]["text"].startswith("caf\ufffd")
    )

    assert (await claude.json("getCurrentSelection"))["text"].startswith("caf\ufffd")
    assert await claude.request("ping") == {}
