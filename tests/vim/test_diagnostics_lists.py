"""Diagnostics in the quickfix list and the location lists, as a client gets them."""

from pathlib import Path
from typing import Any

import pytest

from support.claude_code import ClaudeCode
from support.neovim import until
from support.vim import Vim

TEXT = "import os\nprint('😀é', nme)\nx = 1\n"


@pytest.fixture
async def file(vim_client: ClaudeCode, serving_vim: Vim, project: Path) -> Path:
    path = project / "a b.py"
    path.write_text(TEXT)
    await serving_vim.command(f"edit {path.as_posix().replace(' ', chr(92) + ' ')}")
    return path


async def report(vim: Vim, *entries: dict[str, Any], title: str = "", where: str = "") -> None:
    """Put entries into the quickfix list, or with `where="0, "` into a location list."""
    function = "setloclist" if where else "setqflist"
    window = [0] if where else []
    await vim.call(function, *window, [], " ", {"items": [*entries], "title": title})


def entry(path: Path, text: str, **keys: Any) -> dict[str, Any]:
    return {"filename": str(path), "lnum": 1, "col": 1, "type": "E", "text": text, **keys}


async def diagnostics(client: ClaudeCode) -> Any:
    return await client.json("getDiagnostics")


async def diagnostics_of_one(client: ClaudeCode, count: int) -> Any:
    found = await diagnostics(client)
    return found if found and len(found[0]["diagnostics"]) == count else None


async def messages(client: ClaudeCode) -> list[str]:
    return [each["message"] for file in await diagnostics(client) for each in file["diagnostics"]]


async def test_an_entry_has_its_file_severity_and_range_in_utf_16(
    vim_client: ClaudeCode, serving_vim: Vim, file: Path
) -> None:
    col = TEXT.splitlines()[1].encode().index(b"nme") + 1
    await report(
        serving_vim,
        entry(file, "undefined", lnum=2, col=col, end_lnum=2, end_col=col + 3, type="w", nr=821),
    )

    assert await diagnostics(vim_client) == [
        {
            "uri": f"file://{file}",
            "diagnostics": [
                {
                    "message": "undefined",
                    "severity": "Warning",
                    "range": {
                        "start": {"line": 1, "character": 13},
                        "end": {"line": 1, "character": 16},
                    },
                    "source": "quickfix",
                    "code": 821,
                }
            ],
        }
    ]


async def test_errors_come_first_and_hints_last(
    vim_client: ClaudeCode, serving_vim: Vim, file: Path
) -> None:
    await report(
        serving_vim, *[entry(file, kind, type=kind, lnum=3) for kind in ("N", "I", "W", "E")]
    )

    assert await messages(vim_client) == ["E", "W", "I", "N"]


async def test_an_entry_in_both_kinds_of_lists_is_reported_once(
    vim_client: ClaudeCode, serving_vim: Vim, file: Path
) -> None:
    await report(serving_vim, entry(file, "both"), entry(file, "only here"))
    await report(serving_vim, entry(file, "both"), entry(file, "only there"), where="0")

    assert sorted(await messages(vim_client)) == ["both", "only here", "only there"]


@pytest.mark.parametrize("title", [":make", ":Dispatch! cc -c"])
async def test_hits_of_a_search_are_no_diagnostics_but_errors_of_make_are(
    vim_client: ClaudeCode, serving_vim: Vim, file: Path, title: str
) -> None:
    await report(serving_vim, entry(file, "a hit", type=""), title=":grep -n import")
    assert await messages(vim_client) == []

    await report(serving_vim, entry(file, "an error", type=""), title=title)
    assert await messages(vim_client) == ["an error"]


@pytest.mark.parametrize("scope", ["setlocal", "set"])
@pytest.mark.parametrize("command", ["make", "lmake"])
async def test_errors_of_any_make_program_are_diagnostics(
    vim_client: ClaudeCode, serving_vim: Vim, file: Path, scope: str, command: str
) -> None:
    await serving_vim.command(f"{scope} makeprg=printf\\ '\\%s:2:\\ not\\ good'\\ % | new")
    await serving_vim.command("set errorformat=%f:%l:\\ %m | wincmd p")
    await serving_vim.command(f"silent {command}! | wincmd w")

    await until(lambda: messages(vim_client), "the error of the program")

    assert await messages(vim_client) == ["not good"]


@pytest.mark.parametrize("content", [b"\xff" * 20, None])
async def test_bytes_count_in_a_file_that_cannot_be_read_as_text(
    vim_client: ClaudeCode, serving_vim: Vim, project: Path, content: bytes | None
) -> None:
    path = project / "odd.py"
    if content:
        path.write_bytes(content)
    await report(serving_vim, entry(path, "odd", col=5))

    ((start,),) = [
        [each["range"]["start"] for each in file["diagnostics"]]
        for file in await diagnostics(vim_client)
    ]
    assert start == {"line": 0, "character": 4}


async def test_an_entry_keeps_its_range_while_the_user_edits_the_line(
    vim_client: ClaudeCode, serving_vim: Vim, file: Path
) -> None:
    await report(serving_vim, entry(file, "here", lnum=2, col=10))
    before = await diagnostics(vim_client)
    await serving_vim.keys("2GIé😀<Esc>")

    assert await diagnostics(vim_client) == before


async def test_a_client_hears_of_the_file_when_make_has_filled_the_list(
    vim_client: ClaudeCode, serving_vim: Vim, file: Path
) -> None:
    # Until it has sent the selection, the host sends a client nothing else.
    await until(lambda: vim_client.notifications_of("selection_changed"), "the welcome")
    await report(serving_vim, entry(file, "old"))
    await serving_vim.command("doautocmd QuickFixCmdPost make")

    def uris() -> list[str]:
        return [one["uri"] for one in vim_client.notifications_of("diagnostics_changed")]

    await until(lambda: uris() == [f"file://{file}".replace(" ", "%20")], "the notification")
    await report(serving_vim)
    await serving_vim.command("doautocmd QuickFixCmdPost make")
    await until(lambda: len(uris()) == 2, "a notification of the empty list")


async def test_five_thousand_entries_arrive_and_the_rest_is_counted(
    vim_client: ClaudeCode, serving_vim: Vim, file: Path
) -> None:
    await serving_vim.command(
        "call setqflist(map(range(5010), {i -> {'filename': expand('%:p'), 'lnum': 3,"
        " 'col': 1, 'type': i < 10 ? 'W' : 'E', 'text': 'no. ' . i}}))"
    )

    # While Vim is busy, the last known ones are returned.
    (found,) = await until(lambda: diagnostics_of_one(vim_client, 5000), "all")
    assert len(found["diagnostics"]) == 5000
    assert {each["severity"] for each in found["diagnostics"]} == {"Error"}
    assert found["note"] == "10 more are not listed"


async def test_a_file_that_stays_in_the_editor_is_not_reported(
    vim_client: ClaudeCode, serving_vim: Vim, project: Path, file: Path
) -> None:
    secret = project / ".env"
    secret.write_text("TOKEN=1\n")
    await report(serving_vim, entry(secret, "secret"), entry(file, "public"))

    assert await messages(vim_client) == ["public"]
