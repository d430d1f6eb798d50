"""`getDiagnostics`: which file a uri means, and how it is spelled in the answer."""

import asyncio
import json
import os
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from claude_ide.editor.editor import BUSY
from support.chunks import chunk
from support.claude_code import ClaudeCode, claude_code
from support.language_client import attach_to_every_text_file
from support.neovim import Neovim, until

ASKED = {"progressToken": 1}
NAMES = ["a.py", "a b.py", "ü.py", "100%.py", "c%20d.py", "a#b?c.py", "'[a]'.py"]


@pytest.fixture
async def paths(serving: Neovim, project: Path) -> list[Path]:
    """Open files, each with its own name as the text of a diagnostic."""
    for name in NAMES:
        (project / name).write_text("x\n")
        await serving.lua(chunk("diagnostics/paths"), str(project / name))
    return [project / name for name in NAMES]


def messages(answer: list[dict[str, Any]]) -> dict[str, list[str]]:
    return {file["uri"]: [each["message"] for each in file["diagnostics"]] for file in answer}


async def test_a_file_is_found_and_named_in_the_clis_spelling(
    claude: ClaudeCode, paths: list[Path]
) -> None:
    """The CLI appends the unencoded path to `file://` and compares the result with the answer."""
    for path in paths:
        answer = await claude.json("getDiagnostics", {"uri": f"file://{path}"})

        assert messages(answer) == {f"file://{path}": [path.name]}


async def test_an_encoded_uri_and_a_path_name_the_same_file(
    claude: ClaudeCode, paths: list[Path]
) -> None:
    for path in paths:
        for uri in (f"file://{quote(str(path))}", str(path)):
            answer = await claude.json("getDiagnostics", {"uri": uri})

            assert messages(answer) == {f"file://{path}": [path.name]}


async def test_all_files_are_named_in_the_clis_spelling(
    claude: ClaudeCode, paths: list[Path]
) -> None:
    answer = await claude.json("getDiagnostics")

    assert messages(answer) == {f"file://{path}": [path.name] for path in paths}


async def test_a_link_has_the_diagnostics_of_its_target(
    claude: ClaudeCode, project: Path, paths: list[Path]
) -> None:
    link = project / "link.py"
    link.symlink_to("a.py")

    answer = await claude.json("getDiagnostics", {"uri": f"file://{link}"})

    assert messages(answer) == {f"file://{link}": ["a.py"]}


async def test_a_file_without_diagnostics_has_an_empty_list(
    claude: ClaudeCode, project: Path
) -> None:
    for name in ("new file.py", "a\nb.py"):
        answer = await claude.json("getDiagnostics", {"uri": f"file://{project / name}"})

        assert messages(answer) == {f"file://{project / name}": []}


async def ask(claude: ClaudeCode, **arguments: str) -> Any:
    """Call the tool as the CLI itself does around a write."""
    params = {"name": "getDiagnostics", "arguments": arguments, "_meta": ASKED}
    result = await claude.request("tools/call", params)
    return json.loads(result["content"][0]["text"])


@pytest.fixture
async def checked(serving: Neovim, project: Path) -> Path:
    """A text file that is not open; a language server checks each text file that is loaded."""
    await attach_to_every_text_file(serving)
    path = project / "closed.txt"
    path.write_text("one\na wrong two\n")
    return path


async def test_the_model_gets_the_diagnostics_of_a_file_that_is_not_open(
    claude: ClaudeCode, serving: Neovim, checked: Path
) -> None:
    (file,) = await claude.json_for_model("getDiagnostics", {"uri": f"file://{checked}"})

    assert [item["message"] for item in file["diagnostics"]] == ["wrong word"]
    assert "note" not in file
    assert await serving.eval("len(getbufinfo({'buflisted': 1}))") == 1


async def answer(claude: ClaudeCode, path: Path) -> Any:
    """Return the answer about a file, or None if a busy machine made Neovim appear busy."""
    (file,) = await claude.json_for_model("getDiagnostics", {"uri": str(path)})
    return None if file.get("note") == BUSY else file


async def test_a_note_says_that_no_server_has_checked_a_file(
    claude: ClaudeCode, serving: Neovim, project: Path
) -> None:
    (project / "closed.py").write_text("x\n")
    (project / "open.py").write_text("x\n")
    await serving.command("edit open.py")

    for name in ("closed.py", "open.py"):
        file = await until(partial(answer, claude, project / name), "Neovim's answer")

        assert file["diagnostics"] == []
        assert file["note"] == "no language server or linter has checked it"


async def test_a_clean_file_has_an_empty_result_without_a_note(
    claude: ClaudeCode, checked: Path
) -> None:
    checked.write_text("right\n")
    clean = {"uri": f"file://{checked}", "diagnostics": []}

    async def is_clean() -> bool:
        """Tell a server that a busy machine has made late from one that checks nothing."""
        return bool(await answer(claude, checked) == clean)

    await until(is_clean, "an answer without a note")


async def test_the_model_gets_the_diagnostics_of_an_open_file_after_a_write(
    claude: ClaudeCode, serving: Neovim, checked: Path
) -> None:
    checked.write_text("right\n")
    await serving.command("edit closed.txt")
    await claude.json_for_model("getDiagnostics", {"uri": str(checked)})
    checked.write_text("right\nvery wrong\n")

    (file,) = await claude.json_for_model("getDiagnostics", {"uri": str(checked)})

    assert [item["range"]["start"]["line"] for item in file["diagnostics"]] == [1]


async def test_a_note_says_why_a_file_is_not_checked(claude: ClaudeCode, project: Path) -> None:
    binary = project / "a.bin"
    binary.write_bytes(b"\0\0")

    (file,) = await claude.json_for_model("getDiagnostics", {"uri": str(binary)})

    assert file["diagnostics"] == []
    assert file["note"] == "not checked: it is not a text file"


async def test_a_path_that_leads_to_no_file_is_an_error_for_the_model(
    claude: ClaudeCode, project: Path
) -> None:
    for path, reason in {
        project / "none.py": "no such file",
        project: "not a file but a folder",
        Path("/dev/null"): "not a file but a device",
    }.items():
        answer = await claude.json_for_model("getDiagnostics", {"uri": f"file://{path}"})

        assert answer == f"{path}: {reason}"


async def test_the_cli_gets_the_diagnostics_of_an_unopened_file_before_a_write(
    claude: ClaudeCode, checked: Path
) -> None:
    (file,) = await ask(claude, uri=f"file://{checked}")

    assert [item["message"] for item in file["diagnostics"]] == ["wrong word"]


async def test_the_cli_gets_the_diagnostics_of_an_unopened_file_after_a_write(
    claude: ClaudeCode, checked: Path
) -> None:
    uri = f"file://{checked}"
    before = checked.read_text()

    async def is_reported() -> bool:
        checked.write_text(before)
        await ask(claude, uri=uri)
        checked.write_text("odd\na wrong two\n")
        return messages(await ask(claude)) == {uri: ["wrong word", "odd word"]}

    # On a busy machine the first checks may take longer than the CLI would wait.
    await until(is_reported, "the diagnostics after a write")


async def test_the_cli_gets_the_diagnostics_of_a_new_file(
    claude: ClaudeCode, serving: Neovim, project: Path, checked: Path
) -> None:
    new = project / "new.txt"
    assert await ask(claude, uri=f"file://{new}") == [{"uri": f"file://{new}", "diagnostics": []}]
    new.write_text("a wrong one\n")

    (file,) = await ask(claude)

    assert file["uri"] == f"file://{new}"
    assert [item["message"] for item in file["diagnostics"]] == ["wrong word"]
    assert await serving.eval("len(getbufinfo({'buflisted': 1}))") == 1


@pytest.mark.parametrize("writes", [1, 2])
async def test_old_errors_are_not_reported_as_new_if_the_language_server_is_slow(
    claude: ClaudeCode, serving: Neovim, project: Path, writes: int
) -> None:
    """The diagnostics that arrive after the write may belong to the text before it."""
    gate = project / "gate"
    os.mkfifo(gate)
    await attach_to_every_text_file(serving, "--start-after", str(gate), is_running=False)
    checked = project / "closed.txt"
    checked.write_text("one\na wrong two\n")

    # The server does not start before the gate is open, so this answer has not waited for it.
    for _ in range(writes):
        (file,) = await ask(claude, uri=f"file://{checked}")
    checked.write_text("an odd one\none\na wrong two\nthree\n")
    await asyncio.to_thread(gate.write_text, "")
    (after,) = await ask(claude)

    assert file["diagnostics"] == []
    assert [item["message"] for item in after["diagnostics"]] == ["odd word"]
    (known,) = await claude.json_for_model("getDiagnostics", {"uri": str(checked)})
    assert {item["message"] for item in known["diagnostics"]} == {"wrong word", "odd word"}


async def test_old_errors_that_only_moved_with_their_lines_are_not_reported_again(
    claude: ClaudeCode, serving: Neovim, project: Path
) -> None:
    """The CLI would regard those on another line as new."""
    await attach_to_every_text_file(serving)
    path = project / "a.txt"
    path.write_text("one\na wrong two\n")
    (before,) = await ask(claude, uri=f"file://{path}")
    path.write_text("an odd one\none\na wrong two\n")

    (after,) = await ask(claude)

    assert [item["message"] for item in before["diagnostics"]] == ["wrong word"]
    assert [item["message"] for item in after["diagnostics"]] == ["odd word"]
    assert await ask(claude) == [after]
    (again,) = await ask(claude, uri=f"file://{path}")
    assert {item["message"] for item in again["diagnostics"]} == {"odd word", "wrong word"}
    (known,) = await claude.json_for_model("getDiagnostics")
    assert {item["message"] for item in known["diagnostics"]} == {"odd word", "wrong word"}


async def test_files_loaded_for_a_client_are_unloaded_when_it_disconnects(
    serving: Neovim, config_folder: Path, checked: Path
) -> None:
    async with claude_code(config_folder) as claude:
        await ask(claude, uri=f"file://{checked}")
        assert await serving.eval("bufloaded('closed.txt')")

    await until(lambda: serving.eval("!bufexists('closed.txt')"), "the buffer is deleted")


async def test_a_path_of_any_kind_can_be_asked_for_before_a_write(
    claude: ClaudeCode, serving: Neovim, project: Path
) -> None:
    for path in ("/dev/null", str(project), "x" * 3000, "~", "nowhere.txt"):
        (file,) = await ask(claude, uri=path)

        assert file["diagnostics"] == []
    assert await serving.eval("bufnr('$')") == 1
