"""`permission.py`, `proposal.py`: the answers of an agent, and words for what it cannot read."""

from pathlib import Path

import pytest

from claude_ide.agents.requests import (
    Allow,
    Answer,
    Option,
    OptionKind,
    PermissionAsked,
    Reject,
    Replacement,
)
from claude_ide.ui import permission, proposal

ONCE = Option("o1", "Allow once", OptionKind.ALLOW_ONCE)
PROCEED = Option("o2", "Yes, and be quick", OptionKind.ALLOW_ONCE)
ALWAYS = Option("o3", "Always allow", OptionKind.ALLOW_ALWAYS, "this session")
NO = Option("o4", "Reject", OptionKind.REJECT_ONCE)
FEEDBACK = Option("o5", "No, and say why", OptionKind.REJECT_ONCE)
NEVER = Option("o6", "Never", OptionKind.REJECT_ALWAYS)
LASTING_YES = "Always (allow once)"


def named(name: str, *, is_yes: bool = True) -> Option:
    return Option("o", name, OptionKind.ALLOW_ONCE if is_yes else OptionKind.REJECT_ONCE)


def asked(*options: Option) -> PermissionAsked:
    return PermissionAsked("r", "t", "swim", {}, options)


@pytest.mark.parametrize(
    ("options", "yes", "no"),
    [
        ((), "yes", "no"),
        ((ONCE, NO), "yes", "no"),
        ((PROCEED, FEEDBACK), "Yes, and be quick", "No, and say why"),
        ((ONCE, PROCEED, NO), "Allow once", "no"),
        ((ONCE, NO, FEEDBACK), "yes", "Reject"),
        ((named("Yes, proceed"), named("Skip", is_yes=False)), "yes", "no"),
        ((named("Always"), named("Never", is_yes=False)), LASTING_YES, "Never (reject once)"),
        ((named("Immer"), named("Nein", is_yes=False)), "Immer (allow once)", "Nein (reject once)"),
        ((named("Allow all edits, always"),), "Allow all edits, always (allow once)", "no"),
        ((named("ALLOW"), named("Always")), "ALLOW", "no"),
    ],
)
def test_a_yes_and_a_no_have_the_agents_words_if_these_say_more(
    options: tuple[Option, ...], yes: str, no: str
) -> None:
    assert (permission.yes(asked(*options), "yes"), permission.no(asked(*options), "no")) == (
        yes,
        no,
    )


@pytest.mark.parametrize(
    ("options", "has_yes", "others"),
    [
        ((), True, []),
        ((ALWAYS, NO), False, [ALWAYS]),
        ((ALWAYS, ONCE, PROCEED, NO, FEEDBACK, NEVER), True, [ALWAYS, PROCEED, FEEDBACK, NEVER]),
    ],
)
def test_every_option_is_a_yes_a_no_or_another_way(
    options: tuple[Option, ...], has_yes: bool, others: list[Option]
) -> None:
    assert permission.has_yes(asked(*options)) is has_yes
    assert permission.others(asked(*options)) == others


@pytest.mark.parametrize(
    ("option", "shown"),
    [
        (ALWAYS, "Always allow (this session)"),
        (NEVER, "Never"),
        (Option("o", "Once", OptionKind.ALLOW_ALWAYS), "Once (allow always)"),
        (Option("o", "Always", OptionKind.ALLOW_ONCE), "Always (allow once)"),
        (Option("o", "Yes, for this session", OptionKind.ALLOW_ALWAYS), "Yes, for this session"),
        (PROCEED, "Yes, and be quick"),
    ],
)
def test_an_option_has_its_kind_if_its_name_says_something_else(option: Option, shown: str) -> None:
    assert permission.described(option) == shown


@pytest.mark.parametrize(
    ("option", "answer"),
    [
        (PROCEED, Allow(("o2",))),
        (ALWAYS, Allow(("o3",))),
        (FEEDBACK, Reject(option="o5")),
        (NEVER, Reject(option="o6")),
    ],
)
def test_an_option_is_chosen_by_its_id(option: Option, answer: Answer) -> None:
    assert permission.answer(option) == answer


def edits(*found: Replacement) -> tuple[proposal.Proposal, ...]:
    return proposal.of(PermissionAsked("r", "t", "gnaw", {}, (), kind="edit", edits=found))


def test_edits_of_one_file_are_one_proposal_and_of_several_files_several(tmp_path: Path) -> None:
    first, second = (str(tmp_path / name) for name in ("a.txt", "b.txt"))
    Path(first).write_text("one\ntwo\n")

    both = edits(
        Replacement(first, "1", "one"), Replacement(second, "new\n"), Replacement(first, "2", "two")
    )

    assert [(each.path, each.text) for each in both] == [(first, "1\n2\n"), (second, "new\n")]


def test_several_edits_are_no_proposal_if_one_of_them_would_fail(tmp_path: Path) -> None:
    path = str(tmp_path / "a.txt")

    assert edits(Replacement(path, "new"), Replacement("b.txt", "relative")) == ()


def test_the_users_versions_become_a_diff_of_each_file(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("one\n```\n")
    proposed = edits(Replacement(str(path), "ONE\n```\n"))

    words = proposal.instead_of_files(proposed, ["1\n```\n"], str(tmp_path))

    assert words.splitlines()[2:] == [
        *("a.md:", "````diff", "@@ -1,2 +1,2 @@", "-one", "+1", " ```", "````")
    ]


def test_a_version_too_large_for_a_diff_is_sent_whole(tmp_path: Path) -> None:
    proposed = edits(Replacement(str(tmp_path / "a.md"), "new"))

    words = proposal.instead_of_files(proposed, ["```\n" * 200_000], str(tmp_path))

    assert "The whole text of a.md:\n````\n```" in words
