"""`turn.py`: the progress of prompts, from versions that report it and from those that do not."""

import pytest

from claude_ide.agents.events import Event, PromptChanged, PromptStage
from claude_ide.agents.stream_json.decode import FrameDecoder
from claude_ide.agents.stream_json.protocol import Frame
from support.digest import conversed, digest

INIT: Frame = {"type": "system", "subtype": "init"}
RESULT: Frame = {"type": "result"}


def lifecycle(prompt: str, state: str) -> Frame:
    return {"type": "command_lifecycle", "command_uuid": prompt, "state": state}


def echo(prompt: str) -> Frame:
    return {"type": "user", "uuid": prompt, "isReplay": True}


class Cli:
    """A session in which prompts are sent and frames arrive."""

    def __init__(self) -> None:
        self.decoder = FrameDecoder()

    def send(self, *prompts: str, priority: str = "") -> list[str]:
        """Send prompts; return the stages."""
        return [line for p in prompts for line in stages(self.decoder.stages.sent(p, priority))]

    def receive(self, *frames: Frame) -> list[str]:
        """Decode frames; return the stages."""
        return [line for frame in frames for line in stages(self.decoder.decode(frame))]


def stages(events: list[Event]) -> list[str]:
    return digest(event for event in events if isinstance(event, PromptChanged))


def test_a_prompt_waits_starts_with_the_next_turn_and_ends_with_it() -> None:
    cli = Cli()

    assert cli.send("a") == ["a queued"]
    assert cli.receive(INIT) == ["a started"]
    assert cli.receive(echo("a")) == []
    assert cli.receive(RESULT) == ["a completed"]


def test_a_prompt_during_a_turn_starts_when_it_is_echoed() -> None:
    cli = Cli()
    cli.send("a")
    cli.receive(INIT)

    assert cli.send("b", "c") == ["b queued", "c queued"]
    assert cli.receive(echo("b")) == ["b started"]
    assert cli.receive(RESULT, INIT) == ["a completed", "b completed", "c started"]


def test_prompts_that_make_up_a_turn_start_before_its_first_output() -> None:
    """All but the last are echoed before `init`, the last one only with the answer."""
    cli = Cli()
    cli.send("a", "b", "c")

    assert cli.receive(echo("a"), INIT) == ["a started", "b started"]
    assert cli.receive(echo("b"), RESULT) == ["a completed", "b completed"]
    assert cli.receive(INIT) == ["c started"]


def test_a_prompt_that_redirects_overtakes_waiting_prompts() -> None:
    cli = Cli()
    cli.send("a")
    cli.receive(INIT)
    cli.send("b")
    cli.send("c", priority="now")

    assert cli.receive(RESULT, INIT) == ["a completed", "c started"]


def test_a_second_init_within_a_turn_starts_no_prompt() -> None:
    cli = Cli()
    cli.send("a")
    cli.receive(INIT)
    cli.send("b")

    assert cli.receive(INIT) == []


def test_a_withdrawn_prompt_never_starts() -> None:
    cli = Cli()
    cli.send("a")

    assert stages(cli.decoder.stages.withdrawn("a")) == ["a cancelled"]
    assert cli.receive(INIT) == []
    assert cli.decoder.stages.withdrawn("a") == []


def test_once_the_cli_reports_stages_none_is_inferred() -> None:
    cli = Cli()
    assert cli.send("a") == ["a queued"]

    assert cli.receive(lifecycle("a", "queued"), lifecycle("a", "started")) == ["a started"]
    assert cli.receive(INIT, echo("a"), RESULT) == []
    assert cli.receive(lifecycle("a", "completed")) == ["a completed"]
    assert cli.send("b") == []
    assert cli.receive(lifecycle("b", "queued")) == ["b queued"]


def test_an_unknown_stage_is_ignored() -> None:
    cli = Cli()
    cli.send("a")

    assert cli.receive(lifecycle("a", "pondered")) == []
    assert cli.receive(INIT) == ["a started"]


@pytest.mark.parametrize("name", ["queue", "priority_now", "priority_next_midtools"])
def test_the_stages_that_a_recorded_cli_reports_are_used(name: str) -> None:
    reported = [event for event in conversed(name) if isinstance(event, PromptChanged)]

    assert len(reported) == len(set(reported))
    assert {event.stage for event in reported} <= set(PromptStage)


def test_the_stages_of_a_recorded_cli_that_reports_none_are_inferred() -> None:
    reported = digest(
        event for event in conversed("cli197_queue") if isinstance(event, PromptChanged)
    )

    assert reported == [
        *("1 queued", "1 started", "2 queued", "3 queued", "4 queued", "4 cancelled", "5 queued"),
        *("1 completed", "5 started", "6 queued", "2 started", "3 started", "6 started"),
        *("5 completed", "2 completed", "3 completed", "6 completed"),
        *("7 queued", "7 started", "8 queued", "9 queued", "7 completed"),
        *("8 started", "9 started", "8 completed", "9 completed"),
    ]
