"""A turn with very many tool calls."""

from claude_ide.agents.acp.tools import ToolCalls
from claude_ide.agents.events import ToolInput
from support.acp import script as acp
from support.acp.script import Script
from support.acp.talk import Begin
from support.cpu_time import is_linear

MOST = 100


def test_decoding_many_calls_takes_linear_time() -> None:
    def decode(count: int) -> None:
        tools = ToolCalls("/p")
        for number in range(count):
            call = {"sessionUpdate": "tool_call", "toolCallId": f"t{number}", "kind": "execute"}
            done = {"sessionUpdate": "tool_call_update", "toolCallId": f"t{number}"}
            for update in (
                {**call, "rawInput": {"command": f"make {number}"}},
                {**done, "status": "completed"},
            ):
                for event in tools.update(update):
                    assert not isinstance(event, ToolInput) or tools.find(event.tool)
                assert tools.of_terminal("term_0", "make nothing") is None

    assert is_linear(decode, 8_000)


async def test_terminals_are_forgotten(begin: Begin) -> None:
    kept = acp.ask("terminal/create", command="cat /dev/zero | tail -c 0; read line")
    used = [
        step
        for number in range(MOST + 5)
        for step in (
            acp.ask("terminal/create", command=f"echo {number}"),
            acp.ask("terminal/wait_for_exit", terminalId=f"term_{number}"),
            acp.ask("terminal/release", terminalId=f"term_{number}"),
        )
    ]
    talk = await begin(Script(prompt=[[*used, acp.say("x")], [kept], []]))

    await talk.turn("one")
    assert len(talk.agent._serving._shown) == 0
    await talk.turn("two")
    assert len(talk.agent._serving._shown) == 1
