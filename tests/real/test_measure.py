"""What `make real` counts: what the model was told, when it had to be, and what was not so."""

import pytest

from real.measure import Outcome
from real.scene import Edit, Finding, Scene
from real.scenes import SCENES
from real.table import passes
from real.told import Told, told

TEXTS = {"src/a.py": "one\ntwo\n"}
WRONG = Finding("src/a.py", "two", "wrong word")
TRUE = Told("a.py", 2, "wrong word (words)")
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
def test_what_the_model_is_told_is_found_in_the_request(words: str) -> None:
    assert [*told(words)] == [TRUE]


def outcome(*told: list[Told], answered: float | None = 0.5) -> Outcome:
    """An edit at 0 s that breaks a word, and what the requests of each second told."""
    edit = Edit("break", "src/a.py", "one", "two", (WRONG,))
    requests = [(float(at), items) for at, items in enumerate(told, 1)]
    return Outcome(edit, TEXTS, (WRONG,), 0.0, answered, requests=requests)


def test_what_the_next_request_tells_is_in_time() -> None:
    assert outcome([TRUE], []).is_right()


def test_what_is_told_with_a_later_request_is_late() -> None:
    assert not outcome([], [TRUE]).is_right()


def test_what_was_answered_slowly_may_be_told_with_the_request_after_the_answer() -> None:
    assert outcome([], [TRUE], answered=1.8).is_right()
    assert not outcome([], [], [TRUE], answered=1.8).is_right()


def test_what_no_server_has_answered_is_not_right() -> None:
    assert not outcome([], answered=None).is_right()


@pytest.mark.parametrize(
    "item", [Told("a.py", 1, "wrong word"), Told("a.py", 2, "right"), Told("b.py", 2, "wrong word")]
)
def test_what_is_not_so_is_false(item: Told) -> None:
    wrong = outcome([TRUE, item])

    assert wrong.false() == [f"break: {item}"]
    assert not passes([wrong] + [outcome([TRUE])] * 20)


def test_one_of_ten_may_be_late() -> None:
    assert passes([outcome([], [TRUE])] + [outcome([TRUE])] * 9)
    assert not passes([outcome([], [TRUE])] * 2 + [outcome([TRUE])] * 9)


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_a_scene_has_ten_edits_that_can_be_made(scene: Scene) -> None:
    texts = dict(scene.texts)
    for edit in scene.edits:
        texts = edit.apply(texts)

    assert len(scene.edits) >= 10
