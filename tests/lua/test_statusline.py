"""`statusline()`: the state of the server, its clients and the chats in a few words."""

from pathlib import Path

from support.chats import Chats
from support.claude_code import claude_code
from support.neovim import Neovim, until

STATUS = "return require('claude_ide').statusline()"
WORKS = "require('claude_ide.chat.busy').set(require('claude_ide.chat.state').get(1), ...)"

NAMED = "require('claude_ide.chat.state').get(1).options.name = ..."


async def test_it_is_empty_without_a_server(nvim: Neovim) -> None:
    assert await nvim.lua(STATUS) == ""


async def test_it_names_connected_clients(serving: Neovim, config_folder: Path) -> None:
    assert await serving.lua(STATUS) == "Claude: ready"

    async with claude_code(config_folder):
        await until(lambda: serving.lua(f"{STATUS} == 'Claude: connected'"))
        async with claude_code(config_folder):
            await until(lambda: serving.lua(f"{STATUS} == 'Claude: 2 connected'"))
    await until(lambda: serving.lua(f"{STATUS} == 'Claude: ready'"))


async def test_a_chat_at_work_matters_more_than_a_client_and_a_request_even_more(
    serving: Neovim,
) -> None:
    await (await Chats.start(serving)).open()

    await serving.lua(WORKS, {"text": "writes", "status": "running"})
    assert await serving.lua(STATUS) == "Claude: working"
    await serving.lua(NAMED, "Otter")
    assert await serving.lua(STATUS) == "Otter: working"

    await serving.lua("require('claude_ide.chat.waiting').set(1, 2)")
    assert await serving.lua(STATUS) == "Otter: waiting 2?"

    await serving.lua("require('claude_ide.chat.waiting').set(1, 0)")
    await serving.lua(WORKS, {"text": "done", "status": "success"})
    assert await serving.lua(STATUS) == "Claude: ready"


async def test_it_names_none_of_several_agents_at_work(serving: Neovim) -> None:
    chats = await Chats.start(serving)
    for id_ in (1, 2):
        await chats.open(id_)
        named = f"require('claude_ide.chat.state').get({id_}).options.name = ..."
        await serving.lua(named, f"Otter {id_}")
        await chats.show_bars({}, "running", id_=id_)

    assert await serving.lua(STATUS) == "Claude: working"
