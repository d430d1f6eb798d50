"""Hostile paths: none runs a command or blocks Neovim, and each refusal names its path."""

import asyncio
import itertools
import json
import os
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support.claude_code import ClaudeCode, RpcFailure
from support.either_editor import BOTH, Editor, diffs, shows_a_diff
from support.neovim import until

pytestmark = BOTH

CANARY = "CANARY"
RUN = "sh x.sh"
SCHEMES = ("term:", "http:", "https:", "ftp:", "scp:", "file:", "man:", "tarfile::a", "zipfile:a")
ODD = (
    *("$(touch CANARY)", "`touch CANARY`", "+!touch CANARY", "=execute('!touch CANARY')"),
    *("| !touch CANARY", "%", "#", "~", "*", "[x].sh", "-c", "a\nb", "term:\\\\sh x.sh", "{x,y}"),
)
REINTERPRETED = ("tarfile::x.sh::y", "zipfile:x.sh::y", "tarfile::a/sh x.sh", "zipfile:a/sh x.sh")
TOOLS: dict[str, Callable[[str], dict[str, Any]]] = {
    "openFile": lambda path: {"filePath": path},
    "open_files": lambda path: {"file_paths": [path, path]},
    "saveDocument": lambda path: {"filePath": path},
    "checkDocumentDirty": lambda path: {"filePath": path},
    "reformat_file": lambda path: {"file_path": path},
    "getDiagnostics": lambda path: {"uri": path},
    "close_tab": lambda path: {"tab_name": path},
}
OPENING = ("openFile", "reformat_file")

EXCHANGE = """
import contextlib, itertools, os, sys
folder, link = sys.argv[1:]
numbers = itertools.count()

def move(old, new):
    while True:
        try:
            return os.rename(old, new)
        except OSError:
            # A writer has created a folder there.
            with contextlib.suppress(OSError):
                os.rename(new, f"aside{next(numbers)}")

for _ in range(3_000_000):
    for old, new in ((folder, "t"), (link, folder), (folder, link), ("t", folder)):
        move(old, new)
"""
"""Replaces a folder by a link and back again, as often as possible."""


@pytest.fixture
def canary(project: Path) -> Path:
    """The file that every hostile name tries to create, with a script in the project."""
    (project / "x.sh").write_text(f"touch {CANARY}\n")
    for scheme in SCHEMES:
        (project / scheme).mkdir()
        (project / scheme / RUN).write_text("a\n")
    for name in (*ODD, "tarfile::x.sh::y", "zipfile:x.sh::y"):
        (project / name).write_text("a\n")
    return project / CANARY


@pytest.fixture
def names(project: Path) -> list[str]:
    """Paths of regular files that could be mistaken for commands or addresses."""
    inside = [f"{scheme}//{RUN}" for scheme in SCHEMES]
    return [f"{project}/{name}" for name in (*inside, *ODD, *REINTERPRETED)] + [
        f"{project}/sub/../term://{RUN}",
        f"//{project}/./term:///{RUN}",
        f"term://{RUN}",
    ]


@pytest.fixture
def specials(project: Path) -> Iterator[dict[str, str]]:
    """Paths that lead to no regular file, each with the reason for its refusal."""
    os.mkfifo(project / "pipe")
    (project / "to-pipe").symlink_to("pipe")
    (project / "loop").symlink_to("loop")
    (project / "folder").mkdir()
    (project / "file").write_text("a\n")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.path.relpath(project / "socket"))
        yield {
            f"{project}/pipe": "not a file but a pipe",
            f"{project}/to-pipe": "not a file but a pipe",
            f"{project}/socket": "not a file but a socket",
            "/dev/zero": "not a file but a device",
            "/dev/tty": "not a file but a device",
            f"{project}/folder": "not a file but a folder",
            "/": "not a file but a folder",
            f"{project}/loop": "too many symbolic links encountered",
            f"{project}/file/x": f"{project}/file is not a folder",
            f"{project}/pipe/x": f"{project}/pipe is not a folder",
        }


@pytest.fixture
async def exchanged(project: Path, tmp_path: Path) -> AsyncIterator[Path]:
    """A file outside; `d` in the project alternates between a folder and a link to the outside."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.txt").write_text("outside")
    (project / "d").mkdir()
    (project / "d" / "a.txt").write_text("inside")
    (project / "link").symlink_to(outside)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", EXCHANGE, "d", "link"), cwd=project
    )
    yield outside / "a.txt"
    assert process.returncode is None
    process.kill()
    await process.wait()


async def call(claude: ClaudeCode, tool: str, arguments: Any) -> str:
    """Return everything that a tool answers within 5 s, as one text."""
    try:
        answer = await claude.call(tool, arguments, 5)
    except RpcFailure as failure:
        return failure.message
    return "\n".join(block["text"] for block in answer["content"])


async def is_alive(nvim: Editor) -> bool:
    """Whether Neovim answers, is not blocked by a prompt, and has no terminal."""
    mode = await nvim.mode()
    terminals = 'len(filter(getbufinfo(), \'getbufvar(v:val.bufnr, "&buftype") == "terminal"\'))'
    return mode["blocking"] is False and await nvim.eval(terminals) == 0


async def is_shown_or_answered(nvim: Editor, opening: asyncio.Future[Any]) -> bool:
    return opening.done() or await shows_a_diff(nvim)


def proposal(path: str, **more: str) -> dict[str, str]:
    return {"old_file_path": path, "new_file_contents": "b\n", **more}


async def test_no_tool_runs_a_command_in_a_path(
    serving: Editor, claude: ClaudeCode, canary: Path, names: list[str]
) -> None:
    folder = await serving.eval("getcwd()")
    for name in names:
        for tool, arguments in TOOLS.items():
            await call(claude, tool, arguments(name))

            assert await is_alive(serving), (tool, name)
            assert not canary.exists(), (tool, name)
        await serving.command("silent! %bwipeout!")
    assert await serving.eval("getcwd()") == folder


async def test_no_proposal_runs_a_command_in_its_path(
    serving: Editor, claude: ClaudeCode, canary: Path, names: list[str]
) -> None:
    before = await serving.eval("[getcwd(), tabpagenr('$'), bufname()]")
    for name in names:
        _, opening = claude.start_call("openDiff", proposal(name))
        await until(lambda: is_shown_or_answered(serving, opening), name)  # noqa: B023

        assert await is_alive(serving), name
        assert not canary.exists(), name

        await claude.call("closeAllDiffTabs")
        await asyncio.wait_for(opening, 5)
        await until(lambda: serving.eval("tabpagenr('$') == 1"), "the diff is closed")
    assert await serving.eval("[getcwd(), tabpagenr('$'), bufname()]") == before
    assert not canary.exists()


async def test_a_path_that_a_plugin_would_reinterpret_is_refused(
    serving: Editor, claude: ClaudeCode, canary: Path, project: Path
) -> None:
    for name in REINTERPRETED:
        for tool in OPENING:
            answer = await call(claude, tool, TOOLS[tool](f"{project}/{name}"))

            assert answer.startswith(f"{project}/{name}: a plugin handles such names itself"), tool
    assert await is_alive(serving)


async def test_only_a_regular_file_is_opened(
    serving: Editor, claude: ClaudeCode, specials: dict[str, str]
) -> None:
    for path, reason in specials.items():
        for tool in OPENING:
            assert await call(claude, tool, TOOLS[tool](path)) == f"{path}: {reason}"
        for tool, arguments in TOOLS.items():
            await call(claude, tool, arguments(path))
    assert await is_alive(serving)
    assert await serving.eval("[bufname(), len(getbufinfo())]") == ["", 1]


async def test_only_a_regular_file_is_compared(
    serving: Editor, claude: ClaudeCode, project: Path, specials: dict[str, str]
) -> None:
    for path, reason in specials.items():
        refused = f"{path}: {reason}"

        assert await call(claude, "openDiff", proposal(path)) == refused
        new = proposal(f"{project}/new", new_file_path=path)
        assert await call(claude, "openDiff", new) == refused
        old = proposal(path, new_file_path=f"{project}/new")
        assert await call(claude, "openDiff", old) == refused
    assert await is_alive(serving)
    assert await serving.eval("[bufname(), len(getbufinfo()), tabpagenr('$')]") == ["", 1, 1]


async def test_an_impossible_path_is_refused_by_name(
    serving: Editor, claude: ClaudeCode, project: Path
) -> None:
    refused = {
        "/" + "x" * 5000: "/" + "x" * 199 + "…: the path is too long",
        f"{project}/a\0b": f"{project}/a…: contains a NUL",
    }
    for path, reason in refused.items():
        for tool, arguments in (TOOLS | {"openDiff": proposal}).items():
            answer = await call(claude, tool, arguments(path))

            assert reason in answer, tool
    assert await call(claude, "openFile", {"filePath": ""}) == "the path is empty"
    assert await call(claude, "openDiff", proposal("")) == ": not an absolute path"
    assert await is_alive(serving)


async def test_a_proposed_path_is_normalized(
    serving: Editor, claude: ClaudeCode, project: Path
) -> None:
    _, opening = claude.start_call("openDiff", proposal(f"//{project}/sub/.././/new.txt"))
    await until(lambda: diffs(serving))

    (listed,) = await diffs(serving)

    assert listed["path"] == f"{project}/new.txt"
    await claude.call("closeAllDiffTabs")
    await opening


async def test_a_file_replaced_by_a_pipe_is_not_written(
    serving: Editor, claude: ClaudeCode, project: Path
) -> None:
    path = project / "a.txt"
    path.write_text("a\n")
    await serving.command("edit a.txt | call setline(1, 'b')")
    path.unlink()
    os.mkfifo(path)

    answer = await call(claude, "saveDocument", {"filePath": str(path)})

    assert answer == f"{path}: no longer a regular file; it was not written."
    assert await serving.eval("[getline(1), &modified]") == ["b", 1]


async def test_a_file_replaced_by_a_pipe_before_its_diff_appears_is_an_error(
    serving: Editor, claude: ClaudeCode, project: Path
) -> None:
    path = project / "a.txt"
    path.write_text("a\n")
    await serving.keys("itype")
    await until(lambda: serving.eval("mode() == 'i'"))
    _, opening = claude.start_call("openDiff", proposal(str(path)))
    await until(lambda: diffs(serving))
    path.unlink()
    os.mkfifo(path)

    await serving.keys("<Esc>")

    answer = await asyncio.wait_for(opening, 10)
    assert answer["content"][0]["text"] == f"{path}: not a file but a pipe"
    assert await serving.eval("getline(1)") == "type"


async def test_reading_never_follows_a_planted_link_outside(
    serving: Editor, claude: ClaudeCode, exchanged: Path
) -> None:
    # The buffer of the outside file must not be read either.
    await serving.command(f"edit {exchanged} | call setline(1, 'outside, unsaved') | hide enew")
    answers: set[str] = set()
    for number in itertools.count():
        try:
            answers.add(await claude.request("readFile", {"path": "d/a.txt"}))
        except RpcFailure as failure:
            answers.add(failure.message)
        assert not answers & {"outside", "outside, unsaved\n"}
        # Until the folder has been read and has been found replaced.
        if number >= 1000 and "inside" in answers and len(answers) > 2:
            break
        assert number < 20_000, answers


async def test_writing_never_follows_a_planted_link_outside(
    claude: ClaudeCode, exchanged: Path
) -> None:
    answers: set[str] = set()
    for number in itertools.count():
        try:
            await claude.request("writeFile", {"path": "d/a.txt", "content": f"new {number}"})
            await claude.request("writeFile", {"path": f"d/e/{number}.txt", "content": ""})
            answers.add("written")
        except RpcFailure as failure:
            answers.add(failure.message)
        assert exchanged.read_text() == "outside"
        if number >= 400 and "written" in answers and len(answers) > 1:
            break
        assert number < 20_000, answers
    assert list(exchanged.parent.iterdir()) == [exchanged]


async def test_a_large_file_is_refused_with_its_size(
    serving: Editor, claude: ClaudeCode, project: Path
) -> None:
    with (project / "large").open("wb") as file:
        file.truncate(600_000_000)

    with pytest.raises(RpcFailure) as refused:
        await claude.request("readFile", {"path": "large"}, 5)

    reason = "has 600,000,000 bytes, more than 15,000,000"
    assert refused.value.message == f"readFile: large: {reason}"
    reason = "has 600000000 bytes, more than 50000000"
    path = str(project / "large")
    for tool in OPENING:
        assert await call(claude, tool, TOOLS[tool](path)) == f"{path}: {reason}"
    assert await call(claude, "openDiff", proposal(path)) == f"{path}: {reason}"
    assert await is_alive(serving)


async def test_only_a_regular_file_is_read_or_replaced(
    claude: ClaudeCode, project: Path, specials: dict[str, str]
) -> None:
    before = {path.name: path.lstat().st_mode for path in project.iterdir()}
    for name in ("pipe", "to-pipe", "socket", "folder", "loop", "file/x", "pipe/x"):
        for method in ("readFile", "writeFile"):
            with pytest.raises(RpcFailure) as refused:
                await claude.request(method, {"path": name, "content": "b"}, 5)

            assert refused.value.message.startswith(f"{method}: {name}: "), name
    assert {path.name: path.lstat().st_mode for path in project.iterdir()} == before


async def test_a_path_that_is_not_unicode_is_an_error_with_the_requests_id(
    serving: Editor, claude: ClaudeCode
) -> None:
    for id_ in (7000, "seven"):
        params = {"name": "openFile", "arguments": {"filePath": "/caf\ud800"}}
        request = {"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": params}

        answer = await claude.raw(json.dumps(request))

        assert answer["id"] == id_
        assert "lone surrogate" in answer["error"]["message"]
    assert await is_alive(serving)


@pytest.mark.parametrize("name", ["x.gpg", "secret:x", "x.shada", "x.zip"])
async def test_plugins_that_handle_certain_names_do_not_write_a_proposal(
    serving: Editor, claude: ClaudeCode, project: Path, name: str
) -> None:
    await serving.command("let g:written = 0")
    await serving.command("autocmd BufWriteCmd *.gpg,secret:*,*.shada,*.zip let g:written += 1")
    _, opening = claude.start_call("openDiff", proposal(f"{project}/{name}"))
    await until(lambda: shows_a_diff(serving), "the proposal")

    await serving.keys(":w<CR>")

    answer = await asyncio.wait_for(opening, 10)
    assert [block["text"] for block in answer["content"]] == ["FILE_SAVED", "b\n"]
    assert await serving.eval("g:written") == 0
    assert await is_alive(serving)
