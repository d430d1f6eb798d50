"""Edits of unusual forms: versions, operations on files, encodings, commands that call back."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from support.chunks import chunk
from support.model_tools import ModelTools, Reviewed
from support.neovim import Neovim, until

Start = Callable[..., Awaitable[None]]

APPLY = "workspace/applyEdit"


@pytest.fixture
def start(serving: Neovim) -> Start:
    """Start a server within Neovim that renames, or gives other answers."""

    async def start(answers: dict[str, Any], encoding: str = "utf-16", name: str = "odd") -> None:
        capabilities = {
            "textDocumentSync": 1,
            "renameProvider": True,
            "codeActionProvider": True,
            "executeCommandProvider": {"commands": ["odd.edit", "eslint.applyAllFixes"]},
        }
        code = chunk("editing_server")
        await serving.lua(code, name, capabilities, answers, "text", encoding)

    return start


@pytest.fixture
async def file(serving: Neovim, project: Path) -> Path:
    """A file in the current window."""
    path = project / "a.txt"
    path.write_text("one 𝄞 two\nthree\n")
    await serving.command(f"edit {path}")
    await serving.command("set filetype=text")
    return path


def edit(row: int, start: int, end: int, text: str) -> dict[str, Any]:
    first, last = ({"line": row, "character": each} for each in (start, end))
    return {"range": {"start": first, "end": last}, "newText": text}


def renamed(*changes: dict[str, Any]) -> dict[str, Any]:
    return {"textDocument/rename": {"result": {"documentChanges": [*changes]}}}


def changed(path: Path, *edits: dict[str, Any], version: Any = None) -> dict[str, Any]:
    document = {"uri": path.as_uri(), "version": version}
    return {"textDocument": document, "edits": [*edits]}


async def rename(tools: ModelTools, file: Path) -> str:
    return await tools.error("rename", file=str(file), line=1, symbol="one", new_name="x")


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 9), ("utf-16", 7), ("utf-32", 6)])
async def test_columns_are_those_of_the_server(
    reviewed: Reviewed, start: Start, file: Path, encoding: str, column: int
) -> None:
    await start(renamed(changed(file, edit(0, column, column + 3, "2"))), encoding)

    await reviewed.begin("rename", file=str(file), line=1, symbol="two", new_name="2")
    await reviewed.decide("w")

    assert "Renamed by odd." in await reviewed.text()
    assert file.read_text() == "one 𝄞 2\nthree\n"


async def test_an_edit_for_an_older_text_is_refused(
    tools: ModelTools, start: Start, serving: Neovim, file: Path
) -> None:
    await start(renamed(changed(file, edit(0, 0, 3, "x"), version=1)))
    await until(lambda: serving.lua("return #vim.lsp.get_clients({ bufnr = 0 }) > 0"), "attached")
    await serving.keys("xu")

    assert "was changed while the language server was asked" in await rename(tools, file)


@pytest.mark.parametrize("version", [0, None])
async def test_an_edit_without_a_version_is_accepted(
    reviewed: Reviewed, start: Start, file: Path, version: Any
) -> None:
    await start(renamed(changed(file, edit(0, 0, 3, "x"), version=version)))

    await reviewed.begin("rename", file=str(file), line=1, symbol="one", new_name="x")
    await reviewed.decide("w")

    await reviewed.text()
    assert file.read_text() == "x 𝄞 two\nthree\n"


async def test_edits_of_one_file_in_several_parts_follow_each_other(
    reviewed: Reviewed, start: Start, file: Path
) -> None:
    await start(renamed(changed(file, edit(0, 0, 0, "a\n")), changed(file, edit(1, 0, 3, "x"))))

    await reviewed.begin("rename", file=str(file), line=1, symbol="one", new_name="x")
    await reviewed.decide("w")

    await reviewed.text()
    assert file.read_text() == "a\nx 𝄞 two\nthree\n"


async def test_a_new_file_is_reviewed_and_created(
    reviewed: Reviewed, start: Start, file: Path
) -> None:
    new = file.with_name("new") / "b.txt"
    creation = {"kind": "create", "uri": new.as_uri()}
    await start(renamed(creation, changed(new, edit(0, 0, 0, "moved\n"))))

    await reviewed.begin("rename", file=str(file), line=1, symbol="one", new_name="x")
    await reviewed.shown("moved")
    assert not new.exists()
    await reviewed.decide("w")

    assert f"  {new}" in await reviewed.text()
    assert new.read_text() == "moved\n"


@pytest.mark.parametrize("is_turned", [True, False])
async def test_a_new_file_is_created_only_at_the_place_that_the_user_has_seen(
    reviewed: Reviewed, start: Start, file: Path, tmp_path: Path, is_turned: bool
) -> None:
    new, outside = file.with_name("b.txt"), tmp_path / "outside" / "b.txt"
    if not is_turned:
        new.symlink_to(outside)
    creation = {"kind": "create", "uri": new.as_uri()}
    edits = changed(new, edit(0, 0, 0, "moved\n")), changed(file, edit(0, 0, 3, "x"))
    await start(renamed(creation, *edits))

    await reviewed.begin("rename", file=str(file), line=1, symbol="one", new_name="x")
    if is_turned:
        await reviewed.choose("1", "2 files")
        await reviewed.shown("moved")
        new.symlink_to(outside)
        await reviewed.decide("w")
        await reviewed.decide("w")
        assert "a link on its path has changed since it was shown" in await reviewed.text()
        assert not outside.exists()
    else:
        # It is not applied unseen.
        await reviewed.choose("2", "2 files")
        await reviewed.decide("w", "outside the project")
        await reviewed.text()
        assert outside.read_text() == "moved\n"


@pytest.mark.parametrize(
    ("operation", "reason"),
    [
        ({"kind": "delete", "uri": "file:///x/a"}, "would delete /x/a, which is not supported"),
        (
            {"kind": "rename", "oldUri": "file:///x/a", "newUri": "file:///x/b"},
            "would rename /x/a, which is not supported",
        ),
        ({"kind": "create", "uri": "{file}"}, "would create {file}, which exists"),
        (
            {"textDocument": {"uri": "jdt://a/b"}, "edits": []},
            "changes jdt://a/b, which is no file",
        ),
    ],
)
async def test_an_operation_that_is_not_supported_refuses_the_whole_edit(
    tools: ModelTools, start: Start, file: Path, operation: dict[str, Any], reason: str
) -> None:
    if operation.get("uri") == "{file}":
        operation = {**operation, "uri": file.as_uri()}
    await start(renamed(changed(file, edit(0, 0, 3, "x")), operation))

    assert reason.format(file=file) in await rename(tools, file)
    assert file.read_text().startswith("one")


async def test_a_file_outside_the_project_is_shown_even_if_all_is_applied(
    reviewed: Reviewed, start: Start, file: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.txt"
    other.write_text("one\n")
    await start(renamed(*(changed(each, edit(0, 0, 3, "x")) for each in (file, other))))

    await reviewed.begin("rename", file=str(file), line=1, symbol="one", new_name="x")
    await reviewed.choose("2", "2 lines in 2 files")
    await reviewed.shown("outside the project")
    await reviewed.decide("ClaudeReject not that one")

    text = await reviewed.text()
    assert f"Written:\n  {file}\n" in text
    assert f"  {other}: not that one" in text
    assert other.read_text() == "one\n"


async def test_only_one_of_two_servers_renames(
    reviewed: Reviewed, start: Start, file: Path
) -> None:
    await start(renamed(changed(file, edit(0, 0, 3, "first"))))
    await start(renamed(changed(file, edit(0, 0, 3, "second"))), name="other")

    await reviewed.begin("rename", file=str(file), line=1, symbol="one", new_name="x")
    await reviewed.decide("w")

    await reviewed.text()
    assert file.read_text() in {"first 𝄞 two\nthree\n", "second 𝄞 two\nthree\n"}


def sending(command: str, *changes: dict[str, Any], title: str = "Do it") -> dict[str, Any]:
    """Return the answers of a server that offers a command, which sends an edit back."""
    sent = {"method": APPLY, "params": {"edit": {"documentChanges": [*changes]}}}
    offer = {"title": title, "command": command, "arguments": [1]}
    return {
        "textDocument/codeAction": {"result": [offer]},
        "workspace/executeCommand": {"sends": [sent]},
    }


async def test_the_edit_of_a_command_is_reviewed_and_not_applied_at_once(
    reviewed: Reviewed, start: Start, serving: Neovim, file: Path
) -> None:
    await start(sending("odd.edit", changed(file, edit(0, 0, 3, "x"))))

    await reviewed.begin("code_action", file=str(file), line=1, title="Do it")
    await reviewed.choose("1", "wants odd to run odd.edit (Do it)")
    await reviewed.shown("x 𝄞 two")
    assert await serving.eval("getbufline(bufnr('a.txt'), 1)") == ["one 𝄞 two"]
    assert (await serving.eval("g:replies"))[0]["applied"] is False
    await reviewed.decide("w")

    assert await reviewed.text() == f'odd: "Do it"\nWritten:\n  {file}'
    assert file.read_text() == "x 𝄞 two\nthree\n"


async def test_a_command_is_not_run_if_the_user_does_not_want_it(
    reviewed: Reviewed, start: Start, serving: Neovim, file: Path
) -> None:
    await start(sending("odd.edit", changed(file, edit(0, 0, 3, "x"))))

    await reviewed.begin("code_action", file=str(file), line=1, title="Do it")
    await reviewed.choose("2", "wants odd to run odd.edit (Do it)")

    assert "the user does not want odd to run odd.edit" in await reviewed.error()
    assert "executeCommand" not in str(await serving.eval("g:requests"))


async def test_a_command_of_eslint_is_asked_about_if_another_server_offers_it(
    reviewed: Reviewed, start: Start, serving: Neovim, file: Path
) -> None:
    await start(sending("eslint.applyAllFixes", changed(file, edit(0, 0, 3, "x"))))

    await reviewed.begin("code_action", file=str(file), line=1, title="Do it")
    await reviewed.choose("2", "wants odd to run eslint.applyAllFixes (Do it)")

    assert "the user does not want odd to run" in await reviewed.error()


async def test_after_the_command_edits_are_applied_as_usual(
    reviewed: Reviewed, start: Start, serving: Neovim, file: Path
) -> None:
    await start(
        sending("eslint.applyAllFixes", changed(file, edit(0, 0, 3, "x"), version=0)), name="eslint"
    )

    await reviewed.begin("code_action", file=str(file), line=1, title="Do it")
    await reviewed.decide("q")
    await reviewed.error()

    await serving.lua(
        "vim.lsp.get_clients()[1]:exec_cmd({ command = 'eslint.applyAllFixes', title = '' })"
    )
    await until(lambda: serving.eval("getline(1) =~ '^x'"), "Neovim applies the edit")


async def test_a_command_of_another_editor_is_refused(
    tools: ModelTools, start: Start, file: Path
) -> None:
    await start(sending("json.sort"))

    error = await tools.error("code_action", file=str(file), line=1, title="Do it")

    assert error == '"Do it" needs the command json.sort of another editor; nothing was changed'


async def test_an_action_that_is_disabled_says_why(
    tools: ModelTools, start: Start, file: Path
) -> None:
    offer = {"title": "Move", "kind": "refactor", "disabled": {"reason": "it is moving"}}
    await start({"textDocument/codeAction": {"result": [offer]}})

    error = await tools.error("code_action", file=str(file), line=1, title="Move")

    assert error == '"Move" is not possible here: it is moving'


async def test_without_a_title_the_actions_are_listed(
    tools: ModelTools, start: Start, file: Path
) -> None:
    offers = [{"title": "First", "kind": "quickfix"}, {"title": "Second", "command": "odd.edit"}]
    await start({"textDocument/codeAction": {"result": offers}})

    error = await tools.error("code_action", file=str(file), line=1)

    assert error.splitlines()[1:] == ["- First (quickfix), odd", "- Second, odd"]


async def test_marks_and_folds_stay(
    reviewed: Reviewed, start: Start, serving: Neovim, file: Path
) -> None:
    await serving.keys("Gofour<Esc>ofive<Esc>:write<CR>:3,4fold<CR>3Gma")
    whole = edit(0, 0, 0, "")
    whole["range"]["end"] = {"line": 4, "character": 0}
    whole["newText"] = "x 𝄞 two\nthree\nfour\nfive\n"
    await start(renamed(changed(file, whole, version=0)))

    await reviewed.begin("rename", file=str(file), line=1, symbol="one", new_name="x")
    await reviewed.decide("w")

    await reviewed.text()
    assert file.read_text() == whole["newText"]
    await until(lambda: serving.eval("tabpagenr('$') == 1"), "the diff is closed")
    assert await serving.eval('[line("\'a"), foldclosed(3), foldclosedend(3)]') == [3, 3, 4]


async def test_an_edit_of_a_command_that_cannot_be_reviewed_is_an_error(
    reviewed: Reviewed, start: Start, file: Path
) -> None:
    deletion = {"kind": "delete", "uri": file.as_uri()}
    await start(sending("eslint.applyAllFixes", deletion), name="eslint")

    await reviewed.begin("code_action", file=str(file), line=1, title="Do it")

    assert f"would delete {file}, which is not supported" in await reviewed.error()


async def test_further_edits_of_a_command_are_named(
    reviewed: Reviewed, start: Start, file: Path
) -> None:
    answers = sending("eslint.applyAllFixes", changed(file, edit(0, 0, 3, "x"), version=0))
    answers["workspace/executeCommand"]["sends"] *= 3
    await start(answers, name="eslint")

    await reviewed.begin("code_action", file=str(file), line=1, title="Do it")
    await reviewed.decide("w")

    left_out = "2 further edits of eslint for eslint.applyAllFixes were not applied."
    assert (await reviewed.text()).splitlines()[1:] == ["Written:", f"  {file}", left_out]


@pytest.mark.parametrize("refuses", [True, False])
async def test_what_was_written_before_a_command_is_told_if_the_command_fails(
    reviewed: Reviewed, start: Start, file: Path, *, refuses: bool
) -> None:
    command = {"title": "", "command": "odd.edit"}
    written = {"documentChanges": [changed(file, edit(0, 0, 3, "x"))]}
    offer = {"title": "Do it", "kind": "refactor", "edit": written, "command": command}
    error = {"error": {"code": -32603, "message": "out of order"}}
    await start({"textDocument/codeAction": {"result": [offer]}, "workspace/executeCommand": error})

    await reviewed.begin("code_action", file=str(file), line=1, title="Do it")
    await reviewed.decide("w")
    await reviewed.choose("2" if refuses else "1", "wants odd to run odd.edit")

    text = await reviewed.text()
    assert f"Written:\n  {file}\nOnly this; then, for the command odd.edit: " in text
    reason = "the user does not want odd to run odd.edit" if refuses else "odd: out of order"
    assert text.endswith(reason)


async def test_a_file_that_is_formatted_when_it_is_written_is_not_listed(
    reviewed: Reviewed, start: Start, serving: Neovim, file: Path
) -> None:
    other = file.with_name("b.txt")
    other.write_text("one\n")
    await start(renamed(changed(other, edit(0, 0, 3, "x"))))
    await serving.lua(chunk("format_on_save"))

    await reviewed.begin("rename", file=str(file), line=1, symbol="one", new_name="x")
    await reviewed.decide("w")

    assert f"  {other} (saving has changed it further)" in await reviewed.text()
    assert other.read_text() == "formatted x\n"
    assert await serving.eval("map(getbufinfo({'buflisted': 1}), 'v:val.name')") == [str(file)]
