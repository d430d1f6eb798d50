"""The real CLI in a terminal asks for permission, and the editor or the terminal answers."""

import os
import signal
from pathlib import Path

import pytest

from support.claude_code import locks
from support.either_editor import BOTH_WITH_CLI, Editor, choose, happened, type_answer
from support.fake_api import FakeApi, edit, text, tool_use
from support.neovim import until
from support.permissions import counts, enter, follow, gone, look, shown
from support.vim import Vim

from .conftest import begin, diff_opened

pytestmark = BOTH_WITH_CLI

DIALOG = "Do you want to proceed?"
PRESS = "vim.fn.chansend(vim.bo[vim.fn.bufnr('Claude')].channel, ...)"


@pytest.fixture
async def nvim(nvim_with_cli: Editor) -> Editor:
    """An editor that shows `path`, with a CLI in a terminal that asks before it changes a file."""
    await follow(nvim_with_cli)
    await begin(nvim_with_cli, "default")
    return nvim_with_cli


async def press(nvim: Editor, key: str) -> None:
    """Type a key into the terminal, wherever the user is."""
    if isinstance(nvim, Vim):
        await nvim.call("term_sendkeys", await nvim.eval("bufnr('Claude')"), key)
    else:
        await nvim.lua(PRESS, key)


async def to_the_terminal(nvim: Editor) -> None:
    """Go to the terminal, in the mode in which it gets the keys."""
    await nvim.keys("<C-w>p" if isinstance(nvim, Vim) else "<C-w>pi")


async def prompt(nvim: Editor, words: str) -> None:
    """Type a prompt into the CLI, and return to the file."""
    await nvim.keys(words)
    await until(lambda: words in nvim.screen.text(), "the prompt is typed")
    # In Vim's other mode, a terminal does not go on.
    await nvim.keys(r"<CR><C-w>p" if isinstance(nvim, Vim) else r"<CR><C-\><C-n><C-w>p")
    await until(lambda: nvim.eval("&buftype == ''"), "the user is in the file")


async def ask(nvim: Editor, api: FakeApi, command: str) -> None:
    """Have the CLI ask whether it may run a command."""
    use = tool_use("Bash", command=command, description="Do it")
    api.script([use], [text("All done.")])
    await prompt(nvim, "Go on")
    await shown(nvim, command)
    await until(lambda: DIALOG in nvim.screen.text(), "the dialog in the terminal")


async def done(nvim: Editor) -> None:
    await until(lambda: "All done." in nvim.screen.text(), "the turn ends")
    await gone(nvim)


async def test_the_editor_allows(nvim: Editor, api: FakeApi, project: Path) -> None:
    await ask(nvim, api, "touch made")
    await enter(nvim)

    await nvim.keys("y")

    await done(nvim)
    assert (project / "made").exists()
    assert counts(nvim) == [1, 0]


async def test_the_editor_denies_with_a_reason(nvim: Editor, api: FakeApi, project: Path) -> None:
    await ask(nvim, api, "touch made")
    await enter(nvim)

    await nvim.keys("N")
    await until(lambda: "Why not?" in nvim.screen.text(), "the question")
    await type_answer(nvim, "Use another name<CR>")

    await done(nvim)
    assert not (project / "made").exists()
    assert "Use another name" in api.requests[-1].new_text


async def test_the_editor_allows_always(nvim: Editor, api: FakeApi, project: Path) -> None:
    await ask(nvim, api, "mkdir -p one")
    await enter(nvim)
    await nvim.keys("a")
    await until(lambda: "by a rule, for this session" in nvim.screen.text(), "the ways")
    await choose(nvim, 1)
    await until(lambda: "Rule for this session: " in nvim.screen.text(), "the rule")
    await type_answer(nvim, "<C-u>Bash(mkdir *)<CR>")
    await done(nvim)

    again = tool_use("Bash", command="mkdir -p two", description="Do it")
    api.script([again], [text("Twice.")])
    await to_the_terminal(nvim)
    await prompt(nvim, "Once more")

    await until(lambda: "Twice." in nvim.screen.text(), "the turn ends")
    assert (project / "two").is_dir()
    assert counts(nvim) == [1, 0]


async def test_the_terminal_allows(nvim: Editor, api: FakeApi, project: Path) -> None:
    await ask(nvim, api, "touch made")
    await nvim.idle(1000)

    await press(nvim, "\r")

    await done(nvim)
    assert (project / "made").exists()


async def test_a_key_in_the_terminal_allows(nvim: Editor, api: FakeApi, project: Path) -> None:
    await ask(nvim, api, "touch made; sleep 5; touch late")
    await to_the_terminal(nvim)
    await nvim.idle(1000)

    await nvim.keys("<CR>")

    await until((project / "made").exists, "the command runs")
    await until(lambda: counts(nvim) == [1, 0], "nothing waits")
    await until(lambda: "PermissionRequest" not in nvim.screen.text(), "no hook runs")
    assert not (project / "late").exists()
    await done(nvim)


async def test_the_terminal_denies(nvim: Editor, api: FakeApi, project: Path) -> None:
    await ask(nvim, api, "touch made")
    await nvim.idle(1000)

    await press(nvim, "\x1b")

    await gone(nvim)
    assert not (project / "made").exists()


async def test_the_dialog_outlives_the_host(
    nvim: Editor, api: FakeApi, project: Path, config_folder: Path
) -> None:
    await ask(nvim, api, "touch made")
    (lock,) = [lock for _, lock in locks(config_folder)]

    os.kill(lock["hostPid"], signal.SIGKILL)
    await gone(nvim)
    await nvim.idle(1000)
    assert DIALOG in nvim.screen.text()
    await press(nvim, "\r")

    await until((project / "made").exists, "the command runs")


async def propose(nvim: Editor, api: FakeApi, path: Path) -> None:
    """Have the CLI propose an edit of `path` in a diff, and wait until it can be accepted."""
    api.script(*edit(path, "two", "TWO", then="All done."))
    await prompt(nvim, "Shout")
    await diff_opened(nvim)
    await until(lambda: "gA always" in nvim.screen.text(), "the key is shown")


async def diff_closed(nvim: Editor) -> None:
    await until(lambda: nvim.eval("tabpagenr('$') == 1"), "the diff is closed")


async def test_a_diff_accepts_further_edits_too(nvim: Editor, api: FakeApi, path: Path) -> None:
    await propose(nvim, api, path)

    await nvim.keys("gA")

    await until(lambda: path.read_text() == "one\nTWO\n", "it is written")
    await diff_closed(nvim)
    await until(lambda: "All done." in nvim.screen.text(), "the turn ends")
    api.script(*edit(path, "one", "ONE", then="Twice."))
    await to_the_terminal(nvim)
    await prompt(nvim, "Once more")
    await until(lambda: path.read_text() == "ONE\nTWO\n", "it is written")
    assert await happened(nvim, "ClaudeDiffOpened") == 1
    assert counts(nvim) == []


async def test_an_edit_that_was_changed_is_accepted_alone(
    nvim: Editor, api: FakeApi, path: Path
) -> None:
    await propose(nvim, api, path)

    await nvim.keys("GoTHREE<Esc>")
    await nvim.keys("gA")

    await until(lambda: "Claude still asks" in nvim.screen.text(), "the reason")
    await until(lambda: path.read_text() == "one\nTWO\nTHREE\n", "it is written")
    await until(lambda: "All done." in nvim.screen.text(), "the turn ends")
    api.script(*edit(path, "one", "ONE", then="Twice."))
    await to_the_terminal(nvim)
    await prompt(nvim, "Once more")
    await diff_opened(nvim, 2)


@pytest.mark.parametrize("keys", [":w<CR>", ":q!<CR>"])
async def test_the_usual_answers_leave_the_mode(
    nvim: Editor, api: FakeApi, path: Path, keys: str
) -> None:
    await propose(nvim, api, path)

    await nvim.keys(keys)

    await diff_closed(nvim)
    await to_the_terminal(nvim)
    await nvim.idle(1000)
    assert "accept edits on" not in nvim.screen.text()
    assert "PermissionRequest" not in nvim.screen.text()


async def test_the_dialog_in_the_terminal_accepts_too(
    nvim: Editor, api: FakeApi, path: Path
) -> None:
    await propose(nvim, api, path)
    await nvim.idle(1000)

    await press(nvim, "\r")

    await until(lambda: path.read_text() == "one\nTWO\n", "it is written")
    await diff_closed(nvim)


async def test_an_edit_in_a_diff_has_no_float(nvim: Editor, api: FakeApi, path: Path) -> None:
    api.script(*edit(path, "two", "TWO", then="All done."))
    await prompt(nvim, "Shout")
    await until(lambda: nvim.eval("tabpagenr('$') == 2"), "the diff")
    await nvim.idle(1500)
    assert not await look(nvim)

    await nvim.keys(":w<CR>")

    await until(lambda: path.read_text() == "one\nTWO\n", "it is written")
    assert counts(nvim) == []
