"""`settings.py`: the words by which the user types settings and values."""

import pytest

from claude_ide.chat.settings import SettingWords

MODES = SettingWords(
    [
        ("https://example.com/modes#agent", "Agent"),
        ("https://example.com/old#agent", "Agent"),
        ("acceptEdits", "Accept Edits"),
        ("$run|x(y)", "My model"),
        ("!!!", "???"),
    ]
)


def test_an_id_that_can_be_typed_is_its_own_word_and_others_have_a_short_name() -> None:
    assert list(MODES) == ["agent", "agent-2", "acceptEdits", "my-model", "unnamed"]
    assert str(MODES) == "agent, agent-2, acceptEdits, my-model, unnamed"


@pytest.mark.parametrize(
    ("typed", "id_"),
    [
        ("agent", "https://example.com/modes#agent"),
        ("agent-2", "https://example.com/old#agent"),
        ("https://example.com/old#agent", "https://example.com/old#agent"),
        ("accept edits", "acceptEdits"),
        ("ACCEPTEDITS", "acceptEdits"),
        ("nonsense", None),
        ("", None),
    ],
)
def test_a_word_an_id_and_a_name_are_found(typed: str, id_: str | None) -> None:
    assert MODES.find(typed) == id_


@pytest.mark.parametrize(
    ("typed", "split"),
    [
        ("acceptEdits", ("acceptEdits", "")),
        ("my-model  very deep", ("$run|x(y)", "very deep")),
        ("accept edits on", ("acceptEdits", "on")),
        ("none on", (None, "")),
    ],
)
def test_a_line_is_split_after_the_longest_name(typed: str, split: tuple[str | None, str]) -> None:
    assert MODES.split(typed) == split
