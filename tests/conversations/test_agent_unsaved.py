"""Agents that change files with unsaved text, and several files at once, in a real Neovim."""

from pathlib import Path
from typing import Any

import pytest

from claude_ide.ui.proposal import ProposalBase
from support.acp import script as acp
from support.acp.chatting import Start, diff_is_open
from support.acp.script import Fake, Make, Script, Step
from support.either_editor import on_screen
from support.neovim import Neovim, until
from support.panel import Panel, choose_answer

WRITER = acp.result(
    {
        "protocolVersion": 1,
        "agentCapabilities": {},
        "agentInfo": {"name": "gemini-cli", "title": "Fake", "version": "1"},
    }
)
"""An agent that is known to write files through the editor."""

SAVED = "one\ntwo\nthree\n"
UNSAVED = f"{SAVED}mine\n"


def edits(*files: tuple[Path, str, str]) -> list[Step]:
    """Return the steps of an agent that asks for one permission, and then writes each file."""
    content = [acp.diff(str(path), old, new) for path, old, new in files]
    asked = acp.permission("t1", kind="edit", title="Edit", content=content)
    writes = [acp.ask("fs/write_text_file", path=str(path), content=new) for path, _, new in files]
    done = acp.tool_update("t1", status="completed", content=content)
    return [asked, *writes, done, acp.say("All done.")]


async def ask(start: Start, fake: Fake) -> Panel:
    """Begin a turn, and leave the prompt."""
    panel = await start(fake)
    await panel.send("please")
    await panel.nvim.command("stopinsert")
    return panel


def writing(fake: Fake) -> list[Any]:
    return fake.answers("fs/write_text_file")


@pytest.fixture
async def unsaved(path: Path, nvim: Neovim) -> Path:
    """A file with an unsaved line at its end."""
    await nvim.command("call append('$', 'mine')")
    return path


async def text(nvim: Neovim, path: Path) -> str:
    lines = await nvim.eval(f"getbufline('{path}', 1, '$')")
    return "".join(f"{line}\n" for line in lines)


async def test_a_change_of_unsaved_text_is_shown_once_and_saved(
    start: Start, fake_agent: Make, nvim: Neovim, unsaved: Path
) -> None:
    new = UNSAVED.replace("two", "TWO")
    script = Script(initialize=[WRITER], prompt=edits((unsaved, UNSAVED, new)))
    fake = fake_agent(script)
    panel = await ask(start, fake)
    await diff_is_open(nvim)

    assert ProposalBase.UNSAVED.value in await panel.text()
    await on_screen(nvim, "unsaved changes")
    assert await nvim.eval("[getline('$'), getbufline(winbufnr(1), '$')]") == ["mine", ["mine"]]
    await nvim.keys(":w<CR>")

    await panel.shows("All done.")
    assert "result" in writing(fake)[0]
    assert unsaved.read_text() == new == await text(nvim, unsaved)
    # What was accepted in a diff has been reviewed.
    assert "gd" not in (await panel.text())
    assert await nvim.eval("tabpagenr('$')") == 1


async def test_an_unknown_agent_that_has_read_the_unsaved_text_is_shown_with_it(
    start: Start, fake_agent: Make, nvim: Neovim, unsaved: Path
) -> None:
    read = acp.ask("fs/read_text_file", path=str(unsaved))
    new = UNSAVED.replace("two", "TWO")
    fake = fake_agent(Script(prompt=[read, *edits((unsaved, UNSAVED, new))]))
    panel = await ask(start, fake)
    await diff_is_open(nvim)

    await on_screen(nvim, "unsaved changes")
    await nvim.keys(":w<CR>")

    await panel.shows("All done.")
    assert "result" in writing(fake)[0]
    assert unsaved.read_text() == new


async def test_the_request_of_an_agent_that_knows_only_the_disk_says_so(
    start: Start, fake_agent: Make, nvim: Neovim, unsaved: Path
) -> None:
    new = SAVED.replace("two", "TWO")
    asked, _, done, said = edits((unsaved, SAVED, new))
    steps = [asked, acp.write_file(str(unsaved), new), done, said]
    panel = await ask(start, fake_agent(Script(prompt=steps)))
    await diff_is_open(nvim)

    assert ProposalBase.BESIDE.value in await panel.text()
    await nvim.keys(":w<CR>")

    await panel.shows("All done.")
    await until(lambda: nvim.eval(f"getbufline('{unsaved}', 2) == ['TWO']"), "it follows")
    assert await text(nvim, unsaved) == f"{new}mine\n"


async def test_the_user_s_version_of_unsaved_text_is_written_without_a_second_diff(
    start: Start, fake_agent: Make, nvim: Neovim, unsaved: Path
) -> None:
    new = UNSAVED.replace("two", "TWO")
    script = Script(initialize=[WRITER], prompt=edits((unsaved, UNSAVED, new)))
    panel = await ask(start, fake_agent(script))
    await diff_is_open(nvim)

    await nvim.keys("ggccONE<Esc>:w<CR>")

    assert "allowed, with your changes" in await panel.shows("All done.")
    assert unsaved.read_text() == new.replace("one", "ONE")


async def test_unsaved_text_that_has_changed_since_is_shown_again(
    start: Start, fake_agent: Make, nvim: Neovim, unsaved: Path, tmp_path: Path
) -> None:
    new = UNSAVED.replace("two", "TWO")
    asked, *rest = edits((unsaved, UNSAVED, new))
    steps = [asked, acp.until(tmp_path / "now"), *rest]
    panel = await ask(start, fake_agent(Script(initialize=[WRITER], prompt=steps)))
    await diff_is_open(nvim)
    await nvim.keys(":w<CR>")
    await panel.shows("↳ allowed")
    await until(lambda: nvim.eval("tabpagenr('$') == 1"), "the diff is closed")
    await nvim.eval(f"appendbufline('{unsaved}', '$', 'later')")

    (tmp_path / "now").touch()
    await diff_is_open(nvim)

    assert unsaved.read_text() == SAVED
    await nvim.keys(":q<CR>")
    await panel.shows("All done.")
    assert await text(nvim, unsaved) == f"{UNSAVED}later\n"
    assert unsaved.read_text() == SAVED


async def test_a_change_of_the_text_on_disk_leaves_unsaved_changes_unsaved(
    start: Start, fake_agent: Make, nvim: Neovim, unsaved: Path
) -> None:
    new = SAVED.replace("two", "TWO")
    script = Script(initialize=[WRITER], prompt=edits((unsaved, SAVED, new)))
    panel = await ask(start, fake_agent(script))
    await diff_is_open(nvim)

    assert ProposalBase.BESIDE.value in await panel.text()
    await on_screen(nvim, "on disk; unsaved lines stay")
    await nvim.keys(":w<CR>")

    await panel.shows("All done.")
    assert unsaved.read_text() == new
    await until(lambda: nvim.eval(f"getbufline('{unsaved}', 2) == ['TWO']"), "it follows")
    assert await text(nvim, unsaved) == f"{new}mine\n"
    assert await nvim.eval(f"getbufvar('{unsaved}', '&modified')") == 1


async def test_a_change_that_is_allowed_in_the_transcript_is_not_asked_again(
    start: Start, fake_agent: Make, nvim: Neovim, unsaved: Path
) -> None:
    new = UNSAVED.replace("two", "TWO")
    script = Script(initialize=[WRITER], prompt=edits((unsaved, UNSAVED, new)))
    fake = fake_agent(script)
    panel = await start(fake)
    await panel.send("please")
    # While the user writes, no diff appears; a request counts once it could be noticed.
    await nvim.keys("another prompt")
    assert "+TWO" in await panel.shows("? Edit")
    await nvim.idle(500)
    await nvim.keys("<Cmd>ClaudeChat answer<CR>")
    await choose_answer(nvim, "y")

    await panel.shows("All done.")
    assert "result" in writing(fake)[0]
    assert unsaved.read_text() == new == await text(nvim, unsaved)


async def test_a_rejected_change_leaves_the_unsaved_text(
    start: Start, fake_agent: Make, nvim: Neovim, unsaved: Path
) -> None:
    new = UNSAVED.replace("two", "TWO")
    asked, *_ = edits((unsaved, UNSAVED, new))
    script = Script(initialize=[WRITER], prompt=[asked, acp.say("As you like.")])
    panel = await ask(start, fake_agent(script))
    await diff_is_open(nvim)

    await nvim.keys(":q<CR>")

    assert "rejected" in await panel.shows("As you like.")
    assert await text(nvim, unsaved) == UNSAVED
    assert unsaved.read_text() == SAVED
    assert await nvim.eval(f"getbufvar('{unsaved}', '&modified')") == 1


async def test_the_user_s_versions_of_several_files_are_written_and_named(
    start: Start, fake_agent: Make, nvim: Neovim, path: Path
) -> None:
    other = path.with_name("b.py")
    other.write_text(SAVED)
    new = SAVED.replace("two", "TWO")
    turns = [edits((path, SAVED, new), (other, SAVED, new)), [acp.say("Fine.")]]
    fake = fake_agent(Script(initialize=[WRITER], prompt=turns))
    panel = await ask(start, fake)
    for name in ("a.py", "b.py"):
        await diff_is_open(nvim, name)
        await nvim.keys(f"ggcc{name}<Esc>:w<CR>")

    assert "allowed, with your changes" in await panel.shows("All done.")
    assert path.read_text() == new.replace("one", "a.py")
    assert other.read_text() == new.replace("one", "b.py")

    await panel.send("and now?")
    await panel.shows("Fine.")
    note = fake.received("session/prompt")[-1]["prompt"][-1]["text"]
    assert note.count("The user changed your proposal") == 2
    assert str(path) in note
    assert str(other) in note
