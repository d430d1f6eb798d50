"""The output of a command in the background, read from its file."""

from pathlib import Path

import pytest

from claude_ide.agents.stream_json.claude import LARGEST_OUTPUT_BYTES, _read_output
from claude_ide.base.errors import AgentError


def test_a_short_output_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "b1.output"
    path.write_bytes(b"one\n\xfftwo\n")

    output = _read_output(str(path))

    assert output.text == "one\n\ufffdtwo\n"
    assert not output.is_cut


def test_only_the_end_of_a_long_output_is_read(tmp_path: Path) -> None:
    path = tmp_path / "b1.output"
    path.write_text("x" * LARGEST_OUTPUT_BYTES + "the end")

    output = _read_output(str(path))

    assert output.is_cut
    assert output.size == LARGEST_OUTPUT_BYTES + 7
    assert len(output.text) == LARGEST_OUTPUT_BYTES
    assert output.text.endswith("the end")


@pytest.mark.parametrize(
    ("name", "complaint"),
    [("", "this task has no output"), ("missing", "No such file"), (".", "a folder")],
)
def test_an_output_that_cannot_be_read_is_reported(
    tmp_path: Path, name: str, complaint: str
) -> None:
    with pytest.raises(AgentError, match=complaint):
        _read_output(name and str(tmp_path / name))
