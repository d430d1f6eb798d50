"""`execute_code` and `executeCode` in a real kernel: the question, and what the model reads."""

from pathlib import Path

from support.kernels import asked
from support.model_tools import ModelTools
from support.neovim import Neovim


async def test_code_runs_once_the_user_has_written_it(
    kernel: Path, serving: Neovim, tools: ModelTools
) -> None:
    number = await tools.client.begin("execute_code", code="print('hello')\n6 * 7")
    await asked(serving, "6 * 7")
    await serving.keys(":w<CR>")

    answer = await tools.client.read()

    assert answer["id"] == number
    assert answer["result"]["content"] == [{"type": "text", "text": "hello\n[value]\n42"}]
