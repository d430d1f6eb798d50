"""A private file is neither read nor written for an agent."""

from pathlib import Path

from support.agent_files import NEW, Here, refused

REASON = "it holds secrets by its name (privacy.allow)"


async def test_a_private_file_is_refused(here: Here, project: Path) -> None:
    secret = project / ".env"
    secret.write_text("KEY=1\n")
    (project / "link").symlink_to(".env")

    for name in (".env", "link"):
        path = str(project / name)
        words = f"{name} stays in Neovim: {REASON}"
        assert await refused(here.files.read(path)) == words
        assert await refused(here.files.write(path, NEW)) == words
        assert await refused(here.files.write(path, NEW, is_allowed=True)) == words

    assert secret.read_text() == "KEY=1\n"


async def test_an_open_private_file_is_refused(here: Here, opened: Path) -> None:
    await here.nvim.lua("vim.g.claude_ide = { privacy = { deny = { 'a.txt' } } }")

    words = 'a.txt stays in Neovim: privacy.deny has "a.txt"'
    assert await refused(here.files.read(str(opened))) == words
