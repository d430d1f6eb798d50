"""`chat/prompt/init.lua`: images from the clipboard, read by the tool that is installed."""

import base64
from pathlib import Path

import pytest

from support.chats import Chats
from support.neovim import Neovim, until

PNG = b"\x89PNG\r\n\x1a\n\0\xff\n" + bytes(range(256))
XCLIP = """#!/bin/sh
case "$*" in
  *TARGETS*) printf 'TARGETS\\n{type}\\n' ;;
  *'-t {type}'*) cat "$IMAGE" ;;
  *) exit 1 ;;
esac
"""
WL_PASTE = """#!/bin/sh
case "$*" in
  *--list-types*) printf '{type}\\ntext/plain\\n' ;;
  *'--type {type}'*) cat "$IMAGE" ;;
  *) exit 1 ;;
esac
"""
PNGPASTE = """#!/bin/sh
[ "$*" = - ] && cat "$IMAGE"
"""
NO_IMAGE = """#!/bin/sh
case "$*" in
  *TARGETS*|*--list-types*) printf 'text/plain\\n' ;;
  *) exit 1 ;;
esac
"""


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """The only folder in PATH, with the programs that the scripts need."""
    folder = tmp_path / "tools"
    folder.mkdir()
    (folder / "cat").symlink_to("/bin/cat")
    (tmp_path / "image").write_bytes(PNG)
    return folder


@pytest.fixture
async def chats(
    nvim: Neovim, tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Chats:
    monkeypatch.setenv("PATH", str(tools))
    monkeypatch.setenv("IMAGE", str(tmp_path / "image"))
    chats = await Chats.start(nvim)
    await chats.open()
    return chats


def install(tools: Path, name: str, script: str, media_type: str = "image/png") -> None:
    path = tools / name
    path.write_text(script.replace("{type}", media_type))
    path.chmod(0o755)


async def typed(chats: Chats, *lines: str) -> None:
    async def holds() -> bool:
        return await chats.lines("prompt") == list(lines)

    await until(holds, f"the prompt holds {lines}")


@pytest.mark.parametrize(
    ("name", "script", "media_type"),
    [
        ("xclip", XCLIP, "image/png"),
        ("xclip", XCLIP, "image/jpeg"),
        ("wl-paste", WL_PASTE, "image/png"),
        ("wl-paste", WL_PASTE, "image/webp"),
        ("pngpaste", PNGPASTE, "image/png"),
    ],
)
async def test_an_image_is_sent_with_the_prompt(
    nvim: Neovim, chats: Chats, tools: Path, name: str, script: str, media_type: str
) -> None:
    install(tools, name, script, media_type)

    await nvim.keys("see <C-g>p")
    await typed(chats, "see [Image 1]")
    await nvim.keys("!<C-s>")

    event = await chats.wait_for_event("send")
    assert event["text"] == "see [Image 1]!"
    (image,) = event["images"]
    assert image["media_type"] == media_type
    assert base64.b64decode(image["data"]) == PNG


async def test_an_image_can_be_pasted_in_normal_mode(
    nvim: Neovim, chats: Chats, tools: Path
) -> None:
    install(tools, "xclip", XCLIP)

    await nvim.keys("one two<Esc>0wgp")

    await typed(chats, "one [Image 1]two")


async def test_typing_continues_while_the_tool_runs(
    nvim: Neovim, chats: Chats, tools: Path, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    wait = f"#!/bin/sh\nwhile ! [ -e {go} ]; do :; done\n"
    install(tools, "xclip", XCLIP.replace("#!/bin/sh\n", wait))
    await nvim.keys("a <C-g>pb c")
    await typed(chats, "a b c")

    go.touch()

    await typed(chats, "a [Image 1]b c")
    await nvim.keys("!")
    await typed(chats, "a [Image 1]b c!")


async def test_an_image_whose_placeholder_is_gone_is_not_sent(
    nvim: Neovim, chats: Chats, tools: Path
) -> None:
    install(tools, "xclip", XCLIP)
    await nvim.keys("<C-g>p")
    await typed(chats, "[Image 1]")
    await nvim.keys(" <C-g>p")
    await typed(chats, "[Image 1] [Image 2]")

    await nvim.keys("<Esc>cc[Image 2] twice: [Image 2] [Image 9]<C-s>")

    assert len((await chats.wait_for_event("send"))["images"]) == 1


async def test_a_prompt_restored_by_undo_keeps_its_image(
    nvim: Neovim, chats: Chats, tools: Path
) -> None:
    install(tools, "xclip", XCLIP)
    await nvim.keys("<C-g>p")
    await typed(chats, "[Image 1]")
    await nvim.keys("<C-s><Esc>u<CR>")

    await until(lambda: len(chats.events("send")) == 2)
    first, second = chats.events("send")
    assert first["images"] == second["images"] != []


async def test_a_missing_clipboard_tool_is_reported(nvim: Neovim, chats: Chats) -> None:
    await nvim.keys("one<C-g>p")

    await until(lambda: "no tool to read images" in nvim.screen.text())
    assert await chats.lines("prompt") == ["one"]
    assert (await nvim.mode()) == {"mode": "i", "blocking": False}


@pytest.mark.parametrize("name", ["xclip", "wl-paste", "pngpaste"])
async def test_a_clipboard_without_an_image_is_reported(
    nvim: Neovim, chats: Chats, tools: Path, name: str
) -> None:
    install(tools, name, NO_IMAGE)

    await nvim.keys("one<C-g>p")

    await until(lambda: "no image on the clipboard" in nvim.screen.text())
    assert await chats.lines("prompt") == ["one"]


async def test_the_next_tool_is_tried_when_one_fails(
    nvim: Neovim, chats: Chats, tools: Path
) -> None:
    install(tools, "wl-paste", "#!/bin/sh\nexit 1\n")
    install(tools, "xclip", XCLIP)

    await nvim.keys("<C-g>p")

    await typed(chats, "[Image 1]")


async def test_a_very_large_image_is_refused(
    nvim: Neovim, chats: Chats, tools: Path, tmp_path: Path
) -> None:
    install(tools, "xclip", XCLIP)
    (tmp_path / "image").write_bytes(b"x" * (5 * 1024 * 1024 + 1))

    await nvim.keys("<C-g>p")

    await until(lambda: "the image is larger than 5 MB" in nvim.screen.text())
    assert await chats.lines("prompt") == [""]
