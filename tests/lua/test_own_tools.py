"""`tools/own.lua`: what is wrong with a tool is an error at the call that adds it."""

import pytest

from claude_ide.mcp.user_tools import InvalidToolError, check_for, repaired
from support.neovim import Neovim, NvimError

GIVEN = "name = 'mine', description = 'What I do', fn = function() end"


async def refusal(nvim: Neovim, tool: str) -> str:
    """Add a tool that is wrong; return the error without what every one begins with."""
    with pytest.raises(NvimError) as raised:
        await nvim.lua(f"require('claude_ide').add_tool({tool})")
    first = str(raised.value).splitlines()[0]
    return first.partition("add_tool: ")[2] or first


@pytest.mark.parametrize(
    ("tool", "reason"),
    [
        ("{}", "description must be a string, not nil"),
        ("{ name = 3, description = '', fn = print }", "name must be a string, not number"),
        ("{ name = 'a', description = 'b' }", "a: fn must be a function, not nil"),
        ("{ name = 'a', description = 'b', fn = 'print' }", "a: fn must be a function, not string"),
        (f"{{ {GIVEN}, schema = 'object' }}", "mine: schema must be a table, not string"),
        (f"{{ {GIVEN}, title = 3 }}", "mine: title must be a string, not number"),
        (f"{{ {GIVEN}, read_only = 1 }}", "mine: read_only must be a boolean, not number"),
        (f"{{ {GIVEN}, timeout = '5' }}", "mine: timeout must be a number, not string"),
        (f"{{ {GIVEN}, readonly = true }}", "mine: there is no field readonly"),
        (f"{{ {GIVEN}, 'stray' }}", "mine: there is no field 1"),
        ("{ name = 'a b', description = 'b', fn = print }", "a b: a name has 1 to 50 letters, "),
        ("{ name = '', description = 'b', fn = print }", ": a name has 1 to 50 letters, "),
        ("{ name = 'a', description = ' ', fn = print }", "a: description is missing"),
        (f"{{ {GIVEN}, timeout = 0 }}", "mine: timeout must be a number of seconds above 0"),
        (f"{{ {GIVEN}, timeout = math.huge }}", "mine: timeout must be a number of seconds above"),
        (f"{{ {GIVEN}, timeout = 0/0 }}", "mine: timeout must be a number of seconds above 0"),
        (
            f"{{ {GIVEN}, schema = {{ default = print }} }}",
            "mine: schema: Cannot serialise function",
        ),
        (f"{{ {GIVEN}, schema = {{ type = 'array' }} }}", "mine: schema: type: must be object"),
        (f"{{ {GIVEN}, schema = {{ 'a' }} }}", "mine: schema: must be an object"),
    ],
)
async def test_a_wrong_field_is_named(nvim: Neovim, tool: str, reason: str) -> None:
    assert (await refusal(nvim, tool)).startswith(reason)


async def test_a_tool_that_is_no_table_is_refused(nvim: Neovim) -> None:
    assert "tool: expected table, got string" in await refusal(nvim, "'mine'")


SCHEMAS = [
    ("{ type = 'array' }", "type"),
    ("{ 'a' }", ""),
    ("{ properties = { a = 3 } }", "properties.a"),
    ("{ properties = { a = { type = 'text' } } }", "properties.a.type"),
    ("{ properties = { a = { type = { 'text' } } } }", "properties.a.type"),
    ("{ properties = { a = { type = {} } } }", "properties.a.type"),
    ("{ properties = { a = { ['$ref'] = 'https://x/y' } } }", "properties.a.$ref"),
    ("{ properties = { 'a' } }", "properties"),
    ("{ required = 'a' }", "required"),
    ("{ required = { 'a', 3 } }", "required"),
    ("{ properties = { a = { enum = {} } } }", "properties.a.enum"),
    ("{ properties = { a = { items = { 3 } } } }", "properties.a.items"),
    ("{ properties = { a = { items = 'string' } } }", "properties.a.items"),
    ("{ properties = { a = { minLength = -1 } } }", "properties.a.minLength"),
    ("{ properties = { a = { maxItems = 1.5 } } }", "properties.a.maxItems"),
    ("{ properties = { a = { minimum = '1' } } }", "properties.a.minimum"),
    ("{ anyOf = {} }", "anyOf"),
    ("{ oneOf = { { type = 'text' } } }", "oneOf"),
    ("{ ['not'] = 3 }", "not"),
    ("{ additionalProperties = 'no' }", "additionalProperties"),
    ("{ description = 3 }", "description"),
]


@pytest.mark.parametrize(("schema", "place"), SCHEMAS)
async def test_a_wrong_schema_of_lua_is_refused_by_the_host(
    nvim: Neovim, schema: str, place: str
) -> None:
    in_host = repaired(await nvim.lua(f"return {schema}"))
    with pytest.raises(InvalidToolError) as raised:
        check_for({"type": "object", **in_host} if isinstance(in_host, dict) else in_host)
    assert str(raised.value).startswith(place)


@pytest.mark.parametrize(
    "schema",
    [
        "{}",
        "vim.empty_dict()",
        "{ type = 'object', properties = {}, required = {} }",
        "{ properties = { a = {}, b = { type = { 'string', 'null' }, enum = { 'x', vim.NIL } } } }",
        "{ properties = { a = { type = 'array', items = {}, minItems = 0, default = {} } } }",
        "{ properties = { a = { items = { { type = 'string' }, {} } } } }",
        "{ additionalProperties = false, anyOf = { {}, { properties = {} } } }",
        "{ properties = { a = { ['$ref'] = '#/$defs/w' } }, ['$defs'] = { w = { minimum = 1 } } }",
        "{ properties = { a = { format = 'date', examples = { 1 }, ['x-mine'] = 'any' } } }",
        "{ properties = { type = { type = 'string' }, properties = { type = 'object' } } }",
    ],
)
async def test_a_right_schema_is_accepted_by_both_halves(nvim: Neovim, schema: str) -> None:
    await nvim.lua(f"require('claude_ide').add_tool({{ {GIVEN}, schema = {schema} }})")

    in_host = repaired(await nvim.lua(f"return {schema}"))
    check_for({"type": "object", **in_host})


async def test_a_refused_tool_replaces_none(nvim: Neovim) -> None:
    await nvim.lua(f"require('claude_ide').add_tool({{ {GIVEN} }})")
    await refusal(nvim, f"{{ {GIVEN}, schema = {{ type = 'array' }} }}")

    assert await nvim.lua("return require('claude_ide').remove_tool('mine')")


@pytest.mark.parametrize(
    ("tool", "reason"),
    [
        ("{'name': 'a', 'description': 'b'}", "fn must be a Funcref"),
        ("3", "fn must be a Funcref"),
        ("{'name': 'a', 'description': 'b', 'fn': 3}", "fn must be a Funcref"),
        (
            "{'name': 'a', 'description': 'b', 'fn': {-> 1}, 'read_only': 'yes'}",
            "a: read_only must be a boolean, not string",
        ),
        ("{'description': 'b', 'fn': {-> 1}}", "name must be a string, not nil"),
        ("{'name': 'a', 'description': 'b', 'fn': {-> 1}, 'latr': 1}", "there is no field latr"),
    ],
)
async def test_a_wrong_tool_in_vimscript_is_refused(nvim: Neovim, tool: str, reason: str) -> None:
    with pytest.raises(NvimError) as raised:
        await nvim.command(f"call claude_ide#add_tool({tool})")

    assert reason in str(raised.value)
    assert not await nvim.eval("claude_ide#remove_tool('a')")
