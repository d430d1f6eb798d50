"""What the user says about a diff; `tests/lua/test_diff_comments.py` has how they say it."""

from pathlib import Path

from claude_ide.editor.diffs import words_on_decision, words_on_edit
from claude_ide.editor.port.events import DiffComment, DiffDecided

LOUD = DiffComment(1, 1, ["one"], "look")


def test_a_path_begins_no_command_of_the_agent() -> None:
    words = words_on_edit("!touch made;/a.py", [LOUD], [])

    assert words.endswith("\n\n./!touch made;/a.py, line 1:\n> one\nlook")


def test_a_decision_without_words_says_nothing() -> None:
    assert words_on_decision(DiffDecided(1, accepted=False, path="a.py")) == ("", "")


def test_only_a_rejection_gets_the_comments_with_the_answer() -> None:
    said = "a.py, line 1:\n> one\nlook"
    rejected = DiffDecided(1, accepted=False, path="a.py", reason="no", comments=[LOUD])
    accepted = DiffDecided(1, accepted=True, path="a.py", comments=[LOUD])

    assert words_on_decision(rejected)[0] == f"no\n\n{said}"
    assert words_on_decision(accepted) == ("", f"I have accepted your edit of a.py.\n\n{said}")


def test_neither_a_quoted_line_nor_a_path_mentions_a_file(tmp_path: Path) -> None:
    (tmp_path / "notes").touch()
    path, line, roots = "a @notes", "see @notes and @property", ["/", str(tmp_path)]
    comments = [DiffComment(1, 1, [line], "compare @notes")]
    said = "a @ notes, line 1:\n> see @ notes and @property\ncompare @notes"
    accepted = DiffDecided(1, accepted=True, path=path, comments=comments)

    words = words_on_decision(accepted, roots)[1]

    assert words == f"I have accepted your edit of a @ notes.\n\n{said}"
    assert words_on_edit(path, comments, roots) == f"About your edit of a @ notes:\n\n{said}"
