"""`terminal/*`: real commands, their bounded output, and their end with all descendants."""

import asyncio
import os
import sys
import uuid
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from claude_ide.agents.acp import terminals
from claude_ide.agents.acp.connection import NOT_FOUND
from claude_ide.agents.acp.terminals import AgentTerminals
from claude_ide.base.errors import RpcError
from support.neovim import ROOT, until
from support.processes import started_with

ENDLESS = "while :; do sleep 0.05; done"


class Shown:
    """The terminals of an agent, and what the user has seen of each."""

    def __init__(self, folder: Path) -> None:
        self.seen: dict[str, list[str]] = {}
        environment = {"PATH": os.environ["PATH"], "SHELL": "/bin/sh", "KEPT": "kept"}
        self.terminals = AgentTerminals(folder, environment, self._changed)

    def _changed(self, terminal: str, text: str) -> None:
        self.seen.setdefault(terminal, []).append(text)

    async def create(self, command: str, **more: Any) -> dict[str, Any]:
        """Create a terminal; return the parameters that name it."""
        return await self.terminals.create({"sessionId": "s", "command": command, **more})

    async def run(self, command: str, **more: Any) -> dict[str, Any]:
        """Run a command to its end; return its output."""
        terminal = await self.create(command, **more)
        await self.terminals.find(terminal).status()
        return await self.terminals.find(terminal).state()


@pytest.fixture
async def shown(tmp_path: Path) -> AsyncIterator[Shown]:
    shown = Shown(tmp_path)
    yield shown
    shown.terminals.close()
    await until(lambda: not shown.terminals._running, "all have ended")


def exited(code: int) -> dict[str, Any]:
    return {"exitCode": code, "signal": None}


async def test_a_line_without_arguments_runs_in_a_shell_in_the_session_s_folder(
    shown: Shown, tmp_path: Path
) -> None:
    ran = await shown.run("pwd && echo bad >&2; exit 3")

    assert ran == {
        "output": f"{tmp_path.resolve()}\nbad\n",
        "truncated": False,
        "exitStatus": exited(3),
    }


async def test_a_program_gets_its_arguments_its_folder_and_its_environment(
    shown: Shown, tmp_path: Path
) -> None:
    (tmp_path / "inner").mkdir()
    code = "import os, sys; print(sys.argv[1:], os.getcwd(), os.environ['KEPT'], os.environ['NEW'])"

    ran = await shown.run(
        sys.executable,
        args=["-c", code, "a b", "$HOME"],
        cwd=str(tmp_path / "inner"),
        env=[{"name": "NEW", "value": "new"}],
    )

    assert ran["output"] == f"['a b', '$HOME'] {tmp_path.resolve()}/inner kept new\n"


async def test_a_program_is_found_on_the_path_that_the_agent_gives(
    shown: Shown, tmp_path: Path
) -> None:
    program = tmp_path / "bin" / "greet"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho hello $1\n")
    program.chmod(0o755)

    path = {"name": "PATH", "value": str(program.parent)}
    ran = await shown.run("greet", args=["you"], env=[path])

    assert ran["output"] == "hello you\n"


async def test_a_command_gets_no_input(shown: Shown) -> None:
    assert (await shown.run("cat; echo over"))["output"] == "over\n"


async def test_the_output_so_far_is_there_while_the_command_runs(shown: Shown) -> None:
    terminal = await shown.create(f"echo one; {ENDLESS}")

    async def has_printed() -> bool:
        return bool((await shown.terminals.find(terminal).state())["output"] == "one\n")

    await until(has_printed)

    assert "exitStatus" not in await shown.terminals.find(terminal).state()


@pytest.mark.parametrize("limit", [0, 1, 2, 3, 4, 5, 6, 7])
async def test_the_end_of_a_long_output_is_kept_and_cut_between_characters(
    shown: Shown, limit: int
) -> None:
    ran = await shown.run("printf 'abc€ü'", outputByteLimit=limit)

    assert ran["output"] == {3: "ü", 4: "ü", 5: "€ü", 6: "c€ü", 7: "bc€ü"}.get(
        limit, "ü"[limit < 2 :]
    )
    assert ran["truncated"]


async def test_an_output_of_exactly_the_limit_is_not_cut(shown: Shown) -> None:
    ran = await shown.run("printf 'abc€ü'", outputByteLimit=8)

    assert (ran["output"], ran["truncated"]) == ("abc€ü", False)


async def test_a_character_that_arrives_in_two_pieces_is_whole(shown: Shown) -> None:
    ran = await shown.run(r"printf 'a\342'; sleep 0.2; printf '\202\254'; printf '\377'")

    assert ran["output"] == "a€\N{REPLACEMENT CHARACTER}"


async def test_replaced_bytes_do_not_exceed_the_limit(shown: Shown) -> None:
    ran = await shown.run(r"printf '\377\377\377\377'", outputByteLimit=7)

    assert ran["output"] == "\N{REPLACEMENT CHARACTER}" * 2
    assert ran["truncated"]


async def test_endless_output_stays_within_the_limit(shown: Shown) -> None:
    terminal = await shown.create("yes", outputByteLimit=1000)

    async def is_cut() -> bool:
        return bool((await shown.terminals.find(terminal).state())["truncated"])

    await until(is_cut)
    await shown.terminals.kill(terminal)
    await shown.terminals.find(terminal).status()

    assert len((await shown.terminals.find(terminal).state())["output"]) == 1000


async def test_a_killed_command_keeps_its_output_and_names_its_signal(shown: Shown) -> None:
    terminal = await shown.create("echo one; exec sleep 100")
    await until(lambda: shown.seen)

    assert await shown.terminals.kill(terminal) == {}
    status = await shown.terminals.find(terminal).status()

    assert status == {"exitCode": None, "signal": "SIGTERM"}
    assert (await shown.terminals.find(terminal).state())["output"] == "one\n"


async def test_a_command_that_ignores_the_end_is_killed(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("claude_ide.transport.process.GRACE_SECONDS", 0.1)
    terminal = await shown.create(f"trap '' INT TERM HUP; echo on; {ENDLESS}")
    await until(lambda: shown.seen)

    await shown.terminals.kill(terminal)

    assert (await shown.terminals.find(terminal).status())["signal"] == "SIGKILL"


@pytest.mark.parametrize("end", ["kill", "release", "close"])
async def test_everything_that_a_command_has_started_ends_with_it(shown: Shown, end: str) -> None:
    name = uuid.uuid4().hex
    terminal = await shown.create(f"export NAME={name}; sleep 100 & (sleep 100) & sleep 100; true")
    await until(lambda: len(started_with(name)) >= 3)

    if end == "close":
        shown.terminals.close()
    else:
        await getattr(shown.terminals, end)(terminal)

    await until(lambda: not started_with(name), "all have ended")


async def test_a_background_command_runs_until_its_terminal_is_released(shown: Shown) -> None:
    name = uuid.uuid4().hex
    terminal = await shown.create(f"NAME={name} sleep 100 >/dev/null 2>&1 & echo started")
    assert await shown.terminals.find(terminal).status() == exited(0)
    assert started_with(name)

    await shown.terminals.release(terminal)

    await until(lambda: not started_with(name), "it has ended")


async def test_a_command_ends_when_the_host_is_killed(tmp_path: Path) -> None:
    name = uuid.uuid4().hex
    code = f"""
import asyncio, os, pathlib
from claude_ide.agents.acp.connection import NOT_FOUND
from claude_ide.agents.acp.terminals import Terminals

async def main():
    terminals = Terminals(pathlib.Path("."), dict(os.environ), lambda *_: None)
    await terminals.create({{"command": "echo; NAME={name} sleep 100; true"}})
    await asyncio.sleep(100)

asyncio.run(main())
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    command = [sys.executable, "-c", code]
    host = await asyncio.create_subprocess_exec(*command, cwd=tmp_path, env=environment)
    await until(lambda: started_with(name), "it runs")

    host.kill()
    await host.wait()

    await until(lambda: not started_with(name), "it has ended")


async def test_a_wait_ends_when_the_terminal_is_released(shown: Shown) -> None:
    terminal = await shown.create("exec sleep 100")
    waiting = asyncio.create_task(shown.terminals.find(terminal).status())
    await asyncio.sleep(0)

    await shown.terminals.release(terminal)

    assert (await waiting)["signal"] == "SIGTERM"
    with pytest.raises(RpcError, match="terminalId: there is no terminal term_0"):
        await shown.terminals.find(terminal).state()


async def test_the_user_sees_new_output_at_a_bounded_rate_and_size(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminals, "SHOWN_BYTES", 10)
    terminal = await shown.create("for n in $(seq 100 999); do echo $n; done; echo over")
    await shown.terminals.find(terminal).status()

    seen = shown.seen.setdefault("term_0", [])
    await until(lambda: seen and seen[-1].endswith("over\n"))

    assert len(seen) < 100
    assert all(len(text) <= 10 for text in seen)


async def test_nothing_starts_any_more_after_the_end_of_the_agent(shown: Shown) -> None:
    name = uuid.uuid4().hex
    shown.terminals.close()

    await shown.create(f"NAME={name} sleep 100; true")

    await until(lambda: not started_with(name), "it has ended")


@pytest.mark.parametrize(
    ("params", "problem"),
    [
        ({}, "required field `command`"),
        ({"command": " "}, r"at `\$.command`"),
        ({"command": "no-such-program", "args": ["x"]}, "command: no-such-program: No such file"),
        ({"command": "ls", "args": ["a\0b"]}, "command: ls: embedded null byte"),
        ({"command": "ls", "args": "x"}, r"at `\$.args`"),
        ({"command": "ls", "cwd": "inner"}, "cwd: inner: not an absolute path"),
        ({"command": "ls", "cwd": "/no/such"}, "cwd: /no/such: no such folder"),
        ({"command": "ls", "env": {"A": "b"}}, r"at `\$.env`"),
        ({"command": "ls", "env": [{"name": "A=", "value": ""}]}, r"at `\$.env\[0\].name`"),
        ({"command": "ls", "outputByteLimit": -1}, r"at `\$.outputByteLimit`"),
        ({"command": "ls", "outputByteLimit": True}, r"at `\$.outputByteLimit`"),
    ],
)
async def test_a_bad_parameter_is_named(shown: Shown, params: dict[str, Any], problem: str) -> None:
    with pytest.raises(RpcError, match=problem):
        await shown.terminals.create(params)


async def test_an_unknown_terminal_is_named(shown: Shown) -> None:
    for method in (shown.terminals.kill, shown.terminals.release):
        with pytest.raises(RpcError, match="terminalId: there is no terminal term_9") as refused:
            await method({"terminalId": "term_9"})
        assert refused.value.code == NOT_FOUND


async def test_too_many_terminals_are_refused(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminals, "MOST_TERMINALS", 1)
    first = await shown.create("true")
    with pytest.raises(RpcError, match="1 terminals are open"):
        await shown.create("true")

    await shown.terminals.release(first)

    await shown.create("true")


async def test_a_shell_that_reads_another_language_is_not_used(tmp_path: Path) -> None:
    fish = tmp_path / "fish"
    fish.write_text("#!/bin/sh\necho fish\n")
    fish.chmod(0o755)
    terminals = AgentTerminals(tmp_path, {"SHELL": str(fish)}, lambda *_: None)

    terminal = await terminals.create({"command": "echo $((1 + 1))"})
    await terminals.find(terminal).status()

    assert (await terminals.find(terminal).state())["output"] == "2\n"
    terminals.close()
