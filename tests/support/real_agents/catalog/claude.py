"""Three adapters for Claude's CLI; the CLI is the one that the other tests use."""

from dataclasses import replace

from support.claude_cli import KEY, cli_path
from support.fake_api import Block, tool_use
from support.real_agents.agent import Desk, Habits, RealAgent, Tools, question


def _configure(desk: Desk) -> dict[str, str]:
    return {
        "CLAUDE_CODE_EXECUTABLE": str(cli_path()),
        "CLAUDE_CONFIG_DIR": str(desk.home / "claude"),
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_BASE_URL": desk.url,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
        # Otherwise the tools of the adapter have to be searched for first.
        "ENABLE_TOOL_SEARCH": "false",
    }


TOOLS = Tools(
    write=lambda path, text: tool_use("Write", file_path=str(path), content=text),
    edit=lambda path, old, new: tool_use(
        "Edit", file_path=str(path), old_string=old, new_string=new
    ),
    run=lambda line: tool_use("Bash", command=line, description="run it"),
    read=lambda path: tool_use("Read", file_path=str(path)),
    ask=lambda words, choices: tool_use("AskUserQuestion", questions=question(words, choices)),
    propose=lambda plan: tool_use("ExitPlanMode", plan=plan),
)


NEWEST = RealAgent(
    "claude-agent",
    ("@agentclientprotocol/claude-agent-acp@0.101.0",),
    ("claude-agent-acp",),
    _configure,
    TOOLS,
    Habits(
        streams_output=False, saves_late=True, mode="default", takes_folders=True, logs_out=True
    ),
)
OLDER = RealAgent(
    "claude-0-49",
    ("@agentclientprotocol/claude-agent-acp@0.49.0",),
    ("claude-agent-acp",),
    _configure,
    TOOLS,
    Habits(streams_output=False, saves_late=True),
)


def _run(line: str) -> Block:
    """Run a command with a tool of the adapter, which has no defaults."""
    return tool_use(
        "Bash", command=line, description="run it", timeout=60_000, run_in_background=False
    )


OLDEST = RealAgent(
    "claude-code",
    ("@zed-industries/claude-code-acp@0.16.2",),
    ("claude-code-acp",),
    _configure,
    replace(TOOLS, ask=None, run=_run),
    Habits(writes_here=True, saves_late=True),
)
