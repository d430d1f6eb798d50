"""`:ClaudeSend` and `:ClaudeAdd %` where files are listed: each file is a mention to the client."""

from pathlib import Path
from typing import Any

import pytest

from support.claude_code import ClaudeCode
from support.either_editor import BOTH, Editor, on_screen
from support.neovim import until

pytestmark = BOTH


@pytest.fixture
async def listing(claude: ClaudeCode, serving: Editor, project: Path) -> Editor:
    """A quickfix list with a file, a private file and another file."""
    for name in ("a.py", ".env", "b.py"):
        (project / name).write_text("one\ntwo\n")
    items = ", ".join(f"{{'filename': '{name}', 'lnum': 2}}" for name in ("a.py", ".env", "b.py"))
    await serving.command(f"call setqflist([{items}]) | copen")
    return serving


async def mentioned(claude: ClaudeCode, count: int) -> list[dict[str, Any]]:
    await until(lambda: len(claude.notifications_of("at_mentioned")) == count, f"{count} mentions")
    return list(claude.notifications_of("at_mentioned"))


@pytest.mark.parametrize("command", ["ClaudeSend", "ClaudeAdd %"])
async def test_the_item_under_the_cursor_is_mentioned(
    listing: Editor, claude: ClaudeCode, project: Path, command: str
) -> None:
    await listing.keys(f"gg:{command}<CR>")

    assert await mentioned(claude, 1) == [
        {"filePath": str(project / "a.py"), "lineStart": 1, "lineEnd": 1}
    ]


async def test_a_selection_mentions_all_but_the_private_ones(
    listing: Editor, claude: ClaudeCode
) -> None:
    await listing.keys("ggVG:ClaudeSend<CR>")

    found = [Path(mention["filePath"]).name for mention in await mentioned(claude, 2)]
    assert found == ["a.py", "b.py"]
    await on_screen(listing, "not mentioned: .env stays")


async def test_nothing_is_mentioned_if_all_is_private(
    listing: Editor, claude: ClaudeCode, project: Path
) -> None:
    await listing.keys("2gg:ClaudeSend<CR>")
    await on_screen(listing, ".env stays")

    await listing.keys("gg:ClaudeSend<CR>")
    assert len(await mentioned(claude, 1)) == 1


async def test_another_path_is_mentioned_as_it_is(
    listing: Editor, claude: ClaudeCode, project: Path
) -> None:
    await listing.keys("gg:ClaudeAdd b.py<CR>")

    assert await mentioned(claude, 1) == [{"filePath": str(project / "b.py")}]


async def test_the_operator_mentions_the_lines_of_a_list(
    listing: Editor, claude: ClaudeCode
) -> None:
    await listing.command("nmap gs <Plug>(claude-send)")
    await listing.keys("gggsG")

    assert len(await mentioned(claude, 2)) == 2


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("2,3ClaudeSend", "sent 2 lines of a.py"),
        ("2ClaudeSend", "sent 1 line of a.py"),
        ("ClaudeSend", "sent a.py"),
        ("ClaudeAdd /", "sent /"),
    ],
)
async def test_a_message_says_what_a_cli_has_got(
    serving: Editor, claude: ClaudeCode, project: Path, command: str, words: str
) -> None:
    for name in ("a.py", "b.py"):
        (project / name).write_text("one\ntwo\nthree\n")
    await serving.command(f"edit {project}/a.py | ClaudeAdd b.py")
    await mentioned(claude, 1)  # It listens; a selection may have come earlier.

    await serving.keys(f":{command}<CR>")

    await mentioned(claude, 2)
    await on_screen(serving, words)


async def test_items_without_a_file_are_named(
    serving: Editor, claude: ClaudeCode, project: Path
) -> None:
    for name in ("a.py", ".env", "b[1].py"):
        (project / name).write_text("one\ntwo\nthree\n")
    await serving.command(
        "call setqflist([{'filename': 'a.py', 'lnum': 2, 'end_lnum': 3},"
        " {'text': 'no file'}, {'filename': '.env', 'lnum': 1},"
        " {'filename': 'gone.py', 'lnum': 1}, {'filename': 'b[1].py'}]) | copen"
    )

    await serving.keys("ggjV:ClaudeSend<CR>")
    await on_screen(serving, "there is no file in these lines")

    await serving.keys(":%ClaudeSend<CR>")
    assert await mentioned(claude, 2) == [
        {"filePath": str(project / "a.py"), "lineStart": 1, "lineEnd": 2},
        {"filePath": str(project / "b[1].py")},
    ]
    await on_screen(serving, "(and 1 more)")


async def test_the_files_of_netrw_are_mentioned(
    serving: Editor, claude: ClaudeCode, project: Path
) -> None:
    (project / "a.py").touch()
    (project / "sub").mkdir()
    await serving.command("runtime plugin/netrwPlugin.vim")
    await serving.keys(":edit .<CR>")
    await until(lambda: serving.eval("&filetype == 'netrw'"), "the tree")

    await serving.keys(":call search('^a.py')<CR>:ClaudeSend<CR>")
    assert await mentioned(claude, 1) == [{"filePath": str(project / "a.py")}]
    await serving.keys(":call search('^sub/')<CR>:ClaudeSend<CR>")
    assert (await mentioned(claude, 2))[1] == {"filePath": str(project / "sub")}

    await serving.keys("gg:ClaudeSend<CR>")
    await on_screen(serving, "there is no file under the cursor")
