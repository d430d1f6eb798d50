"""What the user says about an edit reaches the model of the real CLI, in both of its versions."""

from pathlib import Path

import pytest

from support.claude_code import claude_code
from support.either_editor import BOTH_WITH_CLI, Editor
from support.fake_api import FakeApi, edit, text
from support.happenings import follow, the
from support.neovim import Neovim, until
from support.reviews import send_remark

from .conftest import accept_in_the_terminal, begin, diff_opened


@pytest.fixture
async def nvim(nvim_with_cli: Editor, api: FakeApi, path: Path) -> Editor:
    """An editor with a CLI in a terminal, whose model proposes an edit."""
    nvim = nvim_with_cli
    script = edit(path, "two", "TWO", then="Edited.")
    api.script(*script, [text("Understood.")])
    await begin(nvim, "default")
    await say(nvim, "Shout")
    await diff_opened(nvim)
    return nvim


async def say(nvim: Editor, words: str) -> None:
    """Type a prompt into the terminal."""
    await nvim.keys(words)
    await until(lambda: words in nvim.screen.text(), "the words are in the prompt box")
    await nvim.keys("<CR>")


def bar(nvim: Editor) -> str:
    """Return the line of the screen that names the keys of the diff."""
    return next(line for line in nvim.screen.lines() if ":w accept" in line)


async def explained(nvim: Editor, api: FakeApi, path: Path) -> None:
    """Have the model explain an edit in a terminal, and wait until its diff says why."""
    read, change, _ = edit(path, "two", "TWO", then="")
    why = text("The word is too quiet. I shout it:")
    api.script(read, [why, *change], [text("Edited.")])
    await begin(nvim, "default")
    await say(nvim, "Shout")
    await diff_opened(nvim)
    await until(lambda: "I shout it" in bar(nvim), "the reason")


async def asked(api: FakeApi, words: str) -> None:
    """Wait until the model gets these words as a prompt."""
    await until(lambda: any(words in each.new_text for each in api.requests), words)


@BOTH_WITH_CLI
async def test_the_reason_of_a_rejection_is_the_next_prompt(
    nvim: Editor, api: FakeApi, path: Path
) -> None:
    await nvim.command("ClaudeReject too loud, whisper")

    await asked(api, "I have rejected your edit of a.py (line 2): too loud, whisper")
    assert path.read_text() == "one\ntwo\n"


async def test_comments_on_a_rejected_edit_are_the_next_prompt(nvim: Neovim, api: FakeApi) -> None:
    await nvim.command("2ClaudeComment why shout?")
    await nvim.command("ClaudeReject!")

    await asked(api, "I have rejected your edit of a.py.\n\na.py, line 2:\n> TWO\nwhy shout?")


async def test_comments_on_an_accepted_edit_reach_the_model_after_it(
    nvim: Neovim, api: FakeApi, path: Path
) -> None:
    await nvim.command("2ClaudeComment why shout?")
    await nvim.command("ClaudeAccept!")

    await asked(api, "I have accepted your edit of a.py.\n\na.py, line 2:\n> TWO\nwhy shout?")
    assert path.read_text() == "one\nTWO\n"


async def test_comments_on_an_edit_that_is_accepted_in_the_terminal_are_not_lost(
    nvim: Neovim, api: FakeApi, path: Path
) -> None:
    await nvim.command("2ClaudeComment why shout?")
    await nvim.command("tabfirst")
    await nvim.command("wincmd l | startinsert")
    await accept_in_the_terminal(nvim, path)

    await asked(api, "About your edit of a.py:\n\na.py, line 2:\n> TWO\nwhy shout?")
    assert path.read_text() == "one\nTWO\n"


async def test_a_comment_on_a_file_is_a_prompt(nvim: Neovim, api: FakeApi, path: Path) -> None:
    await nvim.command("ClaudeAccept")
    await until(lambda: path.read_text() == "one\nTWO\n", "the edit is written")
    await nvim.command(f"edit {path}")

    await send_remark(nvim, "1ClaudeComment explain")

    await asked(api, "a.py:1\n```\none\n```\nexplain")


@BOTH_WITH_CLI
async def test_the_window_bar_says_why_claude_wants_the_edit(
    nvim_with_cli: Editor, api: FakeApi, path: Path
) -> None:
    await explained(nvim_with_cli, api, path)

    assert "I shout it" in bar(nvim_with_cli)
    assert "too quiet" not in bar(nvim_with_cli)


@BOTH_WITH_CLI
@pytest.mark.parametrize("decision", ["ClaudeAccept!", "ClaudeReject!", None])
async def test_another_clis_edit_of_the_file_has_no_reason_of_this_one(
    nvim_with_cli: Editor, api: FakeApi, config_folder: Path, path: Path, decision: str | None
) -> None:
    nvim = nvim_with_cli
    await follow(nvim)
    await explained(nvim, api, path)
    if decision:
        await nvim.command(decision)
        await the(nvim, "ClaudeTurnEnd")

    async with claude_code(config_folder) as other:
        proposal = {"new_file_contents": "one\n2\n", "tab_name": "other"}
        paths = {"old_file_path": str(path), "new_file_path": str(path)}
        other.start_call("openDiff", proposal | paths)
        await diff_opened(nvim, 2)

        assert path.name in bar(nvim)
        assert "I shout it" not in bar(nvim)


async def edit_beside_the_terminal(nvim: Neovim, project: Path) -> None:
    """Edit a file whose path would be a command for the shell, beside a CLI in a terminal."""
    path = project / "!touch made;b.py"
    path.write_text("one\n")
    await begin(nvim, "default")
    await nvim.command("stopinsert | wincmd h | edit !touch\\ made;b.py")


async def test_the_path_of_a_remark_is_no_command_for_the_shell(
    nvim_with_cli: Neovim, api: FakeApi, project: Path
) -> None:
    api.script([text("Heard.")])
    await edit_beside_the_terminal(nvim_with_cli, project)

    await send_remark(nvim_with_cli, "1ClaudeComment explain")

    await asked(api, "./!touch made;b.py:1\n```\none\n```\nexplain")
    assert not (project / "made").exists()


async def test_the_path_of_a_file_is_no_command_for_the_shell(
    nvim_with_cli: Neovim, api: FakeApi, project: Path
) -> None:
    nvim = nvim_with_cli
    api.script([text("Heard.")])
    await edit_beside_the_terminal(nvim, project)

    for command in ("1ClaudePrompt", "write"):
        await nvim.command(command)
        # The CLI draws in the wrong rows if its window has two other sizes at once.
        await nvim.idle(500)

    await asked(api, "./!touch made;b.py, line 1:\n> one")
    assert not (project / "made").exists()


async def test_diagnostics_are_a_prompt(nvim_with_cli: Neovim, api: FakeApi, path: Path) -> None:
    nvim = nvim_with_cli
    api.script([text("Fixed.")])
    await begin(nvim, "default")
    await nvim.command("stopinsert | wincmd h")
    await nvim.lua(
        "vim.diagnostic.set(vim.api.nvim_create_namespace('x'), 0, "
        "{ { lnum = 1, col = 0, severity = 1, message = 'too quiet' } })"
    )

    await nvim.command("2ClaudeFix")

    await asked(api, "a.py, line 2:\n> two\nFix this:\n- line 2, error: too quiet")
