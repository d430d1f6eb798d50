"""The figures of `make real`: diagnostics that are reported, in time, late or wrong."""

import pytest

from real.measure import Outcome
from real.reported import Diagnostic, diagnostics
from real.scene import Edit, Finding, Scene
from real.scenes import SCENES
from real.table import passes

TEXTS = {"src/a.py": "one\ntwo\n"}
WRONG = Finding("src/a.py", "two", "wrong word")
TRUE = Diagnostic("a.py", 2, "wrong word (words)")
BY_THE_CLI = """
<new-diagnostics>The following new diagnostic issues were detected:

a.py:
  ✘ [Line 2:3] wrong word (words)
</new-diagnostics>
"""
BY_THE_CHAT = """
PostToolUse:Edit hook additional context: New diagnostics after this change:

/project/src/a.py:
  ✘ [Line 2:3] wrong word (words)
"""


@pytest.mark.parametrize("words", [BY_THE_CLI, BY_THE_CHAT])
def test_the_diagnostics_in_a_request_are_found(words: str) -> None:
    assert [*diagnostics(words)] == [TRUE]


def outcome(*reported: list[Diagnostic], answered: float | None = 0.5) -> Outcome:
    """Return the outcome of an edit at 0 s, with the diagnostics of a request each second."""
    edit = Edit("break", "src/a.py", "one", "two", (WRONG,))
    requests = [(float(at), items) for at, items in enumerate(reported, 1)]
    return Outcome(edit, TEXTS, (WRONG,), 0.0, answered, requests=requests)


def test_a_diagnostic_in_the_next_request_is_in_time() -> None:
    assert outcome([TRUE], []).is_right()


def test_a_diagnostic_in_a_later_request_is_late() -> None:
    assert not outcome([], [TRUE]).is_right()


def test_a_slow_answer_can_be_reported_in_the_request_after_it() -> None:
    assert outcome([], [TRUE], answered=1.8).is_right()
    assert not outcome([], [], [TRUE], answered=1.8).is_right()


def test_an_edit_without_diagnostics_is_not_right() -> None:
    assert not outcome([], answered=None).is_right()


@pytest.mark.parametrize(
    "item",
    [
        Diagnostic("a.py", 1, "wrong word"),
        Diagnostic("a.py", 2, "right"),
        Diagnostic("b.py", 2, "wrong word"),
    ],
)
def test_a_wrong_diagnostic_is_false(item: Diagnostic) -> None:
    wrong = outcome([TRUE, item])

    assert wrong.false() == [f"break: {item}"]
    assert not passes([wrong] + [outcome([TRUE])] * 20)


def test_one_in_ten_edits_can_be_late() -> None:
    assert passes([outcome([], [TRUE])] + [outcome([TRUE])] * 9)
    assert not passes([outcome([], [TRUE])] * 2 + [outcome([TRUE])] * 9)


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_a_scene_has_ten_applicable_edits(scene: Scene) -> None:
    texts = dict(scene.texts)
    for edit in scene.edits:
        texts = edit.apply(texts)

    assert len(scene.edits) >= 10
