"""`review/telling.py`: which changes an agent is told of, and the words."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from claude_ide.base.quotation import no_command
from claude_ide.review.entry import Told
from claude_ide.review.telling import KEPT, REVERTED, decisions, differences, note, reviewable
from claude_ide.review.texts import Texts

LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d\n"]), max_size=8).map("".join)


def after_revert(base: str, agent: str, first: int, last: int) -> str:
    texts = Texts(base, agent, agent).reverted((first, last), is_exact=True)
    return texts.agent or ""


def test_of_a_hunk_that_is_reverted_in_part_only_that_part_is_gone() -> None:
    before = [("two\nthree\n", "TWO\nTHREE\n")]
    after = [("two\n", "TWO\n")]

    assert differences(before, after) == ([("three\n", "THREE\n")], [])
    assert differences(after, before) == ([], [("three\n", "THREE\n")])


def test_one_of_two_equal_changes_is_gone() -> None:
    change = ("a\n", "b\n")

    assert differences([change, change], [change]) == ([change], [])
    assert differences([change], [change, change]) == ([], [change])


@example("c\nc\n", "a\na\na\nc\nb\nc\nc\na\n", 0, 3)
@given(LINES, LINES, st.integers(0, 8), st.integers(1, 8))
def test_there_and_back_again_is_told_as_the_opposite(
    base: str, agent: str, first: int, count: int
) -> None:
    before = reviewable(Texts(base, agent, agent))
    half = after_revert(base, agent, first, first + count)
    after = reviewable(Texts(base, half, half))

    gone, back = differences(before, after)

    assert differences(after, before) == (back, gone)
    if half == agent:
        assert (gone, back) == ([], [])
    if half == base:
        assert (sorted(gone), back) == (sorted(before), [])


def test_a_note_says_only_what_was_reverted_and_a_prompt_also_what_was_kept() -> None:
    told = [
        Told("s", "a.py", REVERTED, "two\n", "TWO\n"),
        Told("s", "a.py", KEPT, "x\n", "".join(f"{n}\n" for n in range(20))),
        Told("s", "new.py", KEPT, "", ""),
    ]

    assert "a.py:\n-TWO\n+two" in note(told)
    assert "kept" not in note(told)
    reverted, kept = decisions((each.path, each) for each in told)
    assert "a.py:\n```diff\n-TWO\n+two\n```" in reverted
    assert "-x\n+0" in kept
    assert "+6\n…\n```" in kept
    assert kept.endswith("new.py")


@pytest.mark.parametrize(
    ("path", "shown"),
    [("a.py", "a.py"), ("!a", "./!a"), ("/clear", "/./clear"), ("/home/a b", "/home/a b")],
)
def test_a_path_begins_no_command(path: str, shown: str) -> None:
    assert no_command(path) == shown
