"""The completion of prompts finds every file of a repository of any size."""

from functools import partial
from pathlib import Path

from support.chats import Chats
from support.chunks import chunk
from support.git_index import index
from support.neovim import Neovim, until

ITEMS = "map(complete_info(['items']).items, 'v:val.word')"
WATCH_CPU = chunk("chat_files/watch_cpu")


def create(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch() if path.suffix else path.mkdir(exist_ok=True)


async def test_every_file_of_100_000_completes_without_blocking(
    nvim: Neovim, project: Path
) -> None:
    names = (f"packages/p{n // 1000:03}/Part_{n % 7}/some_file_{n}.ts" for n in range(100_000))
    index(project, *names, "zz/the_last.lua")
    chats = await Chats.start(nvim)
    await chats.open()
    await nvim.lua(WATCH_CPU)

    offered = (
        ("@", "@packages/p000/Part_0/"),
        ("the_last", "@zz/the_last.lua"),
        ("<C-u>@file_99999", "@packages/p099/Part_4/some_file_99999.ts"),
        ("<C-u>@zlua", "@zz/the_last.lua"),
        ("<C-u>@part_4/some_file_4.", "@packages/p000/Part_4/some_file_4.ts"),
    )
    for _, wanted in offered:
        # One that does not exist is not offered.
        create(project / wanted.removeprefix("@"))
    for typed, wanted in offered:
        await nvim.keys(typed)
        await until(partial(_offers, nvim, wanted), f"{wanted} is offered", 30)

    assert await nvim.lua("return _G.longest") < 25


async def _offers(nvim: Neovim, word: str) -> bool:
    return bool(await nvim.eval(f"pumvisible() && index({ITEMS}, '{word}') >= 0"))


async def test_a_search_for_another_pattern_ends_the_one_before(
    nvim: Neovim, project: Path
) -> None:
    index(project, *(f"file_{n}" for n in range(30_000)), "wanted")
    (project / "wanted").touch()
    chats = await Chats.start(nvim)
    await chats.open()

    await nvim.keys("@file_29999<C-u>@wante")

    await until(lambda: nvim.eval(f"pumvisible() && {ITEMS} == ['@wanted']"), "only one is offered")
