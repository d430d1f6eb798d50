"""The model's tools while Neovim is busy: each one says so, and none runs later."""

from pathlib import Path

from support.model_tools import ModelTools
from support.neovim import Neovim, until
from support.tool_calls import calls

ASKS_FIRST = "execute_code"
"""It waits for the user before anything else happens, and therefore for the prompt, too."""


async def wait_at_prompt(nvim: Neovim) -> None:
    """Make Neovim wait for a key."""
    await nvim.keys(":echo 'one' | echo 'two' | echo 'three'<CR>")
    await until(lambda: "Press ENTER" in nvim.screen.text(), "a prompt")


async def test_a_tool_says_that_neovim_is_busy_and_never_runs_later(
    tools: ModelTools, serving: Neovim, project: Path
) -> None:
    path = project / "a.txt"
    path.write_text("one\n")
    await serving.command("edit a.txt | call setline(1, 'two')")
    await wait_at_prompt(serving)

    told = await tools.error("save_file", file=str(path))
    assert told.startswith("Neovim is busy, perhaps with a prompt that waits for the user")

    await serving.keys("<CR>")
    await serving.idle(100)
    assert "1 line, with unsaved changes" in await tools.text("buffer_text", file=str(path))
    assert path.read_text() == "one\n"


async def test_a_tool_that_has_to_wait_a_moment_runs(
    tools: ModelTools, serving: Neovim, project: Path
) -> None:
    path = project / "a.txt"
    path.write_text("one\n")
    await serving.command("edit a.txt | call setline(1, 'two')")
    await wait_at_prompt(serving)

    number = await tools.client.begin("save_file", file=str(path))
    await serving.keys("<CR>")

    assert (await tools.client.read())["id"] == number
    assert path.read_text() == "two\n"


async def test_no_tool_waits_for_ever(tools: ModelTools, serving: Neovim, project: Path) -> None:
    path = project / "a.py"
    path.write_text("one = 1\n")
    await wait_at_prompt(serving)

    wanted = {name: each for name, each in calls(path).items() if name != ASKS_FIRST}
    begun = {await tools.client.begin(name, **wanted[name]): name for name in wanted}
    told: dict[str, str] = {}
    while len(told) < len(begun):
        try:
            answer = await tools.client.read()
        except TimeoutError:
            break  # the others are missing below
        (content,) = answer["result"]["content"]
        told[begun[answer["id"]]] = content["text"].partition(",")[0]

    assert told == dict.fromkeys(begun.values(), "Neovim is busy")
