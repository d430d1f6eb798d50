"""The README: what it shows exists, and the code that readers paste is right."""

import re

import pytest

from support.chunks import chunk
from support.neovim import ROOT, Neovim

README = (ROOT / "README.md").read_text(encoding="utf-8")
HELP = (ROOT / "doc/claude_ide.txt").read_text(encoding="utf-8")
VIM_PLUGIN = (ROOT / "plugin/claude_ide.vim").read_text(encoding="utf-8")
PLUGIN = (ROOT / "plugin/claude_ide.lua").read_text(encoding="utf-8")
SNIPPETS = [
    pytest.param(text, id=re.sub(r"\W+", "-", text[:30]).strip("-"))
    for text in re.findall(r"^```lua\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
]


def test_the_readme_names_existing_commands() -> None:
    named = set(re.findall(r"[:.'>](Claude[A-Z]\w+)\b(?!')", README))
    events = set(re.findall(r"\*(Claude\w+)\*", HELP))

    in_vim = set(re.findall(r"'(Claude\w*)':", VIM_PLUGIN))
    assert named - events <= set(re.findall(r"command\('(\w+)'", PLUGIN)) | in_vim


def test_the_readme_has_a_row_for_each_command() -> None:
    table = README.partition("\n## Commands")[2].partition("\n## ")[0]

    for command in re.findall(r"command\('(\w+)'", PLUGIN):
        assert re.search(rf"`:(\[range\])?{command}\b", table), command


def test_the_readme_names_existing_maps() -> None:
    named = set(re.findall(r"<Plug>\([\w-]+\)", README))

    assert named
    assert named <= set(re.findall(r"<Plug>\([\w-]+\)", PLUGIN))


def test_the_readme_refers_to_existing_help() -> None:
    named = set(re.findall(r":help ([\w:.-]+\w(?:\(\))?)", README))
    tags = set(re.findall(r"\*([^*\s]+)\*", HELP)) | {"claude_ide"}

    assert "claude-ide.ask()" in named
    assert named <= tags


def test_the_readme_refers_to_existing_files() -> None:
    for target in re.findall(r"\]\((?!https:)([^)]+)\)", README):
        assert (ROOT / target).exists(), target


@pytest.mark.parametrize("snippet", SNIPPETS)
async def test_a_snippet_is_valid_lua(nvim: Neovim, snippet: str) -> None:
    """A snippet is a chunk, or a table or field of one."""
    problem = await nvim.lua(chunk("readme/problem"), snippet)

    assert problem is None
