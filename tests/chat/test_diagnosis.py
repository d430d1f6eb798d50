"""`chat/recording.py`: the new diagnostics after a change, and the note about them."""

from pathlib import Path
from typing import Any

import pytest

from claude_ide.agents.events import Change, DiffHunk
from claude_ide.chat.recording import Diagnosis, line_after
from claude_ide.editor.events import Diagnostics
from claude_ide.editor.port.diagnostics import LoadedFile

Item = dict[str, Any]


def item(line: int, message: str = "bad", severity: str = "Error", **more: Any) -> Item:
    """Return a diagnostic of a whole line, counted from 0."""
    start = {"line": line, "character": 2}
    return {
        "message": message,
        "severity": severity,
        "range": {"start": start, "end": start},
    } | more


def inserted(line: int, *lines: str) -> tuple[DiffHunk, ...]:
    """Return the hunks for lines inserted before a line, counted from 0."""
    added = tuple(f"+{each}" for each in lines)
    return (DiffHunk(line + 1, 1, line + 1, 1 + len(lines), (*added, " context")),)


REPLACED = (DiffHunk(2, 3, 2, 3, (" a", "-b", "+B", " c")), DiffHunk(10, 2, 10, 1, (" x", "-y")))


@pytest.mark.parametrize(
    ("line", "after"),
    [(0, 0), (1, 1), (2, None), (3, 3), (8, 8), (9, 9), (10, None), (11, 10), (99, 98)],
)
def test_a_line_is_traced_through_a_change(line: int, after: int | None) -> None:
    assert line_after(line, REPLACED) == after


class Answers:
    """An editor with diagnostics that a test sets, by path."""

    def __init__(self, **known: list[Item]) -> None:
        self.known = {f"/{name}": items for name, items in known.items()}
        self.is_busy = False

    async def load(self, _path: str, _seconds: float) -> LoadedFile:
        return LoadedFile(1)

    async def is_checked(self, _path: str, _seconds: float) -> bool:
        return True

    async def present_diagnostics(self, _seconds: float) -> dict[str, Diagnostics]:
        if self.is_busy:
            raise TimeoutError
        return {path: Diagnostics([*items]) for path, items in self.known.items()}


def change(*hunks: DiffHunk) -> Change:
    return Change("/a", 1, 1, hunks)


async def test_new_diagnostics_are_reported_in_the_clis_format() -> None:
    editor = Answers(a=[item(0, "old")])
    diagnosis = Diagnosis(editor)  # type: ignore[arg-type]
    await diagnosis.before("t1", "/a")
    odd = item(3, "odd", "Warning", source="words", code="W1")
    editor.known["/a"] += [odd, item(1, "hint", "Hint")]

    note = await diagnosis.after("t1", "/a", change())

    assert note.splitlines() == [
        "New diagnostics after this change:",
        "",
        "/a:",
        "  ⚠ [Line 4:3] odd [W1] (words)",
        "  ★ [Line 2:3] hint",
    ]


async def test_new_errors_in_other_files_are_reported_after_those_of_the_file() -> None:
    editor = Answers(**{"0": [], "b": [item(0)]})
    diagnosis = Diagnosis(editor)  # type: ignore[arg-type]
    await diagnosis.before("t1", "/b")
    editor.known["/0"] = [item(7, "broken"), item(8, "style", "Warning")]
    editor.known["/b"] = [item(0), item(1, "mine")]

    note = await diagnosis.after("t1", "/b", change())

    assert note.splitlines()[2:] == [
        "/b:",
        "  ✘ [Line 2:3] mine",
        "",
        "/0:",
        "  ✘ [Line 8:3] broken",
    ]


async def test_a_new_error_is_reported_once_by_concurrent_tools() -> None:
    editor = Answers(a=[], b=[])
    diagnosis = Diagnosis(editor)  # type: ignore[arg-type]
    for tool, path in (("t1", "/a"), ("t2", "/b")):
        await diagnosis.before(tool, path)
    editor.known["/b"] = [item(0)]

    assert "/b:" in await diagnosis.after("t1", "/a", change())
    assert await diagnosis.after("t2", "/b", change()) == ""


@pytest.mark.parametrize(
    ("count", "lines", "end"), [(20, 23, "[Line 20:3] bad"), (500, 25, "\nand 480 more")]
)
async def test_a_long_list_of_diagnostics_is_cut(count: int, lines: int, end: str) -> None:
    editor = Answers(a=[])
    diagnosis = Diagnosis(editor)  # type: ignore[arg-type]
    await diagnosis.before("t1", "/a")
    editor.known["/a"] = [item(line) for line in range(count)]

    note = await diagnosis.after("t1", "/a", change())

    assert len(note.splitlines()) == lines
    assert note.endswith(end)


async def test_long_diagnostics_are_cut() -> None:
    editor = Answers(a=[])
    diagnosis = Diagnosis(editor)  # type: ignore[arg-type]
    await diagnosis.before("t1", "/a")
    editor.known["/a"] = [item(0, "x" * 100_000)]

    assert len(await diagnosis.after("t1", "/a", change())) < 5000


async def test_no_diagnostic_is_new_while_neovim_is_busy() -> None:
    editor = Answers(a=[item(0)])
    diagnosis = Diagnosis(editor)  # type: ignore[arg-type]
    editor.is_busy = True
    await diagnosis.before("t1", "/a")
    editor.is_busy = False

    assert await diagnosis.after("t1", "/a", change()) == ""


async def test_a_link_to_a_file_counts_as_that_file(tmp_path: Path) -> None:
    path, link = tmp_path / "a.py", tmp_path / "link.py"
    path.write_text("x\n")
    link.symlink_to(path)
    editor = Answers()
    diagnosis = Diagnosis(editor)  # type: ignore[arg-type]
    await diagnosis.before("t1", str(link))
    editor.known = {str(path): [item(0, "odd", "Warning")]}

    assert f"{link}:\n  ⚠ [Line 1:3] odd" in await diagnosis.after("t1", str(link), change())


async def edited(editor: Answers, *paths: str) -> Diagnosis:
    """Return a diagnosis after tools have changed files without immediate diagnostics."""
    diagnosis = Diagnosis(editor)  # type: ignore[arg-type]
    for path in paths:
        await diagnosis.before(f"edits {path}", path)
        assert await diagnosis.after(f"edits {path}", path, change()) == ""
    return diagnosis


LATE = "New diagnostics since your last change:\n\n/a:\n  ⚠ [Line 4:3] late"


@pytest.mark.parametrize("is_prompt", [True, False])
async def test_late_diagnostics_are_reported_once_with_the_next_tool_or_prompt(
    is_prompt: bool,
) -> None:
    editor = Answers()
    diagnosis = await edited(editor, "/a")
    editor.known["/a"] = [item(3, "late", "Warning")]

    async def report() -> str:
        return await (diagnosis.prompted() if is_prompt else diagnosis.after("t2", "/b", None))

    assert await report() == LATE
    assert await report() == ""
    assert await diagnosis.prompted() == ""


async def test_late_diagnostics_are_reported_with_the_next_change() -> None:
    for path in ("/a", "/b"):
        editor = Answers()
        diagnosis = await edited(editor, "/a")
        editor.known["/a"] = [item(3, "late", "Warning")]
        await diagnosis.before("t2", path)
        editor.known["/a"] += [item(5, "worse")]

        note = await diagnosis.after("t2", path, change())

        assert "late" in note
        assert "worse" in note
        assert await diagnosis.prompted() == ""


async def test_late_diagnostics_that_have_vanished_are_not_reported() -> None:
    editor = Answers()
    diagnosis = await edited(editor, "/a")
    editor.known["/a"] = [item(3, "late")]
    await diagnosis.before("t2", "/a")
    editor.known["/a"] = []

    assert await diagnosis.after("t2", "/a", change()) == ""
    assert await diagnosis.prompted() == ""


async def test_only_files_written_since_the_previous_prompt_are_checked() -> None:
    editor = Answers()
    diagnosis = await edited(editor, "/a")
    editor.known["/b"] = [item(3, "the user's")]
    assert await diagnosis.prompted() == ""
    assert await diagnosis.prompted() == ""
    editor.known["/a"] = [item(3, "the user's")]

    assert await diagnosis.prompted() == ""


async def test_a_late_error_on_another_line_is_new_once_such_files_are_checked(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.py"
    path.write_text("x\n")
    editor = Answers(**{"other.py": [item(0, "old")]})
    diagnosis = await edited(editor, str(path))
    editor.known[str(path)] = [item(9, "broken")]

    assert "broken" in await diagnosis.prompted()


async def test_only_written_lines_are_new_in_a_file_that_was_never_checked(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("x\n")
    editor = Answers()
    diagnosis = Diagnosis(editor)  # type: ignore[arg-type]
    await diagnosis.before("t1", str(path))
    await diagnosis.after("t1", str(path), change(*inserted(2, "new")))
    editor.known = {str(path): [item(0, "old"), item(2, "written")]}

    note = await diagnosis.prompted()

    assert "written" in note
    assert "old" not in note
