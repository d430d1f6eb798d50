"""The tool that returns diagnostics, with the tests' own language server."""

from pathlib import Path
from typing import Any

import pytest

from support.language_client import received
from support.model_languages import Scripted
from support.model_tools import ModelTools
from support.neovim import Neovim

ACTION = "textDocument/codeAction"
PUSH = ("--publish", "push")
TEXT = '𝄞 = 1; print("é", wrong)\nfine = 2\nodd = wrong\n'


def actions(*titles: str) -> list[Any]:
    fixes: list[Any] = [{"title": title, "kind": "quickfix"} for title in titles]
    useless = [
        {"title": "Extract", "kind": "refactor.extract"},
        {"title": "Impossible", "disabled": {"reason": "no"}},
        None,
        7,
    ]
    return [{"result": [*fixes, *useless]}]


@pytest.fixture
def bad(project: Path) -> Path:
    """A file with problems that is not open."""
    path = project / "bad.py"
    path.write_text(TEXT, encoding="utf-8")
    (project / ".root").touch()
    return path


async def test_a_file_that_is_not_open_is_checked(
    scripted: Scripted, tools: ModelTools, bad: Path
) -> None:
    capabilities = {"codeActionProvider": True, "definitionProvider": True}
    log = await scripted.enable("one", capabilities, {ACTION: actions("Mend it")}, *PUSH)

    found = await tools.text("diagnostics", file=str(bad))

    assert found.splitlines() == [
        "2 errors, 1 warning in 1 file",
        str(bad),
        "  1:19: error: wrong word (words report-wrong)",
        '    | 𝄞 = 1; print("é", wrong)',
        "    fix: Mend it",
        "  3:1: warning: odd word (words report-odd)",
        "    | odd = wrong",
        "    fix: Mend it",
        "  3:7: error: wrong word (words report-wrong)",
        "    | odd = wrong",
        "    fix: Mend it",
    ]
    first, *_ = received(log, ACTION)
    (raw,) = first["context"]["diagnostics"]
    assert raw["range"] == first["range"]
    assert raw["range"]["start"] == {"line": 0, "character": 19}


async def test_the_least_severe_are_left_out_and_the_rest_comes_in_parts(
    scripted: Scripted, tools: ModelTools, bad: Path
) -> None:
    await scripted.enable("one", {"definitionProvider": True}, {}, *PUSH)

    found = await tools.text("diagnostics", file=str(bad), severity="error", limit=1)

    assert found.splitlines() == [
        "2 errors in 1 file",
        str(bad),
        "  1:19: error: wrong word (words report-wrong)",
        '    | 𝄞 = 1; print("é", wrong)',
        "(1 more: offset=1)",
    ]


async def test_a_change_on_disk_is_checked_first(
    serving: Neovim, scripted: Scripted, tools: ModelTools, bad: Path
) -> None:
    await scripted.enable("one", {"definitionProvider": True}, {}, *PUSH)
    await serving.command(f"edit {bad}")
    assert "2 errors" in await tools.text("diagnostics", file=str(bad))
    new = bad.with_name("new.tmp")
    new.write_text("fine = 1\n")
    new.replace(bad)

    assert await tools.text("diagnostics", file=str(bad)) == "No problem was found."


async def test_a_file_that_nothing_has_checked_is_not_called_good(
    tools: ModelTools, bad: Path
) -> None:
    found = await tools.text("diagnostics", file=str(bad))

    assert found.splitlines() == [
        "No problem was found.",
        f"Note on {bad}: no language server or linter has checked it",
    ]


async def test_all_open_files_are_listed(
    serving: Neovim, scripted: Scripted, tools: ModelTools, bad: Path
) -> None:
    other = bad.with_name("a.py")
    other.write_text("wrong\n")
    await scripted.enable("one", {"definitionProvider": True}, {}, *PUSH)
    for path in (bad, other):
        await serving.command(f"edit {path}")
        await tools.text("diagnostics", file=str(path))

    found = await tools.text("diagnostics")

    assert found.splitlines()[:4] == [
        "3 errors, 1 warning in 2 files",
        str(other),
        "  1:1: error: wrong word (words report-wrong)",
        "    | wrong",
    ]


async def test_fixes_that_do_not_come_are_left_out(
    serving: Neovim, scripted: Scripted, tools: ModelTools, bad: Path
) -> None:
    capabilities = {"codeActionProvider": True, "definitionProvider": True}
    await scripted.enable("one", capabilities, {ACTION: [*actions("Mend it"), "never"]}, *PUSH)

    found = await tools.text("diagnostics", file=str(bad))

    assert found.count("error: wrong word") == 2
    assert found.count("fix: Mend it") == 1
