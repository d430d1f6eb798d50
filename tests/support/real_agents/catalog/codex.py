"""Two adapters for Codex, which speaks OpenAI's responses."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from support.fake_api import Block, tool_use
from support.real_agents.agent import Configure, Desk, Habits, RealAgent, Tools, todos

CONFIG = """model = "gpt-5"
model_provider = "loop"
approval_policy = "{approval}"
sandbox_mode = "danger-full-access"
[model_providers.loop]
name = "loop"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "LOOP_KEY"
requires_openai_auth = false
[analytics]
enabled = false
"""


def _configure(approval: str) -> Configure:
    def configure(desk: Desk) -> dict[str, str]:
        text = CONFIG.format(approval=approval, url=desk.url)
        place = desk.write(".codex/config.toml", text)
        return {"LOOP_KEY": "none", "CODEX_HOME": str(place.parent)}

    return configure


def _run(line: str) -> Block:
    return tool_use("exec_command", cmd=line)


def _run_outside(line: str) -> Block:
    """Run a command outside the sandbox, for which the adapter asks."""
    return tool_use(
        "exec_command", cmd=line, sandbox_permissions="require_escalated", justification="to run it"
    )


def _ask(words: str, choices: Sequence[str]) -> Block:
    options = [{"label": choice, "description": ""} for choice in choices]
    questions = [{"id": "choice", "header": "Choice", "question": words, "options": options}]
    return tool_use("request_user_input", questions=questions)


def _patch(*lines: str) -> Block:
    text = "\n".join(("*** Begin Patch", *lines, "*** End Patch"))
    return _run(f"apply_patch <<'EOF'\n{text}\nEOF\n")


def _write(path: Path, text: str) -> Block:
    return _patch(f"*** Add File: {path}", *(f"+{line}" for line in text.splitlines()))


def _edit(path: Path, old: str, new: str) -> Block:
    return _patch(f"*** Update File: {path}", "@@", f"-{old}", f"+{new}")


def _plan(steps: Sequence[str]) -> Block:
    return tool_use("update_plan", plan=todos(steps, "step", ids=False))


def both(first: Path, text: str, second: Path, old: str, new: str) -> Block:
    """Use a tool that creates a file and edits another one."""
    return _patch(
        f"*** Add File: {first}",
        *(f"+{line}" for line in text.splitlines()),
        *(f"*** Update File: {second}", "@@", f"-{old}", f"+{new}"),
    )


TOOLS = Tools(write=_write, edit=_edit, run=_run, plan=_plan)
ZED = RealAgent(
    "codex-zed",
    ("@zed-industries/codex-acp@0.16.0",),
    ("codex-acp",),
    _configure("untrusted"),
    TOOLS,
    Habits(logs_out=True),
)
OPENAI = RealAgent(
    "codex",
    ("@agentclientprotocol/codex-acp@2.6.0",),
    ("codex-acp",),
    _configure("on-request"),
    replace(TOOLS, run=_run_outside, plan=None, ask=_ask),
    # In its first mode it has another model decide, which the stand-in cannot.
    Habits(
        mode="read-only",
        asks_in=("collaboration_mode", "plan"),
        ends_commands=False,
        takes_folders=True,
        logs_out=True,
    ),
)
