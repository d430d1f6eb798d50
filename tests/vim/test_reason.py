"""Errors of functions that the host calls: each becomes an answer, none is shown."""

import pytest

from support.vim import Vim

FUNCTIONS = """vim9script
def g:Compare(): bool
  const left: any = 'text'
  const right: any = 1
  return left != right
enddef
def g:Rethrow(): bool
  try
    throw 'claude-ide: otter'
  catch
    throw v:exception
  endtry
  return true
enddef
def g:Nothing()
  g:is_called = true
enddef
function g:OldNothing()
  let g:is_called = v:true
endfunction
"""


@pytest.fixture
async def attempting(vim: Vim) -> Vim:
    """A Vim with functions that fail."""
    await vim.call("writefile", FUNCTIONS.splitlines(), "functions.vim")
    await vim.command("source functions.vim")
    return vim


@pytest.mark.parametrize(
    ("name", "reason"),
    [("g:Compare", 'Using a String as a Number: "text"'), ("g:Rethrow", "otter")],
)
async def test_an_error_that_would_pass_a_try_is_an_answer(
    attempting: Vim, name: str, reason: str
) -> None:
    await attempting.command(
        f"let g:answer = claude_ide#messages#reason#Attempt(function('{name}'))"
    )

    assert await attempting.eval("g:answer") == [False, reason]
    assert await attempting.eval("execute('messages')") == ""


@pytest.mark.parametrize(("name", "result"), [("g:Nothing", None), ("g:OldNothing", 0)])
async def test_a_function_that_returns_nothing_is_answered(
    attempting: Vim, name: str, result: int | None
) -> None:
    await attempting.command(
        f"let g:answer = claude_ide#messages#reason#Attempt(function('{name}'))"
    )

    assert await attempting.eval("g:is_called")
    assert await attempting.eval("g:answer") == [True, result]
    assert await attempting.eval("execute('messages')") == ""


async def test_the_host_is_answered_by_a_function_that_returns_nothing(vim: Vim) -> None:
    await vim.command(
        "let g:answer = claude_ide#messages#reason#AttemptByName('diff.accept', [99])"
    )

    assert await vim.eval("g:answer") == [True, None]
