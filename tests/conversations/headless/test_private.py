"""`:ClaudeAsk` and `:ClaudeEdit` in a private file."""

from pathlib import Path

import pytest

from support.either_editor import BOTH, Editor, configure, edit, name_of, on_screen
from support.fake_headless import FakeHeadless
from support.neovim import until

pytestmark = BOTH

WHY = ".env stays in {}: it holds secrets by its name (privacy.allow)"


@pytest.fixture
async def secret(nvim: Editor, project: Path) -> Path:
    """A private file that is open."""
    path = project / ".env"
    path.write_text("KEY=swordfish\n")
    await edit(nvim, path)
    return path


@pytest.mark.parametrize("command", ["1ClaudeAsk why?", "ClaudeEdit change", "1ClaudeEdit change"])
async def test_lines_of_a_private_file_are_not_sent(
    nvim: Editor, claude: FakeHeadless, secret: Path, command: str
) -> None:
    await nvim.command(command)

    await on_screen(nvim, WHY.format(name_of(nvim)))
    await nvim.command("enew | ClaudeAsk next")
    assert (await claude.asked()).prompt == "next"


async def test_lines_of_a_list_about_a_private_file_are_not_sent(
    nvim: Editor, claude: FakeHeadless, project: Path
) -> None:
    for name in (".env", "a.py"):
        (project / name).write_text("KEY=swordfish\n")
    places = [{"filename": name, "lnum": 1, "text": f"in {name}"} for name in (".env", "a.py")]
    await nvim.call("setqflist", places)
    await nvim.command("copen")
    await nvim.keys(":1ClaudeAsk why?<CR>")
    await on_screen(nvim, WHY.format(name_of(nvim)))

    await nvim.command("silent! only | copen")
    await nvim.keys(":%ClaudeAsk why?<CR>")
    prompt = (await claude.asked()).prompt
    assert "a.py|1| in a.py" in prompt
    assert ".env" not in prompt


async def test_a_question_that_mentions_a_private_file_is_not_sent(
    nvim: Editor, claude: FakeHeadless, project: Path
) -> None:
    (project / ".env").write_text("KEY=swordfish\n")

    await nvim.command("ClaudeAsk what is in @.env'?")

    await on_screen(nvim, f"not sent: @.env stays in {name_of(nvim)}")
    await nvim.command("enew | ClaudeAsk next")
    assert (await claude.asked()).prompt == "next"


async def test_a_question_without_a_range_does_not_name_the_file(
    nvim: Editor, claude: FakeHeadless, secret: Path
) -> None:
    await nvim.command("ClaudeAsk why?")

    assert (await claude.asked()).prompt == "why?"


async def test_a_file_that_becomes_private_is_refused_after_the_prompt(
    nvim: Editor, claude: FakeHeadless, project: Path
) -> None:
    (project / "a.py").write_text("a\n")
    await edit(nvim, project / "a.py")
    await nvim.keys(":1ClaudeEdit<CR>")
    await until(lambda: "Edit with Claude" in nvim.screen.text(), "the prompt")

    await configure(nvim, privacy={"deny": ["a.py"]})
    await nvim.keys("go<CR>")

    await on_screen(nvim, f"a.py stays in {name_of(nvim)}")
