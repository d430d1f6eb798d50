"""No argument and no answer of a tool is about a private file."""

from pathlib import Path
from typing import Any

import pytest

from claude_ide.base.errors import EditorError
from claude_ide.editor.port.binding import ATTRIBUTE
from claude_ide.editor.port.tools import ModelToolsPort
from claude_ide.editor.private_files import CHANGES_ONE, CONCERNS_ONE, PrivateFiles, ToolGate
from claude_ide.privacy.rules import BY_NAME
from support.pocket import pocket_port

HERE = "/nowhere/project"
SECRET = f"{HERE}/.env"
PUBLIC = f"{HERE}/a.py"


def gate(**facts: Any) -> ToolGate:
    async def answer(function: str, *arguments: Any) -> Any:
        if function == "privacy.of_buffer":
            return BY_NAME if arguments == (3,) else ""
        assert function == "privacy.facts"
        return {"privacy": None, "folders": [HERE], "cwd": HERE} | facts

    return ToolGate(PrivateFiles(pocket_port(answer), [HERE], None))


async def refusal(arguments: dict[str, Any], **facts: Any) -> str:
    try:
        await gate(**facts).check("tools.x.y", arguments)
    except EditorError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", [".env", SECRET, f"{HERE}/x/../.env", "./.env", f"/{SECRET}"])
async def test_a_tool_is_refused_for_a_private_file(name: str) -> None:
    sentence = f".env stays in Neovim: {BY_NAME}"

    assert await refusal({"file": name}) == sentence
    assert await refusal({"files": [{"path": name}]}) == sentence
    assert await refusal({"ranges": [[{"file": name}]]}) == sentence


async def test_a_tool_is_refused_for_the_number_of_a_private_buffer() -> None:
    assert await refusal({"bufnr": 3}) == f"this buffer stays in Neovim: {BY_NAME}"
    assert await refusal({"bufnr": 4}) == ""


async def test_a_tool_is_refused_for_a_renamed_private_file() -> None:
    assert await refusal({"file": PUBLIC}, renamed={PUBLIC: "why"}) == "a.py stays in Neovim: why"


@pytest.mark.parametrize(
    "arguments",
    [{"file": PUBLIC}, {"file": ""}, {"name": "x.key"}, {"text": SECRET}, {"file": None}, {}],
)
async def test_other_arguments_are_accepted(arguments: dict[str, Any]) -> None:
    assert await refusal(arguments) == ""


async def test_the_users_own_tools_decide_for_themselves() -> None:
    await gate().check("tools.own.call", {"file": SECRET})
    assert await gate().cleaned("tools.own.call", {"path": SECRET}) == {"path": SECRET}
    with pytest.raises(EditorError, match="mine"):
        await gate().cleaned("tools.own.call", {"error": "mine"})


async def cleaned(function: str, answer: dict[str, Any], **facts: Any) -> Any:
    return await gate(**facts).cleaned(function, answer)


async def test_entries_about_private_files_are_neither_listed_nor_counted() -> None:
    entries = [{"path": SECRET, "text": "x"}, {"path": PUBLIC}, {"name": SECRET}, {"path": ""}]

    found = await cleaned(
        "tools.x.y", {"total": 9, "entries": entries, "inner": {"more": entries[:2]}}
    )

    assert found["entries"] == [{"path": PUBLIC}, {"path": ""}]
    assert found["inner"] == {"more": [{"path": PUBLIC}]}
    assert found["total"] == 6


def function_of(method: object) -> str:
    """Return the function of the editor behind a method of the port."""
    return str(getattr(method, ATTRIBUTE).function)


async def test_an_answer_about_one_private_file_is_refused() -> None:
    with pytest.raises(EditorError, match=CONCERNS_ONE):
        await cleaned("tools.x.y", {"path": SECRET})


async def test_a_change_of_a_private_file_is_refused_as_a_whole() -> None:
    function = function_of(ModelToolsPort.edited_texts)
    answer = {"files": [{"path": PUBLIC}, {"path": SECRET}]}

    with pytest.raises(EditorError, match=CHANGES_ONE):
        await cleaned(function, answer)
    assert await cleaned(function, {"files": answer["files"][:1]})


async def test_an_error_that_names_a_private_file_is_not_quoted() -> None:
    for error, shown in (("no such mark in .env", CONCERNS_ONE), ("no such mark", "no such mark")):
        with pytest.raises(EditorError, match=shown):
            await cleaned("tools.x.y", {"error": error}, named=[SECRET])


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"lines": ["a", "see .env", "b"]}, {"lines": ["a", "b"]}),
        ({"lines": [".env"]}, {"lines": []}),
        ({"lines": {}}, {"lines": []}),
    ],
)
async def test_printed_lines_that_name_a_private_file_are_left_out(
    answer: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert await cleaned(function_of(ModelToolsPort.messages), answer, named=[SECRET]) == expected


async def test_a_link_to_a_private_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(".env")

    assert BY_NAME in await refusal({"file": str(tmp_path / "link")})
