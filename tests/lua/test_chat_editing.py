"""An earlier prompt in the prompt window, and the key that edits it."""

from typing import Any

import pytest

from support.chats import Chats, edit
from support.neovim import Neovim, until

pytestmark = pytest.mark.usefixtures("open_chat")

EDIT = "return require('claude_ide.chat.prompt').replace(...)"
PARTS = [[0, 1, "turn"], [1, 2, "text"], [2, 3, "queued"]]


def picture(data: str) -> dict[str, str]:
    return {"data": data, "media_type": "image/png"}


async def wait_for_text(chats: Chats, *lines: str) -> None:
    """Wait until the prompt holds these lines."""

    async def holds() -> bool:
        return await chats.lines("prompt") == list(lines)

    await until(holds, f"the prompt holds {lines}")


async def sent(chats: Chats) -> dict[str, Any]:
    return await chats.wait_for_event("send")


async def test_an_earlier_prompt_replaces_the_text_in_one_undo_step(
    nvim: Neovim, chats: Chats
) -> None:
    await nvim.keys("a draft<Esc>")

    await nvim.lua(EDIT, 1, "one\ntwo", [])
    await wait_for_text(chats, "one", "two")

    await nvim.keys("u")
    await wait_for_text(chats, "a draft")


async def test_the_replaced_text_is_returned_and_stays_in_the_history(
    nvim: Neovim, chats: Chats
) -> None:
    await nvim.keys("a<CR>draft")
    draft = await nvim.lua(EDIT, 1, "first", [])
    assert await nvim.lua(EDIT, 1, "second", []) == "first"
    await nvim.keys("!")

    assert await nvim.lua(EDIT, 1, draft, []) == "second!"

    await wait_for_text(chats, "a", "draft")
    await nvim.keys("<Esc>gg<Up>")
    await wait_for_text(chats, "second!")
    await nvim.keys("<Up>")
    await wait_for_text(chats, "first")


async def test_an_unknown_chat_is_ignored(nvim: Neovim) -> None:
    assert await nvim.lua(EDIT, 9, "first", []) == ""


@pytest.mark.parametrize(
    ("text", "shown", "data"),
    [
        ("see [Image 4] and [Image #2]", "see [Image 1] and [Image 2]", ["A", "B"]),
        ("twice [Image 4] [Image 4]", "twice [Image 1] [Image 1] [Image 2]", ["A", "B"]),
        ("no placeholder", "no placeholder [Image 1] [Image 2]", ["A", "B"]),
        ("", "[Image 1] [Image 2]", ["A", "B"]),
    ],
)
async def test_its_images_are_sent_again(
    nvim: Neovim, chats: Chats, text: str, shown: str, data: list[str]
) -> None:
    await nvim.lua(EDIT, 1, text, [picture("A"), picture("B")])
    await wait_for_text(chats, shown)

    await nvim.keys("<C-s>")

    assert [image["data"] for image in (await sent(chats))["images"]] == data


async def test_a_placeholder_without_an_image_stays(nvim: Neovim, chats: Chats) -> None:
    await nvim.lua(EDIT, 1, "lost [Image 7]", [])

    await wait_for_text(chats, "lost [Image 7]")


async def test_e_edits_a_prompt_and_is_a_motion_elsewhere(nvim: Neovim, chats: Chats) -> None:
    lines = ["» first", "some text", "⧗ queued"]
    await chats.draw(edit(0, 0, lines, parts=PARTS))

    await chats.enter_transcript(1)
    await nvim.keys("e")
    await chats.enter_transcript(3)
    await nvim.keys("e")
    await chats.enter_transcript(2)
    await nvim.keys("0e")

    await until(lambda: len(chats.events("edit")) == 2, "both prompts")
    assert [event["part"] for event in chats.events("edit")] == [1, 3]
    assert await nvim.eval("col('.')") == 4
    await chats.enter_transcript(1)
    await nvim.keys("02e")
    assert await nvim.eval("col('.')") > 1
    assert len(chats.events("edit")) == 2


async def test_e_is_a_motion_if_the_agent_cannot_branch(nvim: Neovim, chats: Chats) -> None:
    await chats.draw(edit(0, 0, ["first"], parts=PARTS[:1]))
    offer = {"name": "Otter", "commands": [], "choices": {}, "lacks": ["edit"]}
    await nvim.lua("require('claude_ide.chat.state').set(...)", 1, {"offer": offer})

    await chats.enter_transcript(1)
    await nvim.keys("e")

    assert await nvim.eval("col('.')") == 5
    assert chats.events("edit") == []
