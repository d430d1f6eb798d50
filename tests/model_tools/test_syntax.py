"""The tools that ask the parsers which come with Neovim."""

import re
from pathlib import Path

import pytest

from support.hostile import DEEP
from support.model_tools import ModelTools
from support.neovim import Neovim

LUA = """local M = {}

local Otter = {}

--- 𝄞
function Otter:swim(far)
  local function stroke()
    return 'é', far
  end
  return stroke()
end

function M.new() return Otter end
return M
"""
C = """struct point { int x, y; };

static struct point *origin(struct point p)
{
    return 0;
}
"""
MARKDOWN = """# Otters

Text.

## Rivers

- one

# Fish
"""


@pytest.fixture
def otter(project: Path) -> Path:
    """A Lua module."""
    path = project / "otter.lua"
    path.write_text(LUA)
    return path


async def outlined(tools: ModelTools, path: Path) -> list[str]:
    return (await tools.text("outline", file=str(path))).splitlines()


async def test_an_outline_nests_functions(tools: ModelTools, otter: Path) -> None:
    assert await outlined(tools, otter) == [
        "3 definitions",
        "6-11 function_declaration Otter:swim",
        "  7-9 function_declaration stroke",
        "13-13 function_declaration M.new",
    ]


async def test_an_outline_of_c_has_functions_and_structs(tools: ModelTools, project: Path) -> None:
    path = project / "point.c"
    path.write_text(C)

    assert await outlined(tools, path) == [
        "2 definitions",
        "1-1 struct_specifier point",
        "3-6 function_definition origin",
    ]


async def test_an_outline_of_markdown_has_headings(tools: ModelTools, project: Path) -> None:
    path = project / "otters.md"
    path.write_text(MARKDOWN)

    assert await outlined(tools, path) == [
        "3 definitions",
        "1-8 section Otters",
        "  5-8 section Rivers",
        "9-9 section Fish",
    ]


async def test_an_outline_is_of_the_text_that_is_not_saved(
    tools: ModelTools, serving: Neovim, otter: Path
) -> None:
    await serving.command(f"edit {otter}")
    await serving.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'function F() end' })")

    assert await outlined(tools, otter) == ["1 definition", "1-1 function_declaration F"]


async def test_a_long_outline_comes_in_parts(tools: ModelTools, project: Path) -> None:
    path = project / "long.lua"
    path.write_text("".join(f"function F{number}() end\n" for number in range(700)))

    first = await tools.text("outline", file=str(path), limit=300)
    last = await tools.text("outline", file=str(path), offset=600, limit=300)

    assert first.splitlines()[0] == "700 definitions"
    assert first.splitlines()[-1] == "(400 more: offset=300)"
    assert last.splitlines()[-1] == "700-700 function_declaration F699"


async def test_the_function_around_a_line_has_its_text(tools: ModelTools, otter: Path) -> None:
    found = await tools.text("enclosing", file=str(otter), line=8)

    assert found.splitlines() == [
        "7-9 function_declaration stroke",
        "6-11 function_declaration Otter:swim",
        "",
        "7\t  local function stroke()",
        "8\t    return 'é', far",
        "9\t  end",
    ]


async def test_a_line_outside_functions_says_so(tools: ModelTools, otter: Path) -> None:
    found = await tools.text("enclosing", file=str(otter), line=1)

    assert found == "No function or class is around this line."


async def test_a_node_has_its_ancestors(tools: ModelTools, otter: Path) -> None:
    found = await tools.text("syntax_node", file=str(otter), line=8, symbol="far")

    lines = found.splitlines()
    assert lines[0] == "lua; the innermost node first"
    assert lines[1] == "8:17-8:20 identifier: far"
    assert "8:5-8:20 return_statement: return 'é', far" in lines
    assert lines[-1].startswith("1:1-14:9 chunk: ")


async def test_a_query_captures(tools: ModelTools, otter: Path) -> None:
    query = '((identifier) @it (#eq? @it "far"))'

    found = await tools.text("tree_sitter_query", file=str(otter), query=query)

    assert found.splitlines() == [
        "2 captures",
        "@it 6:21-6:24 name: identifier: far",
        "@it 8:17-8:20 identifier: far",
    ]


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("(no_such_node) @it", "the query is wrong: "),
        ("((identifier) @it", "the query is wrong: "),
        ('((identifier) @it (#match? @it "x"))', "#match? is not allowed here; #any-eq?, "),
        ("((identifier) @it (#set! x y))", "#set! is not allowed here; "),
    ],
)
async def test_a_query_that_cannot_be_run_says_why(
    tools: ModelTools, otter: Path, query: str, reason: str
) -> None:
    assert (await tools.error("tree_sitter_query", file=str(otter), query=query)).startswith(reason)


async def test_without_a_parser_the_others_are_named(tools: ModelTools, project: Path) -> None:
    path = project / "a.rb"
    path.write_text("def f; end\n")

    reason = await tools.error("outline", file=str(path))

    assert reason.startswith("no tree-sitter parser for ruby; there are: c, lua, ")


@pytest.mark.parametrize("text", [*DEEP.values(), "x = " + "{" * 2000], ids=[*DEEP, "brackets"])
async def test_a_dangerous_text_ends_at_most_the_process_that_parses_it(
    tools: ModelTools, serving: Neovim, project: Path, text: str
) -> None:
    path = project / "deep.md"
    path.write_text(text)

    answer = await tools.client.call("outline", file=str(path))

    told = answer["content"][0]["text"]
    assert re.match(r"\d+ definition|the parser ended the process in which it ran \(", told)
    assert await serving.eval("1 + 1") == 2


async def test_a_large_text_is_not_parsed(tools: ModelTools, project: Path) -> None:
    path = project / "large.lua"
    path.write_text("local one = 1\n" * 40_000)

    reason = await tools.error("outline", file=str(path))

    assert reason == f"{path} is not parsed, because of its size"
