"""What a turn of the real CLI has changed, and the review of it."""

from pathlib import Path

from support.fake_api import FakeApi, edit, text, tool_use
from support.neovim import Neovim, until
from support.panel import Panel

MINUS = "\N{MINUS SIGN}"


async def accept_edits(nvim: Neovim, panel: Panel) -> None:
    await nvim.command("ClaudeChat mode acceptEdits")
    await panel.bar_shows("acceptEdits")


async def in_list(nvim: Neovim) -> list[str]:
    """Wait until the user is in the quickfix window; return the entries as `file:line text`."""
    await until(lambda: nvim.eval("&buftype == 'quickfix'"), "the list is open")
    items = await nvim.eval(
        "map(getqflist(), {_, v -> [fnamemodify(bufname(v.bufnr), ':t'), v.lnum, v.text]})"
    )
    return [f"{name}:{line} {words}" for name, line, words in items]


async def test_the_hunks_of_a_turn_are_listed_reverted_and_reported_to_the_model(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path, project: Path
) -> None:
    await accept_edits(nvim, panel)
    made = project / "made.txt"
    write = tool_use("Write", file_path=str(made), content="a\nb\n")
    api.script(*edit(path, "two", "TWO\nmore", then="Edited.")[:2], [write], [text("All done.")])
    await panel.send("Shout")
    await panel.shows(f"· 2 files +4 {MINUS}1 · gd")

    assert await panel.go_to("All done.")
    await nvim.keys("gd")
    assert await in_list(nvim) == [f"a.py:2 +2 {MINUS}1  TWO", f"made.txt:1 +2 {MINUS}0  new file"]
    await nvim.keys("x")
    await until(lambda: path.read_text() == "one\ntwo\n")

    api.script([text("I see.")])
    await panel.send("And now?")
    assert "Claude now knows that you reverted 1 change in a.py" in await panel.shows("I see.")
    note = api.requests[-1].new_text.partition("The user has reverted")[2]
    assert "a.py:\n-TWO\n-more\n+two" in note

    api.script([text("Nothing new.")])
    await panel.send("Again?")
    await panel.shows("Nothing new.")
    assert "The user has reverted" not in api.requests[-1].new_text


async def test_a_reverted_change_that_the_user_restores_is_not_reported(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path
) -> None:
    await accept_edits(nvim, panel)
    api.script(*edit(path, "two", "TWO", then="All done."))
    await panel.send("Shout")
    await panel.shows("· gd")
    await nvim.command("ClaudeChanges")
    await in_list(nvim)
    await nvim.keys("x")
    await until(lambda: path.read_text() == "one\ntwo\n")
    await nvim.command("ClaudeReview undo")
    await until(lambda: path.read_text() == "one\nTWO\n")

    api.script([text("I see.")])
    await panel.send("And now?")

    await panel.shows("I see.")
    assert "The user has re" not in api.requests[-1].new_text


async def test_changes_by_commands_are_listed_and_reverted(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path, project: Path
) -> None:
    await accept_edits(nvim, panel)
    gone = project / "gone.txt"
    gone.write_bytes(b"one\r\ntwo")
    run = tool_use("Bash", command="rm gone.txt; sed -i s/two/TWO/ a.py", description="Change")
    api.script([tool_use("Read", file_path=str(gone))], [run], [text("All done.")])
    await panel.send("Change")
    await panel.shows(f"· 2 files +1 {MINUS}3 · gd")

    await nvim.command("ClaudeReview")
    assert await in_list(nvim) == [
        f"a.py:2 +1 {MINUS}1  TWO",
        f"gone.txt:1 +0 {MINUS}2  deleted file",
    ]
    await nvim.keys("Vjx")

    await until(lambda: gone.exists() and gone.read_bytes() == b"one\r\ntwo")
    await until(lambda: path.read_text() == "one\ntwo\n")


async def test_files_that_the_user_writes_during_a_turn_are_not_listed(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path, project: Path
) -> None:
    await accept_edits(nvim, panel)
    other = project / "other.txt"
    other.write_text("one\n")
    wait = "touch build/started; while ! test -e build/go; do sleep 0.05; done"
    build = project / "build"
    build.mkdir()
    command = f"{wait}; sed -i s/two/TWO/ a.py"
    api.script([tool_use("Bash", command=command, description="Wait")], [text("All done.")])
    await nvim.command("wincmd t | badd other.txt")
    await panel.send("Wait")
    await until(lambda: (build / "started").exists(), "the command runs")

    await nvim.keys("<Esc>")
    await nvim.command("wincmd t | edit other.txt | 1substitute/one/mine/ | write")
    (build / "go").touch()

    await panel.shows(f"· 1 file +1 {MINUS}1 · gd")
    await nvim.command("ClaudeReview")
    assert await in_list(nvim) == [f"a.py:2 +1 {MINUS}1  TWO"]


async def test_the_last_turn_and_the_whole_chat_can_be_reviewed_after_a_resume(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path, project: Path
) -> None:
    await accept_edits(nvim, panel)
    crlf = project / "crlf.txt"
    crlf.write_bytes(b"one\r\ntwo\r\n")
    api.script(*edit(path, "two", "TWO", then="First."), *edit(crlf, "two", "2", then="Second."))
    await panel.send("Shout")
    await panel.shows("First.")
    await panel.shows("· gd")
    await panel.send("Count")
    await panel.shows("Second.")
    await until(lambda: panel_count(panel), "both turns have ended")

    await panel.end()
    await nvim.command("ClaudeChat continue")
    await panel.shows("Second.")
    await nvim.command("ClaudeReview turn")
    assert await in_list(nvim) == [f"crlf.txt:2 +1 {MINUS}1  2"]
    await nvim.keys("x")
    await until(lambda: crlf.read_bytes() == b"one\r\ntwo\r\n")

    await nvim.command("wincmd t | ClaudeReview!")
    assert await in_list(nvim) == [f"a.py:2 +1 {MINUS}1  TWO"]


async def panel_count(panel: Panel) -> bool:
    return (await panel.text()).count("· gd") == 2


async def test_a_review_without_changes_says_so_in_one_line(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path
) -> None:
    async def says(words: str) -> None:
        await until(lambda: nvim.eval(f"execute('messages') =~ '{words}'"), words)

    await nvim.command("ClaudeReview")
    await says("nothing waits for review")

    await accept_edits(nvim, panel)
    api.script(*edit(path, "two", "TWO", then="All done."))
    await panel.send("Shout")
    await panel.shows("· gd")
    await nvim.command("ClaudeReview b.py")
    await says("nothing waits for review in b.py")
    assert "a.py" in await nvim.eval("getcompletion('ClaudeReview a', 'cmdline')")
