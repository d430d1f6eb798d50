"""Text that crashes or hangs parsers, in every view: Neovim must still answer."""

from pathlib import Path

import pytest

from support.answers import listen
from support.chats import Chats, edit
from support.chunks import chunk
from support.claude_code import ClaudeCode
from support.diffs import Diffs
from support.hostile import DEEP, EAGER, LINK, Addresses, is_coloured, survives
from support.neovim import Neovim, until
from support.plans import ask

SHOW_ANSWER = chunk("parsers/show_answer")
TEXTS = {**DEEP, "a link with control characters": f"# x\n\n{LINK}"}
texts = pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())


@pytest.fixture(params=["eager", "plain"])
async def user(nvim: Neovim, request: pytest.FixtureRequest) -> Neovim:
    if request.param == "eager":
        await nvim.lua(EAGER)
    return nvim


@pytest.fixture
def addresses(user: Neovim) -> Addresses:
    return Addresses(user)


async def shows(nvim: Neovim, text: str) -> None:
    """Wait until the beginning of the text is on the screen."""
    start = text.strip()[:3].rstrip()
    await until(lambda: start in nvim.screen.text(), f"{start!r} is shown")


@texts
async def test_a_hostile_answer_is_shown_safely(
    user: Neovim, addresses: Addresses, text: str
) -> None:
    await user.lua(SHOW_ANSWER, text)

    await shows(user, text)
    await survives(user)
    assert addresses.hostile() == []


async def test_links_of_an_answer_still_work(user: Neovim, addresses: Addresses) -> None:
    await user.lua(SHOW_ANSWER, "see [a](http://x/y)")

    await until(lambda: "http://x/y" in addresses.seen)
    assert await is_coloured(user)


@texts
@pytest.mark.parametrize("language", ["markdown", "help"])
async def test_a_hostile_code_block_in_a_chat_is_drawn_safely(
    user: Neovim, text: str, language: str
) -> None:
    chats = await Chats.start(user)
    await chats.open()
    lines = text.replace("\x1b", "^[").replace("\x07", "^G").split("\n")

    await chats.draw(edit(0, 0, lines), code=[[0, len(lines), language]])

    await survives(user)
    assert await chats.lines() == lines


@texts
@pytest.mark.parametrize("name", ["a.md", "new.md", "a.html"])
async def test_a_hostile_proposal_is_shown_and_can_be_accepted(
    user: Neovim, project: Path, addresses: Addresses, text: str, name: str
) -> None:
    if name.startswith("a"):
        (project / name).write_text("# fine\n")
    diffs = await Diffs.start(user)

    id_ = await diffs.open(project / name, text)

    await survives(user)
    assert await user.eval("&filetype") == ""
    await user.keys(":w<CR>")
    assert (await diffs.decision(id_))["text"] == text
    assert addresses.hostile() == []


@texts
async def test_a_hostile_original_is_shown_safely_next_to_a_proposal(
    user: Neovim, project: Path, addresses: Addresses, text: str
) -> None:
    (project / "a.md").write_text(text)
    diffs = await Diffs.start(user)

    await diffs.open(project / "a.md", "# fine\n")

    await survives(user)
    assert addresses.hostile() == []


@texts
async def test_a_hostile_edited_proposal_is_kept_safely(
    user: Neovim, project: Path, text: str
) -> None:
    diffs = await Diffs.start(user)
    id_ = await diffs.open(project / "a.md", text)
    await user.keys("ggOmine<Esc>")
    await until(lambda: user.eval("getline(1) == 'mine'"))

    await diffs.close(id_)

    kept = "bufnr('Kept (')"
    await until(lambda: user.eval(f"{kept} > 0"), "the text is kept")
    await user.command(f"execute 'buffer' {kept}")
    await survives(user)


@texts
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
async def test_a_hostile_file_is_opened_safely(
    user: Neovim, project: Path, addresses: Addresses, text: str, encoding: str
) -> None:
    path = project / "a.md"
    path.write_bytes(text.encode(encoding))

    opened = await user.lua(
        "return require('claude_ide.file.open').open_file(...)", {"path": str(path)}
    )

    assert opened["languageId"] == "markdown"
    await survives(user)
    for command in ("edit!", "set filetype=markdown", "lua pcall(vim.treesitter.start)"):
        await user.command(command)
        await survives(user)
    assert await user.eval("join(getline(1, '$'), \"\\n\")") == text
    assert addresses.hostile() == []


@texts
async def test_a_client_can_propose_and_open_a_hostile_file_safely(
    serving: Neovim, claude: ClaudeCode, project: Path, text: str
) -> None:
    path = project / "a.md"
    _, asked = claude.start_call(
        "openDiff", {"old_file_path": str(path), "new_file_contents": text}
    )
    await until(lambda: serving.eval("&diff && &modifiable"), "a diff is open")
    await survives(serving)
    await serving.keys(":w<CR>")
    accepted = await asked
    await until(lambda: serving.eval("tabpagenr('$') == 1"), "the diff is closed")
    path.write_text(text)

    await claude.call("openFile", {"filePath": str(path)})

    assert accepted["content"][1]["text"] == text
    await until(lambda: serving.eval("expand('%:t') == 'a.md'"), "the file is open")
    await survives(serving)


@texts
async def test_a_file_reloaded_with_hostile_text_is_shown_safely(
    user: Neovim, project: Path, addresses: Addresses, text: str
) -> None:
    path = project / "a.md"
    path.write_text("# fine\n\ntext\n")
    await user.command("edit a.md")
    await survives(user)

    path.write_text(text)
    assert await user.lua("return require('claude_ide.disk_changes.reload').sync()")

    await survives(user)
    await user.command("edit!")
    await survives(user)
    assert await user.eval("join(getline(1, '$'), \"\\n\")") == text
    assert addresses.hostile() == []


@texts
async def test_a_hostile_plan_is_shown_safely(
    user: Neovim, addresses: Addresses, text: str
) -> None:
    await listen(user)

    await ask(user, text)

    await until(lambda: user.eval("bufname() =~# '^Claude plan' && &modifiable"))
    await survives(user)
    await user.command("set filetype=markdown")
    await survives(user)
    assert addresses.hostile() == []


@texts
async def test_a_hostile_conversation_is_exported_safely(user: Neovim, text: str) -> None:
    await user.lua(
        "require('claude_ide.window.scratch').open('Claude', 'conversation.md', ..., 'markdown')",
        text,
    )

    await survives(user)


async def test_the_reason_for_missing_highlighting_is_shown(nvim: Neovim, project: Path) -> None:
    await nvim.lua(EAGER)
    (project / "a.md").write_text(DEEP["quotes"])

    await nvim.lua(
        "require('claude_ide.file.open').open_file(...)", {"path": str(project / "a.md")}
    )

    await until(
        lambda: "a.md is shown without treesitter: deeply nested blocks" in nvim.screen.text()
    )
    assert (await nvim.mode())["blocking"] is False


async def test_a_repaired_file_is_highlighted_again(nvim: Neovim, project: Path) -> None:
    await nvim.lua(EAGER)
    path = project / "a.md"
    path.write_text(DEEP["quotes"])
    await nvim.lua("require('claude_ide.file.open').open_file(...)", {"path": str(path)})
    assert not await is_coloured(nvim)

    path.write_text("# fine\n")
    await nvim.command("edit!")

    assert await is_coloured(nvim)
    trees = "return #vim.treesitter.get_parser(0):parse()"
    assert await nvim.lua(trees) == 1
    await nvim.command("call setline(1, '# finer') | redraw!")
    assert await nvim.lua(trees) == 1


@pytest.mark.parametrize("name", ["a.md", "a.lua", "a.txt"])
async def test_harmless_files_remain_highlighted(nvim: Neovim, project: Path, name: str) -> None:
    await nvim.lua(EAGER)
    path = project / name
    path.write_text("".join(f"{'  ' * depth}- a > b\n" for depth in range(40)))
    await nvim.lua("require('claude_ide.file.open').open_file(...)", {"path": str(path)})
    diffs = await Diffs.start(nvim)

    await diffs.open(path, path.read_text() + "- more\n")

    has_parser = name != "a.txt"
    for bufnr in await nvim.eval("tabpagebuflist()"):
        assert await is_coloured(nvim, bufnr) is has_parser
