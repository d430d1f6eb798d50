"""Files that are dropped on a prompt: a terminal pastes their paths, which become mentions."""

from pathlib import Path

import pytest

from support.chats import Chats
from support.neovim import Neovim, until

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
async def chats(nvim: Neovim, project: Path) -> Chats:
    """The user is in the prompt of a chat in the project."""
    await nvim.command(f"cd {project}")
    await nvim.lua("require('claude_ide.timing.moment').notice_typing(true)")
    chats = await Chats.start(nvim)
    await chats.open()
    return chats


async def drop(nvim: Neovim, text: str) -> None:
    """Have the terminal paste a text, some time after the last key."""
    await nvim.idle(100)
    await nvim.request("nvim_paste", text, True, -1)


async def holds(nvim: Neovim, text: str) -> None:
    async def is_there() -> bool:
        return bool(await nvim.eval("getline('.')") == text)

    await until(is_there, f"{text!r} is in the prompt")


@pytest.mark.parametrize(
    ("spelled", "mention"),
    [
        ("{}/a.py", "@a.py "),
        ("'{}/a b.py'", '@"a b.py" '),
        ("{}/a\\ b.py", '@"a b.py" '),
        ("{}/a b.py", '@"a b.py" '),
        ("file://{}/a%20b.py", '@"a b.py" '),
        ("file://localhost{}/a%20b.py", '@"a b.py" '),
        ("{}/don't.py", "@don't.py "),
        ("{0}/a.py {0}/b.py ", "@a.py @b.py "),
    ],
)
async def test_dropped_files_become_mentions(
    nvim: Neovim, chats: Chats, project: Path, spelled: str, mention: str
) -> None:
    for name in ("a.py", "b.py", "a b.py", "don't.py"):
        (project / name).write_text("x\n")
    await nvim.keys("see ")

    await drop(nvim, spelled.format(project))

    await holds(nvim, f"see {mention}")
    await nvim.keys("now")
    await holds(nvim, f"see {mention}now")


async def test_a_dropped_image_is_attached(nvim: Neovim, chats: Chats, project: Path) -> None:
    (project / "a.png").write_bytes(PNG)

    await drop(nvim, f"{project}/a.png")

    await holds(nvim, "[Image 1] ")


async def test_an_image_that_stays_in_the_editor_is_only_mentioned(
    nvim: Neovim, chats: Chats, project: Path
) -> None:
    (project / ".env.png").write_bytes(PNG)
    await nvim.command("let g:claude_ide = {'privacy': {'deny': ['*.png']}}")

    await drop(nvim, f"{project}/.env.png")

    await holds(nvim, "@.env.png ")


async def test_an_agent_without_images_gets_a_mention(
    nvim: Neovim, chats: Chats, project: Path
) -> None:
    (project / "a.png").write_bytes(PNG)
    await nvim.lua("require('claude_ide.chat.state').get(1).offer.lacks = { 'paste-image' }")

    await drop(nvim, f"{project}/a.png")

    await holds(nvim, "@a.png ")


@pytest.mark.parametrize("text", ["/no/such/file", "/", "and/or", "/etc/hosts is long"])
async def test_other_texts_stay_as_they_are(nvim: Neovim, chats: Chats, text: str) -> None:
    await drop(nvim, text)

    await nvim.idle(200)
    assert await nvim.eval("getline('.')") == text


async def test_a_path_that_the_user_puts_stays_as_it_is(
    nvim: Neovim, chats: Chats, project: Path
) -> None:
    (project / "a.py").write_text("x\n")
    await nvim.command(f"let @a = '{project}/a.py'")
    await nvim.idle(100)

    await nvim.keys('<Esc>"ap')

    await nvim.idle(200)
    assert await nvim.eval("getline('.')") == f"{project}/a.py"


async def test_one_undo_brings_the_path_back(nvim: Neovim, chats: Chats, project: Path) -> None:
    (project / "a.py").write_text("x\n")
    await drop(nvim, f"{project}/a.py")
    await holds(nvim, "@a.py ")

    await nvim.keys("<Esc>u")

    await nvim.idle(200)
    assert await nvim.eval("getline('.')") in ("", f"{project}/a.py")
