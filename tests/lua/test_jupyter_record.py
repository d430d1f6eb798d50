"""`jupyter.lua`: the buffer of what ran in the kernel, and what came out."""

from typing import Any

import pytest

from support.chunks import chunk
from support.kernels import record
from support.neovim import Neovim, until

MODULE = "require('claude_ide.jupyter')"
ENTRY = {"title": "12:00:00 Claude, Python", "filetype": "python", "code": "x = 1\nx\n"}


async def begin(nvim: Neovim, token: int = 1, **changed: str) -> None:
    await nvim.lua(f"{MODULE}.begin(...)", token, ENTRY | changed)


async def finish(nvim: Neovim, *outputs: tuple[str, str], token: int = 1) -> None:
    given: list[dict[str, Any]] = [{"kind": kind, "text": text} for kind, text in outputs]
    await nvim.lua(f"{MODULE}.finish(...)", token, given)


async def test_a_run_is_code_with_its_output_in_comments(nvim: Neovim) -> None:
    await begin(nvim)
    assert await record(nvim) == "# %% 12:00:00 Claude, Python\nx = 1\nx\n\n"

    await finish(nvim, ("stdout", "a\n\nb"), ("stderr", "c"), ("value", "1"))

    shown = await record(nvim)
    assert shown == (
        "# %% 12:00:00 Claude, Python\nx = 1\nx\n#> a\n#>\n#> b\n#> stderr: c\n#> 1\n\n"
    )


async def test_the_output_of_a_run_follows_its_own_code(nvim: Neovim) -> None:
    await begin(nvim, code="first")
    await begin(nvim, 2, code="second")
    await finish(nvim, ("value", "of second"), token=2)
    await finish(nvim, ("value", "of first"))

    lines = (await record(nvim)).splitlines()
    assert [line for line in lines if not line.startswith("# %%") and line] == [
        *("first", "#> of first", "second", "#> of second")
    ]


async def test_the_buffer_is_listed_nowhere_and_opens_at_its_end(nvim: Neovim) -> None:
    await begin(nvim)
    await finish(nvim, ("value", "1"))
    assert await nvim.eval("map(getbufinfo({'buflisted': 1}), 'v:val.name')") == [""]

    await nvim.lua(f"{MODULE}.open()")

    assert await nvim.eval("[bufname(), line('.') == line('$'), &modifiable, &filetype]") == [
        *("Claude kernel", 1, 0, "python")
    ]


async def test_a_window_at_the_end_follows(nvim: Neovim) -> None:
    await begin(nvim)
    await nvim.lua(f"{MODULE}.open()")
    await finish(nvim, ("value", "1\n2\n3"))
    assert await nvim.eval("line('.') == line('$')")

    await nvim.keys("gg")
    await begin(nvim, 2)

    assert await nvim.eval("line('.')") == 1


async def test_a_buffer_that_was_wiped_out_begins_again(nvim: Neovim) -> None:
    await begin(nvim)
    await nvim.command("bwipeout! Claude\\ kernel")
    await finish(nvim, ("value", "lost"))
    await begin(nvim, 2, code="again")

    assert "again" in await record(nvim)
    assert "lost" not in await record(nvim)


async def test_before_the_first_run_a_message_says_so(nvim: Neovim) -> None:
    await nvim.lua(f"{MODULE}.open()")

    assert "no code has run in a Jupyter kernel yet" in str(await nvim.eval("execute('messages')"))


async def test_control_characters_are_made_visible(nvim: Neovim) -> None:
    await begin(nvim, code="a\x1b[2Jb")
    await finish(nvim, ("stdout", "c\x07"))

    assert "a^[[2Jb" in await record(nvim)
    assert "#> c^G" in await record(nvim)


async def test_the_oldest_lines_of_a_long_record_are_forgotten(nvim: Neovim) -> None:
    await begin(nvim, code="old")
    await begin(nvim, 2, code="x\n" * 20_500)
    await finish(nvim, ("value", "end"), token=2)

    lines = (await record(nvim)).splitlines()
    assert len(lines) <= 20_001
    assert "old" not in lines
    assert lines[-2:] == ["#> end", ""]


async def placed(nvim: Neovim) -> list[Any]:
    """Return the images that the imitated plugin has shown."""
    await nvim.idle(50)
    found: list[Any] = await nvim.lua("return _G.placed or {}")
    return found


@pytest.mark.parametrize("plugin", ["snacks", "image_nvim"])
async def test_an_image_appears_when_the_record_is_in_a_window(nvim: Neovim, plugin: str) -> None:
    await nvim.lua(chunk(f"jupyter/{plugin}"))
    await begin(nvim)
    await finish(nvim, ("image", "/state/1.png"))
    assert await placed(nvim) == []

    await nvim.command("ClaudeKernel")

    one = ["Claude kernel", "/state/1.png", [4, 0]]
    await until(lambda: nvim.lua("return #_G.placed > 0"), "it is shown")
    assert await placed(nvim) == [one]
    await begin(nvim, 2)
    await finish(nvim, ("image", "/state/2.png"), token=2)
    two = ["Claude kernel", "/state/2.png", [9, 0]]
    await until(lambda: nvim.lua("return vim.deep_equal(_G.placed[#_G.placed], ...)", two), "both")


async def test_without_a_plugin_an_image_is_linked(nvim: Neovim) -> None:
    await begin(nvim)
    await finish(nvim, ("image", "/state/1.png"))

    assert "#> image: /state/1.png" in await record(nvim)


async def test_an_image_goes_with_its_lines(nvim: Neovim) -> None:
    await nvim.lua(chunk("jupyter/snacks"))
    await begin(nvim)
    await nvim.command("ClaudeKernel")
    await finish(nvim, ("image", "/state/1.png"))
    await until(lambda: nvim.lua("return #_G.placed > 0"), "it is shown")

    await begin(nvim, 2, code="y\n" * 20_000)

    assert ["closed", "/state/1.png"] in await placed(nvim)
