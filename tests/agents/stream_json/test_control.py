"""`connection.py`: requests, answers, refusals; the detection of features."""

import asyncio
from typing import Any

import pytest

from claude_ide.agents.stream_json.connection import ControlError, Controls
from claude_ide.base.errors import TransportClosed, UnsupportedError


class Cli:
    """The other side: keeps the frames it receives, and answers when a test calls `answer`."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.controls = Controls(self.receive)

    async def receive(self, frame: dict[str, Any]) -> None:
        self.sent.append(frame)

    async def ask(self, subtype: str, **fields: Any) -> asyncio.Task[dict[str, Any]]:
        """Start a request."""
        task = asyncio.create_task(self.controls.request(subtype, **fields))
        await asyncio.sleep(0)
        return task

    def answer(self, number: int, **response: Any) -> None:
        answered = {"request_id": self.sent[number]["request_id"], **response}
        self.controls.resolve({"type": "control_response", "response": answered})


async def test_each_request_gets_its_own_answer() -> None:
    cli = Cli()
    first, second = await cli.ask("set_model", model="m"), await cli.ask("get_settings")

    cli.answer(1, subtype="success", response={"b": 2})
    cli.answer(0, subtype="success", response={"a": 1})

    assert (await first, await second) == ({"a": 1}, {"b": 2})
    assert cli.sent[0]["request"] == {"subtype": "set_model", "model": "m"}


async def test_an_empty_success_is_an_answer() -> None:
    cli = Cli()
    asked = await cli.ask("rename_session")

    cli.answer(0, subtype="success")

    assert await asked == {}


async def test_a_refusal_has_its_code() -> None:
    cli = Cli()
    asked = await cli.ask("set_permission_mode", mode="nonsense")

    cli.answer(0, subtype="error", error="must be one of …", error_code="invalid_mode")

    with pytest.raises(ControlError, match="must be one of") as raised:
        await asked
    assert raised.value.code == "invalid_mode"


@pytest.mark.parametrize(
    "refusal",
    [
        {"error": "no", "error_code": "unsupported_request"},
        {"error": "Unsupported control request subtype: get_plan"},  # 2.1.197
    ],
)
async def test_a_request_that_the_cli_does_not_know_is_sent_only_once(
    refusal: dict[str, str],
) -> None:
    cli = Cli()
    asked = await cli.ask("get_plan")
    cli.answer(0, subtype="error", **refusal)
    with pytest.raises(UnsupportedError):
        await asked

    with pytest.raises(UnsupportedError):
        await cli.controls.request("get_plan")
    assert len(cli.sent) == 1
    assert cli.controls.unsupported == {"get_plan"}


async def test_late_and_foreign_answers_are_ignored() -> None:
    cli = Cli()
    asked = await cli.ask("get_settings")
    asked.cancel()
    await asyncio.wait([asked])

    cli.answer(0, subtype="success", response={})
    cli.controls.resolve({"response": {"request_id": "unknown", "subtype": "success"}})
    cli.controls.resolve({"response": None})

    assert asked.cancelled()


async def test_all_pending_requests_fail_when_the_cli_ends() -> None:
    cli = Cli()
    waiting = [await cli.ask("initialize"), await cli.ask("get_settings")]

    cli.controls.close()

    for asked in waiting:
        with pytest.raises(TransportClosed):
            await asked
