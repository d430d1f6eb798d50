"""A private file is in no request of the real CLI."""

import json
from pathlib import Path

import pytest

from support.claude_cli import ClaudeCli
from support.either_editor import BOTH, Editor, configure
from support.fake_api import FakeApi, text, tool_use
from support.vim import Vim

from .conftest import StartClaude

pytestmark = BOTH

SECRET = "swordfish"


@pytest.fixture
async def secret(project: Path) -> Path:
    path = project / ".env"
    path.write_text(f"KEY={SECRET}\nOTHER=2\n")
    return path


def sent(api: FakeApi) -> str:
    """Everything that the CLI has sent to its model."""
    return json.dumps([request.body for request in api.requests])


async def ask(claude: ClaudeCli) -> None:
    await claude.prompt("Look")
    await claude.shows("● I see.")


async def test_a_selection_is_sent_until_the_user_enters_a_private_file(
    nvim: Editor, claude: ClaudeCli, api: FakeApi, path: Path, secret: Path
) -> None:
    api.script([text("I see.")])
    await nvim.keys("Vj")
    await claude.shows("⧉ 2 lines selected")

    await nvim.keys("<Esc>:edit .env<CR>Vj")
    await claude.until(lambda: "⧉" not in claude.text(), "nothing is selected")
    await ask(claude)

    assert SECRET not in sent(api)
    assert ".env" not in api.requests[0].new_text
    assert path.name not in api.requests[0].new_text


async def test_a_rule_of_the_project_holds_for_the_selection(
    nvim: Editor, claude: ClaudeCli, api: FakeApi, path: Path
) -> None:
    api.script([text("I see.")])
    await nvim.keys("Vj")
    await claude.shows("⧉ 2 lines selected")

    settings = path.parent / ".claude/settings.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text(json.dumps({"permissions": {"deny": [f"Read(./{path.name})"]}}))
    await claude.until(lambda: "⧉" not in claude.text(), "nothing is selected")
    await ask(claude)

    assert path.name not in api.requests[0].new_text


async def test_nothing_is_sent_that_is_not_shared(
    nvim: Editor, claude: ClaudeCli, api: FakeApi, path: Path
) -> None:
    api.script([text("I see.")])
    await claude.shows("⧉ In a.py")

    await nvim.keys(":ClaudeShare off<CR>Vj")
    await claude.until(lambda: "⧉" not in claude.text(), "nothing is shared")
    await ask(claude)
    assert path.name not in api.requests[0].new_text

    await nvim.keys("<Esc>:ClaudeShare on<CR>")
    await claude.shows("⧉ In a.py")


async def test_a_mention_of_a_private_file_does_not_reach_the_prompt(
    nvim: Editor, claude: ClaudeCli, api: FakeApi, secret: Path
) -> None:
    await nvim.keys(":ClaudeAdd .env<CR>")
    await nvim.keys(":ClaudeAdd a.py<CR>")

    await claude.until(lambda: "@a.py" in claude.box(), "the other file is mentioned")
    assert ".env" not in claude.box()


DIAGNOSE = """
for _, name in ipairs({ 'a.py', '.env', 'hidden.py' }) do
  local namespace = vim.api.nvim_create_namespace('cli')
  local message = name == 'a.py' and 'an odd line' or 'odd: swordfish'
  vim.diagnostic.set(namespace, vim.fn.bufnr(name), { { lnum = 0, col = 0, message = message } })
end
"""


async def diagnose(editor: Editor) -> None:
    """Report something in each file; without a plugin that checks, Vim has only its lists."""
    if not isinstance(editor, Vim):
        await editor.lua(DIAGNOSE)
        return
    words = dict.fromkeys((".env", "hidden.py"), "odd: swordfish") | {"a.py": "an odd line"}
    entries = [{"filename": name, "lnum": 1, "type": "E", "text": words[name]} for name in words]
    await editor.call("setloclist", 0, entries)


async def test_what_privacy_deny_names_is_in_no_request(
    nvim: Editor,
    start_claude: StartClaude,
    ide_port: int,
    api: FakeApi,
    path: Path,
    project: Path,
    secret: Path,
) -> None:
    """Its selection, its open editor, its diagnostics, and a mention in a list."""
    claude = await start_claude("--allowedTools", "mcp__ide__getDiagnostics", ide_port=ide_port)
    await claude.shows("⧉ In a.py")
    await configure(nvim, privacy={"deny": ["hidden.py"]})
    (project / "hidden.py").write_text(f"KEY = '{SECRET}'\nOTHER = 2\n")
    await nvim.command("edit .env | edit hidden.py")
    await diagnose(nvim)
    await nvim.keys("Vj<Esc>:call setqflist([{'filename': 'hidden.py'}, {'filename': 'a.py'}])<CR>")
    await nvim.keys(":copen<CR>ggVG:ClaudeSend<CR>")
    await claude.until(lambda: "@a.py" in claude.box(), "the other file is mentioned")
    assert "hidden" not in claude.box()
    api.script([tool_use("mcp__ide__getDiagnostics")], [text("I see.")])

    await ask(claude)

    assert "an odd line" in sent(api)
    assert SECRET not in sent(api)
    assert "hidden.py" not in sent(api)
    assert ".env" not in "".join(request.new_text for request in api.requests)
