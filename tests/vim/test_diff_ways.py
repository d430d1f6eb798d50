"""Each way to close a diff in Vim, in each layout: what it decides, and what remains."""

from pathlib import Path
from typing import NamedTuple

import pytest

from support.claude_code import ClaudeCode
from support.neovim import until
from support.vim import Vim
from support.vim_diffs import BUFFERS, answer, are_shown, ask, is_closed
from support.vim_layouts import LAYOUTS, arrange, gone, state


class Way(NamedTuple):
    """What the user types, and what the client hears."""

    keys: str
    answer: list[str]


PROPOSED = "line 1\nnew\n"

ACCEPTED = [
    ":w<CR>",
    ":w!<CR>",
    ":update|write<CR>",
    "ZZ",
    ":wq<CR>",
    ":wq!<CR>",
    ":x<CR>",
    ":xit<CR>",
    ":exit<CR>",
    ":ClaudeAccept<CR>",
    ":ClaudeAccept!<CR>",
    "<C-w>p:ClaudeAccept<CR>",
]

REJECTED = [
    ":q<CR>",
    ":q!<CR>",
    "ZQ",
    "<C-w>c",
    "<C-w>q",
    ":close<CR>",
    ":hide<CR>",
    ":bdelete<CR>",
    ":bd!<CR>",
    ":bwipe<CR>",
    ":bunload<CR>",
    ":enew<CR>",
    ":ClaudeReject<CR>",
    ":ClaudeReject!<CR>",
    "<C-w>p:ClaudeReject<CR>",
]

CLOSING_OTHERS = ["<C-w>p:only<CR>", "<C-w>p<C-w>o", ":tabclose<CR>", ":tabonly<CR>:q<CR>"]
"""These reject, and close windows of the user, too, if the diff is beside them."""

EDIT = "ggOmine<Esc>"

LEAVING = [
    ":qa<CR>",
    ":qa!<CR>",
    ":wqa<CR>",
    ":wqall!<CR>",
    ":xa<CR>",
    ":quitall<CR>",
    ":cquit<CR>",
]


async def leaves_a_trace(vim: Vim, client: ClaudeCode, path: Path, way: Way) -> str:
    """Open a diff, close it, and return what is wrong then."""
    before = await state(vim)
    asked = ask(client, path, PROPOSED)
    await are_shown(vim)
    number = await vim.eval("claude_ide#diff#List()[0].id")
    await vim.keys(way.keys)
    answered = await answer(asked)
    # As if the client had written the file; otherwise the accepted text would be kept later.
    await vim.call("claude_ide#diff#accepted#Settle", number, True)
    await gone(vim)
    # The file may have been loaded to be checked, which lasts longer.
    await vim.call("claude_ide#diagnostics#unopened#Release")
    after = await state(vim)
    if answered[: len(way.answer)] != way.answer:
        return f"answered {answered}"
    differing = [name for name in after if after[name] != before[name]]
    return "; ".join(f"{name} is {after[name]}, was {before[name]}" for name in differing)


WAYS = [Way(keys, ["FILE_SAVED", PROPOSED]) for keys in ACCEPTED]
WAYS += [Way(keys, ["DIFF_REJECTED"]) for keys in REJECTED]
EDITED_WAYS = [Way(EDIT + keys, ["FILE_SAVED", f"mine\n{PROPOSED}"]) for keys in ACCEPTED]
EDITED_WAYS += [Way(EDIT + keys, ["DIFF_REJECTED"]) for keys in REJECTED]


@LAYOUTS
@pytest.mark.parametrize(
    ("target", "ways"),
    [("b.txt", WAYS), ("b.txt", EDITED_WAYS), ("c.txt", WAYS)],
    ids=["shown file", "edited proposal", "other file"],
)
async def test_each_way_decides_and_leaves_no_trace(
    config: str, vim: Vim, vim_client: ClaudeCode, project: Path, target: str, ways: list[Way]
) -> None:
    (project / "c.txt").write_text("".join(f"line {number}\n" for number in range(1, 100)))
    await arrange(vim)

    traces = {
        way.keys: await leaves_a_trace(vim, vim_client, project / target, way) for way in ways
    }

    assert {keys: trace for keys, trace in traces.items() if trace} == {}


@LAYOUTS
@pytest.mark.parametrize("keys", CLOSING_OTHERS)
async def test_a_way_that_closes_other_windows_rejects(
    config: str, vim: Vim, vim_client: ClaudeCode, project: Path, keys: str
) -> None:
    await vim.command("edit b.txt | tabnew | tabprevious")
    asked = ask(vim_client, project / "b.txt", PROPOSED)
    await are_shown(vim)

    await vim.keys(keys)

    assert (await answer(asked))[0] == "DIFF_REJECTED"
    await until(lambda: vim.eval(f"{BUFFERS} == 0 && winnr('$') == 1 && !&diff"))


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("gt:ClaudeAccept<CR>", "FILE_SAVED"),
        ("gt:ClaudeReject<CR>", "DIFF_REJECTED"),
        ("gt:tabonly<CR>", "DIFF_REJECTED"),
    ],
)
async def test_a_diff_is_decided_from_elsewhere(
    vim: Vim, vim_client: ClaudeCode, project: Path, keys: str, expected: str
) -> None:
    asked = ask(vim_client, project / "b.txt", PROPOSED)
    await are_shown(vim)

    await vim.keys(keys)

    assert (await answer(asked))[0] == expected
    await is_closed(vim)


@LAYOUTS
@pytest.mark.parametrize("keys", LEAVING)
async def test_leaving_vim_rejects(
    config: str, vim: Vim, vim_client: ClaudeCode, project: Path, keys: str
) -> None:
    (project / "b.txt").write_text("one\n")
    await vim.command("edit b.txt")
    asked = ask(vim_client, project / "b.txt", PROPOSED)
    await are_shown(vim)

    await vim.keys(EDIT + keys)

    assert (await answer(asked))[0] == "DIFF_REJECTED"
    await until(lambda: vim.process.returncode is not None, "Vim has ended")
    assert (project / "b.txt").read_text() == "one\n"


async def test_writing_all_files_decides_nothing(
    vim: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    await vim.command("edit mine.txt | call setline(1, 'mine') | set hidden")
    asked = ask(vim_client, project / "b.txt", PROPOSED)
    await are_shown(vim)

    await vim.keys(f"{EDIT}:wa<CR>:wall!<CR>")

    await until(lambda: (project / "mine.txt").exists(), "written")
    await vim.idle(100)
    assert not asked.done()


@LAYOUTS
async def test_another_file_beside_the_proposal_rejects_it_and_stays(
    config: str, vim: Vim, vim_client: ClaudeCode, project: Path
) -> None:
    await vim.command("edit b.txt")
    asked = ask(vim_client, project / "b.txt", PROPOSED)
    await are_shown(vim)

    await vim.keys(":edit other.txt<CR>")

    assert (await answer(asked))[0] == "DIFF_REJECTED"
    await until(lambda: vim.eval(f"{BUFFERS} == 0 && bufname() == 'other.txt' && !&diff"))
    message = "edit of b.txt rejected: other.txt is in its window now"
    await until(lambda: message in vim.screen.text())
