"""`headless.py`: one-off requests, to a CLI that replays and to programs that fail."""

import sys
from pathlib import Path

import pytest

from claude_ide.agents.events import Text, TurnEnded
from claude_ide.agents.stream_json.headless import Ask, Format, HeadlessQuestion
from claude_ide.agents.stream_json.protocol import CliLaunch, Frame
from claude_ide.base.errors import AgentError
from support.transcripts import frames_of, read_log, replaying


def program(code: str, folder: Path) -> CliLaunch:
    """Return a launch of a Python program instead of the CLI; it ignores the arguments."""
    return CliLaunch((sys.executable, "-I", "-c", f"import sys, json, time\n{code}"), folder, {})


async def test_the_answer_is_reported_while_it_arrives(tmp_path: Path) -> None:
    log = tmp_path / "log"
    ask = Ask(replaying("headless_stream", tmp_path, log=log), HeadlessQuestion(""))

    found = [event async for event in ask.events()]

    assert [event.text for event in found if isinstance(event, Text)] == ["hi there"]
    assert isinstance(found[-1], TurnEnded)
    assert (ask.result().text, ask.result().cost) == ("hi there", 0.0098)
    arguments = read_log(log)[0]["argv"]
    assert arguments[:4] == ["-p", "--output-format", "stream-json", "--verbose"]


@pytest.mark.parametrize("name", ["headless_stream", "headless_json"])
async def test_every_frame_is_available_as_the_cli_sends_it(name: str, tmp_path: Path) -> None:
    frames: list[Frame] = []
    format_ = Format.JSON if name == "headless_json" else Format.STREAM_JSON
    ask = Ask(replaying(name, tmp_path), HeadlessQuestion("", format_), frames.append)

    _ = [event async for event in ask.events()]

    assert frames == frames_of(name)


async def test_json_gives_the_complete_result_at_the_end(tmp_path: Path) -> None:
    log = tmp_path / "log"
    ask = Ask(replaying("headless_json", tmp_path, log=log), HeadlessQuestion("", Format.JSON))

    assert [event async for event in ask.events()] == []

    assert ask.result().text == "hi there"
    assert ask.result().raw["num_turns"] == 1
    assert read_log(log)[0]["argv"] == ["-p", "--output-format", "json"]


async def test_a_prompt_of_any_length_is_sent_on_stdin(tmp_path: Path) -> None:
    code = "print(json.dumps({'type': 'result', 'result': str(len(sys.stdin.buffer.read()))}))"
    ask = Ask(program(code, tmp_path), HeadlessQuestion("ü" * 3_000_000))

    _ = [event async for event in ask.events()]

    assert ask.result().text == "6000000"


@pytest.mark.parametrize(
    "result", ['{"result": "{\\"a\\": 1}"}', '{"structured_output": {"a": 1}}']
)
async def test_an_answer_with_a_schema_is_structured(tmp_path: Path, result: str) -> None:
    code = (
        f"print(json.dumps({result} | {{'type': 'result', 'arguments': sys.argv[1:]}}))\n"
        "assert '--json-schema' in sys.argv"
    )
    ask = Ask(program(code, tmp_path), HeadlessQuestion("x", schema={"type": "object"}))

    _ = [event async for event in ask.events()]

    assert ask.result().structured == {"a": 1}
    assert ask.result().raw["arguments"][-2:] == ["--json-schema", '{"type": "object"}']


async def test_an_answer_that_does_not_fit_the_schema_is_an_error(tmp_path: Path) -> None:
    code = "print(json.dumps({'type': 'result', 'result': 'I cannot\\ndo that.'}))"
    ask = Ask(program(code, tmp_path), HeadlessQuestion("x", schema={"type": "object"}))
    _ = [event async for event in ask.events()]

    with pytest.raises(AgentError, match=r"answered in words: I cannot do that\.$"):
        ask.result()


async def test_a_fence_around_an_answer_with_a_schema_is_ignored(tmp_path: Path) -> None:
    code = "print(json.dumps({'type': 'result', 'result': '```json\\n{\"a\": 1}\\n```'}))"
    ask = Ask(program(code, tmp_path), HeadlessQuestion("x", schema={"type": "object"}))
    _ = [event async for event in ask.events()]

    assert ask.result().structured == {"a": 1}


async def test_an_error_in_the_result_is_raised(tmp_path: Path) -> None:
    code = "print(json.dumps({'type': 'result', 'is_error': True, 'result': 'Invalid API key'}))"
    ask = Ask(program(code, tmp_path), HeadlessQuestion("x"))
    _ = [event async for event in ask.events()]

    with pytest.raises(AgentError, match="Invalid API key"):
        ask.result()


async def test_the_reason_of_a_missing_answer_is_reported(tmp_path: Path) -> None:
    ask = Ask(
        program("sys.exit('unknown option --x')", tmp_path), HeadlessQuestion("x" * 1_000_000)
    )

    with pytest.raises(AgentError, match="gave no answer: unknown option --x"):
        _ = [event async for event in ask.events()]


async def test_a_missing_cli_is_named_in_the_error(tmp_path: Path) -> None:
    ask = Ask(CliLaunch(("/no/such/claude",), tmp_path, {}), HeadlessQuestion("x"))

    with pytest.raises(AgentError, match="/no/such/claude cannot be started"):
        _ = [event async for event in ask.events()]


async def test_a_question_is_cancelled(tmp_path: Path) -> None:
    frame = "{'type': 'system', 'subtype': 'status', 'status': 'requesting'}"
    ask = Ask(program(f"print(json.dumps({frame}), flush=True); time.sleep(60)", tmp_path), Q)

    with pytest.raises(AgentError, match="exit code -15"):
        async for _event in ask.events():
            ask.cancel()
    with pytest.raises(AgentError, match="cancelled"):
        ask.result()


async def test_closing_the_events_ends_the_cli(tmp_path: Path) -> None:
    frame = "{'type': 'system', 'subtype': 'status', 'status': 'requesting'}"
    ask = Ask(program(f"print(json.dumps({frame}), flush=True); time.sleep(60)", tmp_path), Q)
    reading = ask.events()
    await anext(reading)

    await reading.aclose()

    assert ask._child is not None
    assert ask._child.code == -15


async def test_a_question_can_be_cancelled_before_it_is_asked(tmp_path: Path) -> None:
    ask = Ask(program("", tmp_path), Q)

    ask.cancel()

    with pytest.raises(AgentError):
        ask.result()


Q = HeadlessQuestion("x")
