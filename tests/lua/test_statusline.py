"""`statusline()`: the state of the chats in a few words, and how it is drawn in Neovim."""

from support.chats import Chats
from support.chunks import chunk
from support.neovim import Neovim, until

STATUS = "return require('claude_ide').statusline()"
SET = "require('claude_ide.activity').set(...)"
WORKS = "require('claude_ide.chat.state').set(1, { work = ... })"

NAMED = "require('claude_ide.chat.state').get(1).options.name = ..."


async def test_a_chat_at_work_matters_more_than_a_client_and_a_request_even_more(
    serving: Neovim,
) -> None:
    await (await Chats.start(serving)).open()

    await serving.lua(NAMED, "Otter")
    await serving.lua(WORKS, {"text": "writes", "status": "running"})
    assert await serving.lua(STATUS) == "Otter: working"

    await serving.lua("require('claude_ide.chat.state').set(1, { requests = 2, label = '' })")
    assert await serving.lua(STATUS) == "Otter: wants you 2?"

    await serving.lua("require('claude_ide.chat.state').set(1, { requests = 1, label = 'Dam' })")
    assert await serving.lua(STATUS) == "Otter (Dam): wants you 1?"

    await serving.lua("require('claude_ide.chat.state').set(1, { requests = 0, label = 'Dam' })")
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


async def test_a_chat_tells_its_figures(serving: Neovim) -> None:
    await (await Chats.start(serving)).open()

    work = {"text": "ready", "status": "success"}
    await serving.lua(WORKS, work | {"model": "Otter 5", "context": 42, "cost": 1.234})

    assert await serving.lua(STATUS) == "Claude: ready · Otter 5 · 42%% · $1.23"


async def test_a_change_redraws_the_status_line_once_and_is_announced(serving: Neovim) -> None:
    await serving.command("set laststatus=2 statusline=%{%claude_ide#statusline()%}")
    await serving.lua(chunk("statusline/record"), await serving.channel())
    await serving.lua(SET, "t", {"is_working": True})

    await until(lambda: "Claude: working" in serving.screen.text())
    for cost in (1, 2, 3):
        await serving.lua(SET, "t", {"is_working": True, "model": "50% %{1}", "cost": cost})
    await until(lambda: "Claude: working · 50% %{1} · $3.00" in serving.screen.text())
    await serving.lua(SET, "t", {"is_working": True, "model": "50% %{1}", "cost": 3})
    await serving.lua("require('claude_ide.activity').changed()")
    await serving.idle(50)

    shown = [event["text"] for event in serving.events("ClaudeStatusChanged")]
    assert shown == list(dict.fromkeys(shown))
    last = {"state": "working", "model": "50% %{1}", "cost": 3}
    assert serving.events("ClaudeStatusChanged")[-1] == last | {"text": shown[-1]}


async def test_the_text_is_composed_when_something_changes_and_not_when_it_is_drawn(
    serving: Neovim,
) -> None:
    await serving.lua(STATUS)
    await serving.lua(chunk("statusline/count"))
    for _ in range(5):
        await serving.lua(STATUS)
    assert await serving.eval("g:composed") == 0

    await serving.command("ClaudeShare off")

    assert await serving.lua(STATUS) == "Claude: ready unshared"
    assert await serving.eval("g:composed") >= 1


async def test_the_lualine_component_follows_the_changes(serving: Neovim) -> None:
    await serving.lua(chunk("statusline/lualine"))
    await serving.lua(SET, "t", {"is_working": True})

    await until(lambda: serving.eval("get(g:, 'refreshed', '')"), "lualine is refreshed")
    assert await serving.eval("g:refreshed") == "Claude: working"
