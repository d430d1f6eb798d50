"""`privacy/`: which files stay in the editor, and why."""

from pathlib import Path

import pytest

from support import either_editor
from support.either_editor import BOTH, Editor, run
from support.neovim import Neovim
from support.private_names import GLOBS, PLAIN, SECRETS

REASON = "return require('claude_ide.privacy').reason(...)"
BY_NAME = "it holds secrets by its name (privacy.allow)"


async def reason(nvim: Neovim, path: Path | str) -> str | None:
    found: str | None = await nvim.lua(REASON, str(path))
    return found


async def configure(nvim: Neovim, **privacy: object) -> None:
    await nvim.lua("vim.g.claude_ide = { privacy = ... }", privacy)


@pytest.mark.parametrize("name", SECRETS)
async def test_a_secret_is_private_by_its_name(nvim: Neovim, project: Path, name: str) -> None:
    assert await reason(nvim, project / name) == BY_NAME


@pytest.mark.parametrize("name", PLAIN)
async def test_other_names_are_not_private(nvim: Neovim, project: Path, name: str) -> None:
    assert await reason(nvim, project / name) is None


async def test_a_secret_may_be_allowed(nvim: Neovim, project: Path) -> None:
    await configure(nvim, allow=["test.pem", "fixtures/**"])

    assert await reason(nvim, project / "deep/test.pem") is None
    assert await reason(nvim, project / "fixtures/deep/.env") is None
    assert await reason(nvim, project / "other.pem") == BY_NAME


async def test_denying_is_stronger_than_allowing(nvim: Neovim, project: Path) -> None:
    await configure(nvim, allow=[".env"], deny=[".env"])

    assert await reason(nvim, project / ".env") == 'privacy.deny has ".env"'


@pytest.mark.parametrize("glob", GLOBS)
async def test_globs_are_those_of_gitignore(nvim: Neovim, project: Path, glob: str) -> None:
    await configure(nvim, deny=[glob])
    matching, others = GLOBS[glob]

    for name in matching:
        assert await reason(nvim, project / name) == f'privacy.deny has "{glob}"', name
    for name in others:
        assert await reason(nvim, project / name) is None, name


async def test_a_glob_may_name_an_absolute_path(
    nvim: Neovim, project: Path, tmp_path: Path
) -> None:
    await configure(nvim, deny=[f"{project}/a.txt", f"//{tmp_path}/b", "~/c.txt"])

    assert await reason(nvim, project / "a.txt") is not None
    assert await reason(nvim, tmp_path / "b" / "x") is not None
    assert await reason(nvim, await nvim.eval("expand('~/c.txt')")) is not None
    assert await reason(nvim, project / "c.txt") is None


async def test_a_relative_glob_follows_the_working_folder(nvim: Neovim, project: Path) -> None:
    (project / "inner").mkdir()
    await configure(nvim, deny=["a/b.txt"])
    assert await reason(nvim, project / "inner/a/b.txt") is None

    await nvim.command("cd inner")

    assert await reason(nvim, project / "inner/a/b.txt") is not None


# Links.


async def test_a_link_to_a_private_file_is_private(nvim: Neovim, project: Path) -> None:
    (project / ".env").write_text("KEY=1\n")
    (project / "first").symlink_to(".env")
    (project / "second").symlink_to(project / "first")

    assert await reason(nvim, project / "second") == BY_NAME


async def test_a_private_link_to_another_file_is_private(nvim: Neovim, project: Path) -> None:
    (project / "plain.txt").write_text("x\n")
    (project / "server.pem").symlink_to("plain.txt")
    (project / "through").symlink_to("server.pem")

    assert await reason(nvim, project / "server.pem") == BY_NAME
    assert await reason(nvim, project / "through") == BY_NAME


async def test_a_file_in_a_linked_folder_is_private(nvim: Neovim, project: Path) -> None:
    (project / "secrets").mkdir()
    (project / "public").symlink_to("secrets")
    await configure(nvim, deny=["secrets/"])

    assert await reason(nvim, project / "public" / "not" / "yet.txt") is not None


@pytest.mark.parametrize(
    ("link", "target", "path"),
    [
        ("public", "secrets", "public/not/yet.txt"),
        ("public.txt", "secrets/not/yet.txt", "public.txt"),
        ("public.txt", "elsewhere/../secrets/a.txt", "public.txt"),
    ],
)
@BOTH
async def test_a_link_to_a_private_file_that_does_not_exist_is_private(
    nvim: Editor, project: Path, tmp_path: Path, link: str, target: str, path: str
) -> None:
    (tmp_path / "other" / "folder").mkdir(parents=True)
    (project / "elsewhere").symlink_to(tmp_path / "other" / "folder")
    (project / link).symlink_to(target)
    secret = tmp_path / "other" if "elsewhere" in target else project
    await either_editor.configure(nvim, privacy={"deny": [f"{secret}/secrets/"]})

    assert await run(nvim, "privacy.reason", str(project / path))


async def test_a_link_to_itself_ends(nvim: Neovim, project: Path) -> None:
    (project / "loop").symlink_to("loop")

    assert await reason(nvim, project / "loop") is None


# Buffers.


async def test_a_renamed_buffer_keeps_the_text_private_until_it_is_written(
    nvim: Neovim, project: Path
) -> None:
    (project / ".env").write_text("KEY=1\n")
    await nvim.lua("require('claude_ide.privacy').watch(true)")
    of_buffer = "return require('claude_ide.privacy').of_buffer(0)"

    await nvim.command("edit .env | file plain.txt")
    assert await nvim.lua(of_buffer) == BY_NAME
    assert await reason(nvim, project / "plain.txt") == BY_NAME

    await nvim.command("write")
    assert await nvim.lua(of_buffer) is None

    await nvim.command("file .env")
    assert await nvim.lua(of_buffer) == BY_NAME


# Options that cannot be used.


@pytest.mark.parametrize("privacy", [{"deny": "x"}, {"deny": [1]}, {"allow": [""]}, "deny"])
async def test_with_wrong_options_everything_is_private(
    nvim: Neovim, project: Path, privacy: object
) -> None:
    await nvim.lua("vim.g.claude_ide = { privacy = ... }", privacy)

    found = await reason(nvim, project / "a.py")

    assert found is not None
    assert "is not a list of globs, so nothing leaves Neovim" in found


async def test_a_change_of_the_options_holds_at_once(nvim: Neovim, project: Path) -> None:
    assert await reason(nvim, project / "a.py") is None

    await configure(nvim, deny=["*.py"])

    assert await reason(nvim, project / "a.py") is not None
