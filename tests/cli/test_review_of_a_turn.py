"""A whole turn of the real CLI, reviewed after the write: hunks, files, remarks, a restart."""

import os
import signal
from pathlib import Path
from typing import Any

from support.claude_code import locks, the_lock
from support.either_editor import BOTH_WITH_CLI, Editor, on_screen
from support.fake_api import FakeApi, Turn, text, tool_use
from support.happenings import follow
from support.neovim import WAIT_SECONDS, until
from support.reviews import make_repository

from .conftest import begin
from .test_terminal_changes import MINUS, listed, take_a_turn

LINES = [f"line {number}" for number in range(1, 13)]
BEFORE = "".join(f"{line}\n" for line in LINES)
CHANGED = {"x.txt": (2, 6, 10), "y.txt": (3, 7), "z.txt": (1, 6, 12)}
"""The changed lines, from 1, by file: each is a hunk."""


def after(*changed: int) -> str:
    """Return the text with some lines as the model writes them."""
    lines = [line.upper() if at in changed else line for at, line in enumerate(LINES, 1)]
    return "".join(f"{line}\n" for line in lines)


def turn(project: Path) -> list[Turn]:
    """Return what the model does: edits, a new file, and commands."""
    read = [tool_use("Read", file_path=str(project / name)) for name in CHANGED]
    edits = [
        tool_use(
            "Edit",
            file_path=str(project / name),
            old_string=f"line {at}\n",
            new_string=f"LINE {at}\n",
        )
        for name, rows in CHANGED.items()
        for at in rows
    ]
    edits.append(
        tool_use(
            "Edit",
            file_path=str(project / "x.txt"),
            old_string="line 7\nline 8\n",
            new_string="seven\neight\n",
        )
    )
    del edits[1]
    write = tool_use("Write", file_path=str(project / "new.txt"), content="a\nb\n")
    commands = "rm gone.txt; sed -i 's/line 4$/four/' sed.txt; mv old.txt moved.txt"
    bash = tool_use("Bash", command=commands, description="Tidy up")
    return [read, [*edits, write], [bash], [text("All done.")]]


TURN_SECONDS = 3 * WAIT_SECONDS
"""Each of its many tools runs two hooks."""


async def waiting(nvim: Editor) -> dict[str, int]:
    """Return the files that wait, by name, each with the number of its hunks."""
    review: Any = await nvim.eval("claude_ide#review()")
    return {Path(file["path"]).name: len(file["hunks"]) for file in review["files"]}


@BOTH_WITH_CLI
async def test_a_turn_is_reviewed_across_a_restart_and_the_model_gets_exactly_that(
    nvim_with_cli: Editor, api: FakeApi, project: Path, config_folder: Path
) -> None:
    nvim = nvim_with_cli
    for name in (*CHANGED, "gone.txt", "sed.txt", "old.txt"):
        (project / name).write_text(BEFORE + name + "\n")
    make_repository(project)
    await follow(nvim)
    await begin(nvim, "acceptEdits --allowedTools Bash")
    api.script(*turn(project))
    await take_a_turn(nvim, "Work", 1, TURN_SECONDS)

    expected = {"x.txt": 3, "y.txt": 2, "z.txt": 3, "new.txt": 1, "sed.txt": 1}
    expected |= {"gone.txt": 0, "moved.txt": 0}
    await until(lambda: waiting_is(nvim, expected), f"{expected} wait")
    await on_screen(nvim, "Claude: done, 7 files")

    # Keep a hunk, revert another one and half of a third.
    await nvim.command("stopinsert | wincmd t | edit x.txt")
    await nvim.command("2ClaudeKeep")
    await nvim.command("10ClaudeRevert")
    await nvim.keys("8GV:ClaudeRevert<CR>")
    kept = after(2).replace("line 7\n", "seven\n") + "x.txt\n"
    await until(lambda: (project / "x.txt").read_text() == kept, "x.txt")
    await nvim.command("edit z.txt")
    await nvim.command("6ClaudeComment why six?")
    await until(lambda: nvim.eval("len(claude_ide#review().remarks) == 1"), "a remark")

    _, lock = await the_lock(config_folder)
    os.kill(lock["hostPid"], signal.SIGKILL)
    await until(
        lambda: (
            [each["hostPid"] for _, each in locks(config_folder)] not in ([], [lock["hostPid"]])
        ),
        "another host",
    )
    await nvim.command("edit new.txt")
    await nvim.command("1ClaudeComment a better name?")
    await until(lambda: nvim.eval("len(claude_ide#review().remarks) == 2"), "both remarks")

    # In the list: bring the removed file back, and keep the moved one.
    items = await listed(nvim, "ClaudeReview")
    gone = next(at for at, item in enumerate(items, 1) if "gone.txt" in item)
    assert items[gone - 1] == f"gone.txt:1 +0 {MINUS}13  deleted file"
    await nvim.keys(f"{gone}Gx")
    await until(lambda: (project / "gone.txt").exists(), "the file is back")

    api.script([text("I see.")])
    await nvim.command("ClaudeReview send")
    await until(lambda: nvim.eval("&buftype == 'acwrite'"), "the prompt")
    await nvim.keys("<Esc>:w<CR>")
    await on_screen(nvim, "I see.", TURN_SECONDS)

    said = api.requests[-1].new_text

    assert "z.txt:6\n```\nLINE 6\n```\nwhy six?" in said
    assert "new.txt:1\n```\na\n```\na better name?" in said
    for words in ("-LINE 10\n+line 10", "-eight\n+line 8", "gone.txt:\n"):
        assert said.count(words) == 1, words
    assert (project / "gone.txt").read_text() == BEFORE + "gone.txt\n"
    left = {"x.txt": 1, "y.txt": 2, "z.txt": 3, "new.txt": 1, "sed.txt": 1, "moved.txt": 0}
    assert await waiting(nvim) == left


async def waiting_is(nvim: Editor, expected: dict[str, int]) -> bool:
    return await waiting(nvim) == expected
