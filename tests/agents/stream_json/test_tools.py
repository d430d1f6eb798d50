"""`agents/stream_json/tools.py`: the files that tools have written, and prompts without marks."""

import difflib
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claude_ide.agents.events import DiffHunk, FileWritten
from claude_ide.agents.stream_json.tools import patched, unmarked
from support.digest import decoded
from support.transcripts import frames_of

TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "\n"]), max_size=8).map("".join)
ENDS = st.sampled_from(["", "x"])
HEAD = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


def writes(name: str) -> list[FileWritten]:
    return [event for event in decoded(frames_of(name)) if isinstance(event, FileWritten)]


def test_each_tool_reports_the_text_before_and_the_text_after() -> None:
    edited, made, changed, notebook = writes("file_writes")

    assert (edited.path, edited.before, edited.after) == (
        *("/home/dev/project/a.py", "one\ntwo\nthree\n", "one\nTWO\nthree\n"),
    )
    assert (made.path, made.before, made.after) == ("/home/dev/project/b.txt", None, "a\nb")
    assert (changed.before, changed.after) == ("a\nb", "a\nc\n")
    assert notebook.path == "/home/dev/project/n.ipynb"
    sources = [
        json.loads(text or "")["cells"][0]["source"] for text in (notebook.before, notebook.after)
    ]
    assert sources == [["x = 1\n"], "x = 2\n"]


def test_a_failed_edit_reports_no_write() -> None:
    assert writes("edit_deny") == []


def hunks(before: str, after: str) -> list[DiffHunk]:
    """Return the hunks of two texts in the CLI's form."""
    old, new = (text.splitlines(keepends=True) for text in (before, after))
    found: list[DiffHunk] = []
    for line in [*difflib.unified_diff(old, new, n=1)][2:]:
        if head := HEAD.match(line):
            first, count, new_first, new_count = (int(n) if n else 1 for n in head.groups())
            found.append(DiffHunk(first, count, new_first, new_count, ()))
            continue
        lines = (line.removesuffix("\n"), *(() if line.endswith("\n") else ("\\ No newline",)))
        last = found.pop()
        found.append(
            DiffHunk(
                *(last.old_start, last.old_lines, last.new_start, last.new_lines),
                (*last.lines, *lines),
            )
        )
    return found


@given(TEXTS, ENDS, TEXTS, ENDS)
def test_a_text_with_its_hunks_gives_the_text_after(
    before: str, old_end: str, after: str, new_end: str
) -> None:
    old, new = before + old_end, after + new_end

    assert patched(old, hunks(old, new)) == new


ONE = '\n\n<pasted_content id="81e6">\none\ntwo\n</pasted_content id="81e6">\n'
"""As 2.1.330 writes it."""


@pytest.mark.parametrize(
    ("marked", "prompt"),
    [
        (ONE, "one\ntwo"),
        (ONE.lstrip(), "one\ntwo"),
        (f"see this {ONE}\n and end", "see this one\ntwo and end"),
        (f"a{ONE}\n\nb" + ONE.replace("81e6", "c9c3"), "aone\ntwo\nbone\ntwo"),
        ("what is <pasted_content>?\n", "what is <pasted_content>?\n"),
        ('<pasted_content id="1">\nx\n</pasted_content id="2">', None),
    ],
)
def test_only_pairs_of_marks_are_removed(marked: str, prompt: str | None) -> None:
    assert unmarked(marked) == (marked if prompt is None else prompt)
