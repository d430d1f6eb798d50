"""`chat/prompt/files.lua` and `paths.lua`: every file of a repository of any size is found."""

import random
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from support.chats import Chats
from support.chunks import chunk
from support.neovim import Neovim, until

EMPTY = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
"""The id of the empty file in git."""

ITEMS = "map(complete_info(['items']).items, 'v:val.word')"
MATCH = chunk("chat_files/match")
WATCH_CPU = chunk("chat_files/watch_cpu")
FILES = "require('claude_ide.chat.prompt.files')"
LIST = f"return {FILES}.match({FILES}.list(...) or {{ chunks = {{}} }}, '', 1e6)"


def git(folder: Path, *arguments: str, text: str = "") -> None:
    subprocess.run(["git", *arguments], cwd=folder, input=text, text=True, check=True)


def index(folder: Path, *paths: str) -> None:
    """Make a repository whose index has these paths; the files need not exist."""
    git(folder, "init", "--quiet")
    entries = "".join(f"100644 {EMPTY}\t{path}\n" for path in paths)
    git(folder, "update-index", "--index-info", text=entries)


def create(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch() if path.suffix else path.mkdir(exist_ok=True)


async def listed(nvim: Neovim, folder: Path) -> list[str]:
    paths: list[str] = await until(lambda: nvim.lua(LIST, str(folder)), "the files")
    return paths


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


async def test_folders_precede_their_first_file_and_are_listed_once(
    nvim: Neovim, project: Path
) -> None:
    index(project, "a/b/c.py", "a/d.py", "a/e/f.py", "g.py")
    (project / "a" / "e").mkdir(parents=True)
    (project / "a" / "e" / "new.py").write_text("")

    assert set(await listed(nvim, project)) == {
        *("a/b/", "a/", "a/b/c.py", "a/d.py", "a/e/", "a/e/f.py", "g.py", "a/e/new.py"),
    }
    assert len(await listed(nvim, project)) == 8


async def test_a_file_with_a_conflict_is_listed_once(nvim: Neovim, project: Path) -> None:
    index(project, "a.py")
    stages = "".join(f"100644 {EMPTY} {stage}\tboth.py\n" for stage in (1, 2, 3))
    git(project, "update-index", "--index-info", text=stages)

    assert sorted(await listed(nvim, project)) == ["a.py", "both.py"]


def matched(paths: list[str], pattern: str) -> tuple[list[str], list[str]]:
    """Return the paths that contain a pattern, and the others with its letters in this order."""
    wanted = pattern.lower()
    whole = [path for path in paths if wanted in path.lower()]
    others = [path for path in paths if wanted not in path.lower()]
    return whole, [path for path in others if has_letters(path.lower(), wanted)]


def has_letters(text: str, letters: str) -> bool:
    rest = iter(text)
    return all(letter in rest for letter in letters)


@pytest.mark.parametrize("seed", range(5))
async def test_the_same_paths_match_as_in_a_simple_search(nvim: Neovim, seed: int) -> None:
    chance = random.Random(seed)
    paths = list({"".join(chance.choices("abAB_.", k=chance.randint(1, 6))) for _ in range(1500)})
    for pattern in ("a", "ab", "aB_", "b.a", "....", "aaaaaaa"):
        whole, scattered = matched(paths, pattern)
        found: list[str] = await nvim.lua(MATCH, paths, pattern, 5000)
        ranked: Any = await nvim.lua("return vim.fn.matchfuzzy(...)", [*whole, *scattered], pattern)
        assert found == ranked


async def test_a_search_for_another_pattern_ends_the_one_before(
    nvim: Neovim, project: Path
) -> None:
    index(project, *(f"file_{n}" for n in range(30_000)), "wanted")
    (project / "wanted").touch()
    await listed(nvim, project)
    chats = await Chats.start(nvim)
    await chats.open()

    await nvim.keys("@file_29999<C-u>@wante")

    await until(lambda: nvim.eval(f"pumvisible() && {ITEMS} == ['@wanted']"), "only one is offered")
