"""What a turn of the real CLI leaves to review in each of its modes, also of its commands."""

import json
from pathlib import Path
from typing import Any

import pytest

from support.either_editor import Editor, on_screen
from support.fake_api import FakeApi, text, tool_use
from support.neovim import WAIT_SECONDS, until
from support.reviews import make_repository

from .conftest import begin
from .test_terminal_changes import MINUS

EXPECTED = {"a.py": 1, "new.txt": 1, "sed.txt": 1, "gone.txt": 0, "moved.txt": 0}
"""The files that wait, each with the number of its hunks."""

TURN_SECONDS = 3 * WAIT_SECONDS
"""Each of its tools runs two hooks."""


@pytest.fixture
def repository(project: Path, config_folder: Path) -> Path:
    """A repository of a user who has answered the question about the mode that asks nothing."""
    settings = config_folder / ".claude.json"
    known = json.loads(settings.read_text()) | {"bypassPermissionsModeAccepted": True}
    settings.write_text(json.dumps(known))
    for name in ("gone.txt", "sed.txt", "old.txt"):
        (project / name).write_text(f"one\ntwo\n{name}\n")
    make_repository(project)
    return project


async def is_left(editor: Editor) -> bool:
    """Answer the question of the plan mode, which ignores keys that come in quick succession."""
    if "1. Yes" not in editor.screen.text():
        return True
    await editor.keys("<CR>")
    return False


@pytest.mark.parametrize(
    ("nvim_with_cli", "mode"),
    [("vim", "acceptEdits"), ("neovim", "auto"), ("vim", "bypassPermissions"), ("neovim", "plan")],
    indirect=["nvim_with_cli"],
)
async def test_what_a_turn_changes_waits(
    nvim_with_cli: Editor, api: FakeApi, repository: Path, mode: str
) -> None:
    editor = nvim_with_cli
    # The CLI refuses to work without questions for root, except in a sandbox.
    await editor.command("let $IS_SANDBOX = '1'")
    await begin(editor, f"{mode} --allowedTools Bash,Edit,Write")
    edited = str(repository / "a.py")
    edit = tool_use("Edit", file_path=edited, old_string="two", new_string="TWO")
    write = tool_use("Write", file_path=str(repository / "new.txt"), content="a\n")
    command = "rm gone.txt; sed -i s/two/TWO/ sed.txt; mv old.txt moved.txt"
    if mode == "plan":
        api.script([tool_use("ExitPlanMode", plan="# Do it")])
    api.script(
        [tool_use("Read", file_path=edited)],
        [edit, write],
        [tool_use("Bash", command=command, description="Tidy up")],
        [text("All done.")],
    )

    await editor.keys("Work")
    await on_screen(editor, "Work")
    await editor.keys("<CR>")
    if mode == "plan":
        await on_screen(editor, "1. Yes")
        await until(lambda: is_left(editor), "the CLI leaves the mode", WAIT_SECONDS, 2.0)
    await on_screen(editor, f"Claude: done, 5 files +3 {MINUS}5 ", TURN_SECONDS)

    async def found() -> bool:
        review: Any = await editor.eval("claude_ide#review()")
        return {Path(each["path"]).name: len(each["hunks"]) for each in review["files"]} == EXPECTED

    await until(found, f"{EXPECTED} wait")
