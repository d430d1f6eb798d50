"""How files are named and quoted in a text: nothing of it begins a command of an agent."""

import pytest

from claude_ide.base.quotation import mention, named, quoted


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/p/!touch made;/a.py", "./!touch made;/a.py"),
        ("/p/ !touch made;#.py", "./ !touch made;#.py"),
        ("/p/#a.py", "./#a.py"),
        ("/p/@a.py", "./@a.py"),
        ("/p/-a.py", "./-a.py"),
        ("/p/a!.py", "a!.py"),
        ("/p/_a/b c.py", "_a/b c.py"),
        ("/p/.a/b.py", ".a/b.py"),
        ("/clear all/a.py", "/./clear all/a.py"),
        ("/clear", "/./clear"),
        ("/home/some one/a.py", "/home/some one/a.py"),
        ("/p/a\nb.py", "a?b.py"),
    ],
)
def test_a_path_begins_no_command(path: str, shown: str) -> None:
    assert named(path, "/p") == shown


def test_a_path_with_blanks_is_mentioned_in_quotes_with_its_lines() -> None:
    assert mention("/p/a b.py", "/p", (2, 3)) == '@"a b.py#L2-3"'
    assert mention("/p/a.py", "/p", (2, 2)) == "@a.py#L2"
    assert mention("/q/a.py", "/p") == "@/q/a.py"


def test_a_quotation_is_cut_and_has_no_control_characters() -> None:
    assert quoted("a.py, line 1", ["!a\x1b[201~\r", "", "c"], most=2) == (
        "a.py, line 1:\n> !a[201~\n> \n> …"
    )
