"""`execute_code` in a real kernel: the question to the user, and what the model reads."""

import asyncio
import base64
from pathlib import Path
from typing import Any

from support.claude_code import ClaudeCode
from support.either_editor import type_answer
from support.kernels import SECONDS, asked, begin, closed, ran, read, record
from support.model_tools import ModelTools
from support.neovim import Neovim, until

IMAGE = """
import matplotlib.pyplot as plt
plt.plot([1, 2, 3])
plt.show()
print("drawn")
"""


async def run(nvim: Neovim, tools: ModelTools, code: str, **more: Any) -> list[dict[str, Any]]:
    """Have code run, and allow it; return the content of the answer."""
    await begin(tools, code, **more)
    await asked(nvim, code.strip().splitlines()[-1])
    await nvim.keys(":w<CR>")
    content: list[dict[str, Any]] = (await read(tools))["content"]
    await closed(nvim)
    return content


async def test_code_runs_once_the_user_has_written_it_and_its_variables_remain(
    kernel: Path, serving: Neovim, tools: ModelTools
) -> None:
    content = await run(serving, tools, "print('hello')\nx = 6\nx * 7")
    assert content == [{"type": "text", "text": "hello\n[value]\n42"}]

    assert (await run(serving, tools, "x + 1"))[0]["text"] == "[value]\n7"
    shown = await record(serving)
    assert "print('hello')\nx = 6\nx * 7\n#> hello\n#> 42\n" in shown
    assert shown.count("# %%") == 2
    assert await serving.eval("buflisted(bufnr('^Claude kernel$'))") == 0


async def test_the_window_shows_the_code_in_colour_and_names_who_asks_and_where_it_runs(
    kernel: Path, serving: Neovim, tools: ModelTools
) -> None:
    await serving.command("filetype plugin on")
    await begin(tools, "import this")
    await asked(serving, "import this")

    screen = serving.screen.text()
    assert "tester asks to run this in Python of project/.venv" in screen
    assert ":w run · gA run all from now on · :q refuse" in screen
    assert await serving.eval("&filetype") == "python"


async def test_an_image_is_mcp_content_and_a_file_in_the_record(
    kernel: Path, serving: Neovim, tools: ModelTools
) -> None:
    content = await run(serving, tools, IMAGE)

    image = next(each for each in content if each["type"] == "image")
    assert image["mimeType"] == "image/png"
    assert base64.b64decode(image["data"]).startswith(b"\x89PNG")
    assert "drawn" in str(content)
    linked = next(line for line in (await record(serving)).splitlines() if "image: " in line)
    saved = Path(linked.partition("image: ")[2])
    assert saved.read_bytes() == base64.b64decode(image["data"])
    assert saved.stat().st_mode & 0o077 == 0


async def test_a_traceback_has_no_colour_codes_and_stderr_is_told_apart(
    kernel: Path, serving: Neovim, tools: ModelTools
) -> None:
    code = "import sys; print('note', file=sys.stderr)\n1 / 0"
    (content,) = await run(serving, tools, code)

    assert content["text"].startswith("[stderr]\nnote\n[error]\n")
    assert content["text"].rstrip().endswith("ZeroDivisionError: division by zero")
    assert "\x1b" not in content["text"]


async def test_code_that_asks_for_input_fails_and_says_why(
    kernel: Path, serving: Neovim, tools: ModelTools
) -> None:
    (content,) = await run(serving, tools, "input('name? ')")

    assert "does not support input requests" in content["text"]


async def test_an_edited_text_runs_and_the_model_learns_of_it(
    kernel: Path, serving: Neovim, tools: ModelTools
) -> None:
    await begin(tools, "print('bad')")
    await asked(serving, "bad")
    await serving.keys("cc" + "print('good')<Esc>:w<CR>")

    content = (await read(tools))["content"]

    assert "edited the code" in content[0]["text"]
    assert "print('good')" in content[0]["text"]
    assert content[1]["text"] == "good"


async def test_a_refusal_tells_the_model_why_and_nothing_runs(
    kernel: Path, project: Path, serving: Neovim, tools: ModelTools
) -> None:
    await begin(tools, "open('made', 'w')")
    await asked(serving, "made")
    await serving.keys(":q<CR>")
    await until(lambda: "Why should it not run?" in serving.screen.text(), "the question")
    await type_answer(serving, "not now<CR>")

    result = await read(tools)

    assert result["isError"] is True
    assert "refused to run this code" in result["content"][0]["text"]
    assert "They said: not now" in result["content"][0]["text"]
    assert not (project / "made").exists()


async def test_all_code_of_a_session_can_be_allowed(
    kernel: Path, serving: Neovim, tools: ModelTools
) -> None:
    await begin(tools, "x = 1")
    await asked(serving, "x = 1")
    await serving.keys("gA")
    assert (await read(tools))["content"][0]["text"] == "The code ran without output."

    assert await ran(tools, "x + 1") == "[value]\n2"


async def test_code_is_interrupted_at_its_limit_and_the_kernel_goes_on(
    kernel: Path, serving: Neovim, tools: ModelTools
) -> None:
    await run(serving, tools, "x = 5")
    code = "print('begun', flush=True)\nimport time\nwhile True: time.sleep(0.1)"
    (content,) = await run(serving, tools, code, seconds=3)

    assert content["text"].startswith("begun")
    assert "KeyboardInterrupt" in content["text"]
    assert "[interrupted: the limit of 3 s was reached]" in content["text"]
    assert (await run(serving, tools, "x"))[0]["text"] == "[value]\n5"


async def test_a_cancelled_call_interrupts_its_code(
    kernel: Path, serving: Neovim, tools: ModelTools
) -> None:
    number = await begin(tools, "import time\nwhile True: time.sleep(0.1)")
    await asked(serving, "while True")
    await serving.keys(":w<CR>")
    await until(lambda: _busy(serving), "it runs", SECONDS)
    await tools.client.send("notifications/cancelled", {"requestId": number})

    assert (await run(serving, tools, "'free'"))[0]["text"] == "[value]\n'free'"
    assert "#> cancelled" in await record(serving)


async def _busy(nvim: Neovim) -> bool:
    await nvim.command("ClaudeKernel status")
    return "busy: " in nvim.screen.text()


async def test_the_clis_own_tool_runs_code_in_the_same_kernel(
    kernel: Path, serving: Neovim, tools: ModelTools, claude: ClaudeCode
) -> None:
    await run(serving, tools, "x = 20")
    called = asyncio.create_task(claude.call("executeCode", {"code": "x + 1"}, SECONDS))
    await asked(serving, "x + 1")
    await serving.keys(":w<CR>")

    assert (await called)["content"] == [{"type": "text", "text": "[value]\n21"}]


async def test_a_call_that_is_cancelled_before_the_answer_takes_its_window_along(
    kernel: Path, project: Path, serving: Neovim, tools: ModelTools
) -> None:
    number = await begin(tools, "open('made', 'w')")
    await asked(serving, "made")

    await tools.client.send("notifications/cancelled", {"requestId": number})

    await closed(serving)
    assert not (project / "made").exists()


async def test_many_characters_are_cut_in_the_middle(
    kernel: Path, serving: Neovim, tools: ModelTools
) -> None:
    (content,) = await run(serving, tools, "print('a' * 50_000)\nprint('the end')")

    assert len(content["text"]) < 25_000
    assert "characters left out" in content["text"]
    assert content["text"].endswith("the end")
