"""`stages.py`: how far prompts have come, for versions that tell it and for those that do not."""

import pytest

from claude_ide.agents.events import Event, PromptChanged, PromptStage
from claude_ide.agents.stream_json.decoding.decode import Decoder
from claude_ide.agents.stream_json.wire.frames import Frame
from support.digest import conversed, digest

INIT: Frame = {"type": "system", "subtype": "init"}
RESULT: Frame = {"type": "result"}


def lifecycle(prompt: str, state: str) -> Frame:
    return {"type": "command_lifecycle", "command_uuid": prompt, "state": state}


def echo(prompt: str) -> Frame:
    return {"type": "user", "uuid": prompt, "isReplay": True}


class Cli:
    """A session in which prompts are sent and frames come."""

    def __init__(self) -> None:
        self.decoder = Decoder()

    def send(self, *prompts: str, priority: str = "") -> list[str]:
        """Send prompts; return what follows."""
        return [line for p in prompts for line in stages(self.decoder.stages.sent(p, priority))]

    def say(self, *frames: Frame) -> list[str]:
        """Take frames; return what they tell of prompts."""
        return [line for frame in frames for line in stages(self.decoder.decode(frame))]


def stages(events: list[Event]) -> list[str]:
    return digest(event for event in events if isinstance(event, PromptChanged))


def test_a_prompt_waits_begins_with_the_next_turn_and_ends_with_it() -> None:
    cli = Cli()

    assert cli.send("a") == ["a queued"]
    assert cli.say(INIT) == ["a started"]
    assert cli.say(echo("a")) == []
    assert cli.say(RESULT) == ["a completed"]


def test_a_prompt_during_a_turn_begins_where_it_is_echoed() -> None:
    cli = Cli()
    cli.send("a")
    cli.say(INIT)

    assert cli.send("b", "c") == ["b queued", "c queued"]
    assert cli.say(echo("b")) == ["b started"]
    assert cli.say(RESULT, INIT) == ["a completed", "b completed", "c started"]


def test_prompts_that_make_up_a_turn_begin_before_it_says_anything() -> None:
    """All but the last are echoed before its `init`, the last only with its answer."""
    cli = Cli()
    cli.send("a", "b", "c")

    assert cli.say(echo("a"), INIT) == ["a started", "b started"]
    assert cli.say(echo("b"), RESULT) == ["a completed", "b completed"]
    assert cli.say(INIT) == ["c started"]


def test_a_prompt_that_redirects_overtakes_those_that_wait() -> None:
    cli = Cli()
    cli.send("a")
    cli.say(INIT)
    cli.send("b")
    cli.send("c", priority="now")

    assert cli.say(RESULT, INIT) == ["a completed", "c started"]


def test_a_second_init_within_a_turn_begins_nothing() -> None:
    cli = Cli()
    cli.send("a")
    cli.say(INIT)
    cli.send("b")

    assert cli.say(INIT) == []


def test_a_withdrawn_prompt_never_begins() -> None:
    cli = Cli()
    cli.send("a")

    assert stages(cli.decoder.stages.withdrawn("a")) == ["a cancelled"]
    assert cli.say(INIT) == []
    assert cli.decoder.stages.withdrawn("a") == []


def test_what_the_cli_tells_itself_is_told_once_and_nothing_besides() -> None:
    cli = Cli()
    assert cli.send("a") == ["a queued"]

    assert cli.say(lifecycle("a", "queued"), lifecycle("a", "started")) == ["a started"]
    assert cli.say(INIT, echo("a"), RESULT) == []
    assert cli.say(lifecycle("a", "completed")) == ["a completed"]
    assert cli.send("b") == []
    assert cli.say(lifecycle("b", "queued")) == ["b queued"]


def test_an_unknown_stage_is_ignored() -> None:
    cli = Cli()
    cli.send("a")

    assert cli.say(lifecycle("a", "pondered")) == []
    assert cli.say(INIT) == ["a started"]


@pytest.mark.parametrize("name", ["queue", "priority_now", "priority_next_midtools"])
def test_a_recorded_cli_that_tells_stages_is_believed(name: str) -> None:
    told = [event for event in conversed(name) if isinstance(event, PromptChanged)]

    assert len(told) == len(set(told))
    assert {event.stage for event in told} <= set(PromptStage)


def test_a_recorded_cli_that_tells_none_is_understood() -> None:
    told = digest(event for event in conversed("cli197_queue") if isinstance(event, PromptChanged))

    assert told == [
        *("1 queued", "1 started", "2 queued", "3 queued", "4 queued", "4 cancelled", "5 queued"),
        *("1 completed", "5 started", "6 queued", "2 started", "3 started", "6 started"),
        *("5 completed", "2 completed", "3 completed", "6 completed"),
        *("7 queued", "7 started", "8 queued", "9 queued", "7 completed"),
        *("8 started", "9 started", "8 completed", "9 completed"),
    ]
