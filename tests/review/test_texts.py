"""`review/texts.py`: what is left to review after anybody has written a file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claude_ide.review.texts import OverlapError, Texts, lines_of

BEFORE = "one two three four five six"


def text(words: str) -> str:
    return "".join(f"{word}\n" for word in words.split())


def words(text: str | None) -> str | None:
    return None if text is None else " ".join(text.split())


def after(agent: str, *, before: str = BEFORE) -> Texts:
    return Texts.same(text(before)).written_by_agent(text(agent))


def rows(texts: Texts) -> list[tuple[int, int]]:
    return [(hunk.start, hunk.stop) for hunk in texts.hunks]


def test_what_an_agent_writes_waits_for_review_across_its_writes() -> None:
    once = after("one TWO three four five six")
    twice = once.written_by_agent(text("one TWO three four five SIX"))

    assert (rows(once), rows(twice)) == ([(1, 2)], [(1, 2), (5, 6)])
    assert words(twice.base) == BEFORE


@pytest.mark.parametrize(
    ("agent", "user", "left"),
    [
        pytest.param("one TWO three", "mine one TWO three", "TWO", id="above"),
        pytest.param("one TWO three", "one mine TWO three", "TWO", id="next to it"),
        pytest.param("one TWO three", "one TWO three mine", "TWO", id="below"),
        pytest.param("one three", "one three mine", "", id="beside a removal"),
        pytest.param("one TWO three", "one TWO! three", "TWO!", id="inside"),
        pytest.param("one TWO three", "one two three", None, id="undone"),
        pytest.param("one TWO THREE", "one two THREE", "THREE", id="undone in part"),
        pytest.param("one TWO three", "ONE TWO THREE", "TWO", id="around"),
        pytest.param("a one two three", "a ONE TWO THREE", "a", id="everything else"),
    ],
)
def test_what_the_user_writes_is_not_the_agents(agent: str, user: str, left: str | None) -> None:
    texts = after(agent, before="one two three").written_by_other(text(user))

    shown = [words("".join(lines_of(text(user))[start:stop])) for start, stop in rows(texts)]
    assert shown == ([] if left is None else [left])


def test_a_formatter_that_changes_blanks_everywhere_leaves_the_hunks() -> None:
    lines = [f"line{row}" for row in range(9)]
    texts = Texts.same("".join(f"{line}\n" for line in lines))
    texts = texts.written_by_agent("".join(f"{line}\n" for line in [*lines[:4], "new", *lines[4:]]))

    shifted = texts.written_by_other("".join(f"  {line}" for line in lines_of(texts.now or "")))

    assert rows(shifted) == [(4, 5)]


def test_a_kept_hunk_leaves_the_review() -> None:
    texts = after("one TWO three four FIVE six").kept((1, 2))

    assert rows(texts) == [(4, 5)]
    assert texts.kept().is_reviewed


@pytest.mark.parametrize("agent", ["one TWO three", "one four", "one two three", "", "two four 5"])
def test_a_hunk_is_decided_by_its_own_rows(agent: str) -> None:
    texts = after(agent, before="one two three four")

    for hunk in texts.hunks:
        assert len(texts.kept(hunk.rows).hunks) == len(texts.hunks) - 1
        assert len(texts.reverted(hunk.rows).hunks) == len(texts.hunks) - 1


def test_a_reverted_hunk_has_its_old_lines() -> None:
    texts = after("one TWO three four FIVE six").reverted((4, 5))

    assert words(texts.now) == "one TWO three four five six"
    assert words(texts.reverted().now) == BEFORE


@pytest.mark.parametrize(
    ("agent", "chosen", "reverted", "kept"),
    [
        pytest.param("one A B four", (1, 2), "one two B four", "one A three four", id="changed"),
        pytest.param("one two A B three four", (2, 3), "one two B three four", None, id="added"),
        pytest.param("one four", (1, 2), "one two three four", "one four", id="below a removal"),
        pytest.param("one four", (0, 1), "one four", "one two three four", id="above a removal"),
        pytest.param("one two", (1, 2), "one two three four", "one two", id="a removal at the end"),
        pytest.param("one A four", (1, 2), "one two three four", "one A four", id="fewer lines"),
    ],
)
def test_single_lines_of_a_hunk(
    agent: str, chosen: tuple[int, int], reverted: str, kept: str | None
) -> None:
    texts = after(agent, before="one two three four")

    assert words(texts.reverted(chosen, is_exact=True).now) == reverted
    assert kept is None or words(texts.kept(chosen, is_exact=True).base) == kept


def test_what_the_user_added_stays_when_the_hunk_around_it_is_reverted() -> None:
    texts = after("one A B C D two three", before="one two three")
    mine = texts.written_by_other(text("mine one A B C D two three"))

    assert words(mine.reverted().now) == "mine one two three"


def test_lines_of_the_agent_that_the_user_has_changed_are_reverted_only_by_force() -> None:
    texts = after("one TWO three four five six").written_by_other(
        text("one TWO! three four five six")
    )

    with pytest.raises(OverlapError):
        texts.reverted((1, 2))
    assert words(texts.reverted((1, 2), is_forced=True).now) == BEFORE


def test_lines_of_the_agent_that_were_only_formatted_are_reverted_without_force() -> None:
    texts = after("one TWO three four five six").written_by_other(
        "one\n  TWO\nthree\nfour\nfive\nsix\n"
    )

    assert rows(texts) == [(1, 2)]
    assert words(texts.reverted((1, 2)).now) == BEFORE


def test_other_hunks_are_reverted_although_the_user_has_changed_one() -> None:
    texts = after("one TWO three four FIVE six").written_by_other(
        text("one TWO! three four FIVE six")
    )

    assert words(texts.reverted((4, 5)).now) == "one TWO! three four five six"


def test_a_file_that_an_agent_creates_or_deletes() -> None:
    created, deleted = Texts.same(None).written_by_agent("a\n"), after("").written_by_agent(None)

    assert (created.reverted().now, created.kept().base) == (None, "a\n")
    assert (words(deleted.reverted().now), deleted.kept().base) == (BEFORE, None)
    assert deleted.written_by_other(text(BEFORE)).is_reviewed


@pytest.mark.parametrize("end", ["\n", "", "\r\n"])
def test_the_end_of_the_last_line_is_reverted(end: str) -> None:
    before = f"one{end}"
    texts = Texts.same(before).written_by_agent("one\r\n" if end == "\n" else "one\n")

    assert rows(texts) == [(0, 1)]
    assert texts.reverted().now == before


def versions(*own: str) -> st.SearchStrategy[str]:
    lines = st.lists(st.sampled_from(["a", "b", "c", *own]), max_size=8)
    return lines.map(lambda found: "".join(f"{line}\n" for line in found))


step = st.one_of(
    st.tuples(st.just("agent"), versions("claude", "Claude")),
    st.tuples(st.just("user"), versions("mine")),
    st.tuples(st.just("keep"), st.tuples(st.integers(0, 8), st.integers(1, 4), st.booleans())),
    st.tuples(st.just("revert"), st.tuples(st.integers(0, 8), st.integers(1, 4), st.booleans())),
)


@given(versions(), st.lists(step, max_size=8))
def test_any_order_of_writes_keeps_what_is_the_users(
    before: str, steps: list[tuple[str, object]]
) -> None:
    texts = Texts.same(before)
    for kind, what in steps:
        earlier = texts
        match kind, what:
            case "agent", str(new):
                texts = texts.written_by_agent(new)
                assert texts.base == earlier.base
            case "user", str(new):
                texts = texts.written_by_other(new)
                assert earlier.is_reviewed <= texts.is_reviewed
            case "keep", (int(first), int(count), bool(is_exact)):
                texts = texts.kept((first, first + count), is_exact=is_exact)
                assert texts.now == earlier.now
            case "revert", (int(first), int(count), bool(is_exact)):
                try:
                    texts = texts.reverted((first, first + count), is_exact=is_exact)
                except OverlapError:
                    continue
                # Only lines that the user has added to it may enter the base.
                entered = {*lines_of(texts.base or "")} - {*lines_of(earlier.base or "")}
                assert entered <= {*lines_of(earlier.now or "")}
    base, now = lines_of(texts.base or ""), lines_of(texts.now or "")
    rebuilt = list(now)
    for hunk in reversed(texts.hunks):
        rebuilt[hunk.start : hunk.stop] = base[hunk.first : hunk.last]
    assert rebuilt == base
    assert texts.reverted(is_forced=True).now is not None
    assert texts.kept().is_reviewed
