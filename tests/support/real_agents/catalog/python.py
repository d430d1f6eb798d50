"""Agents from PyPI that speak to any model with the API of OpenAI's chat completions."""

from support.fake_api import tool_use
from support.real_agents.agent import Desk, Habits, RealAgent, Tools, question, todos

KIMI_CONFIG = """default_model = "fake"
[models.fake]
provider = "loop"
model = "fake-model"
max_context_size = 200000
[providers.loop]
type = "kimi"
base_url = "{url}/v1"
api_key = "none"
"""
VIBE_CONFIG = """active_model = "fake"
enable_telemetry = false
enable_update_checks = false
[[providers]]
name = "loop"
api_base = "{url}/v1"
api_key_env_var = "LOOP_KEY"
api_style = "openai"
backend = "generic"
[[models]]
name = "fake-model"
provider = "loop"
alias = "fake"
input_price = 0.4
output_price = 2.0
"""
FAST_CONFIG = """default_model: generic.fake-model
generic:
  api_key: none
  base_url: {url}/v1
logger:
  type: none
"""
HERMES_CONFIG = """model:
  default: fake-model
  provider: custom
  base_url: {url}/v1
  api_key: none
"""


def _kimi(desk: Desk) -> dict[str, str]:
    desk.write(".kimi/config.toml", KIMI_CONFIG.format(url=desk.url))
    return {"KIMI_CLI_NO_AUTO_UPDATE": "1"}


KIMI = RealAgent(
    "kimi",
    ("kimi-cli==1.5",),
    ("kimi", "acp"),
    _kimi,
    Tools(
        write=lambda path, text: tool_use("WriteFile", path=str(path), content=text),
        edit=lambda path, old, new: tool_use(
            "StrReplaceFile", path=str(path), edit={"old": old, "new": new}
        ),
        read=lambda path: tool_use("ReadFile", path=str(path)),
        run=lambda line: tool_use("Shell", command=line),
        plan=lambda steps: tool_use("SetTodoList", todos=todos(steps, "title")),
    ),
    Habits(writes_here=True, runs_here=True, repeats=False),
    is_python=True,
)


def _vibe(desk: Desk) -> dict[str, str]:
    desk.write(".vibe/config.toml", VIBE_CONFIG.format(url=desk.url))
    desk.write(".vibe/trusted_folders.toml", f'trusted = ["{desk.project}"]\nuntrusted = []\n')
    return {"LOOP_KEY": "none", "MISTRAL_API_KEY": "none"}


VIBE = RealAgent(
    "vibe",
    ("mistral-vibe==3.0.2",),
    ("vibe-acp",),
    _vibe,
    Tools(
        write=lambda path, text: tool_use("write_file", file_path=str(path), content=text),
        edit=lambda path, old, new: tool_use(
            "edit", file_path=str(path), old_string=old, new_string=new
        ),
        read=lambda path: tool_use("read_file", path=str(path)),
        run=lambda line: tool_use("bash", command=line),
        plan=lambda steps: tool_use("todo", action="write", todos=todos(steps, priority="high")),
        ask=lambda words, choices: tool_use(
            "ask_user_question", questions=question(words, choices)
        ),
    ),
    # Its model has to search for the tools of servers.
    Habits(streams_output=False, mode="ask", shows_servers=False),
    is_python=True,
)


def _fast_agent(desk: Desk) -> dict[str, str]:
    (desk.project / "fastagent.config.yaml").write_text(FAST_CONFIG.format(url=desk.url))
    return {"GENERIC_API_KEY": "none", "GENERIC_BASE_URL": f"{desk.url}/v1"}


FAST_AGENT = RealAgent(
    "fast-agent",
    ("fast-agent-mcp==0.10.46",),
    ("fast-agent-acp", "--model", "generic.moonshotai/kimi-k2-thinking", "-x"),
    _fast_agent,
    Tools(
        write=lambda path, text: tool_use("write_text_file", path=str(path), content=text),
        edit=lambda path, old, new: tool_use(
            "write_text_file", path=str(path), content=path.read_text().replace(old, new)
        ),
        run=lambda line: tool_use("execute", command=line),
    ),
    Habits(writes_here=True, runs_here=True, edits_parts=False),
    is_python=True,
)


def _hermes(desk: Desk) -> dict[str, str]:
    desk.write(".hermes/config.yaml", HERMES_CONFIG.format(url=desk.url))
    desk.write(".hermes/.env", "OPENAI_API_KEY=none\n")
    return {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{desk.url}/v1"}


HERMES = RealAgent(
    "hermes",
    ("hermes-agent[acp,mcp]==0.19.0",),
    ("hermes-acp",),
    _hermes,
    Tools(
        write=lambda path, text: tool_use("write_file", path=str(path), content=text),
        edit=lambda path, old, new: tool_use(
            "patch", path=str(path), old_string=old, new_string=new
        ),
        read=lambda path: tool_use("read_file", path=str(path)),
        run=lambda line: tool_use("terminal", command=line),
        plan=lambda steps: tool_use("todo", todos=todos(steps)),
    ),
    Habits(asks_to_run=False, streams_output=False, ends_commands=False),
    is_python=True,
)
