"""Agents from npm that speak to any model with the API of OpenAI's chat completions."""

import json

from support.fake_api import tool_use
from support.real_agents.agent import Desk, Habits, RealAgent, Tools, question, todos

NODE = "node@22.23.3"
"""For agents that need a newer Node than the machine may have."""


def _opencode(desk: Desk) -> dict[str, str]:
    model = {
        "name": "fake",
        "tool_call": True,
        "reasoning": True,
        "limit": {"context": 200_000, "output": 8_000},
    }
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Loop",
        "options": {"baseURL": f"{desk.url}/v1", "apiKey": "none"},
        "models": {"fake-model": model},
    }
    settings = {
        "autoupdate": False,
        "share": "disabled",
        "model": "loop/fake-model",
        "small_model": "loop/fake-model",
        "permission": {"edit": "ask", "bash": "ask"},
        "provider": {"loop": provider},
    }
    desk.write(".config/opencode/opencode.json", json.dumps(settings))
    return {
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    }


OPENCODE = RealAgent(
    "opencode",
    ("opencode-ai@1.18.33",),
    ("opencode", "acp"),
    _opencode,
    Tools(
        write=lambda path, text: tool_use("write", filePath=str(path), content=text),
        edit=lambda path, old, new: tool_use(
            "edit", filePath=str(path), oldString=old, newString=new
        ),
        read=lambda path: tool_use("read", filePath=str(path)),
        run=lambda line: tool_use("bash", command=line, description="run it"),
    ),
    Habits(writes_here=True),
)


def _qwen(desk: Desk) -> dict[str, str]:
    settings = {
        "security": {"auth": {"selectedType": "openai"}},
        "telemetry": {"enabled": False},
        "privacy": {"usageStatisticsEnabled": False},
        "model": {"name": "fake-model"},
    }
    desk.write(".qwen/settings.json", json.dumps(settings))
    return {
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": f"{desk.url}/v1",
        "OPENAI_MODEL": "fake-model",
    }


QWEN = RealAgent(
    "qwen",
    ("@qwen-code/qwen-code@0.15.10", NODE),
    ("qwen", "--acp"),
    _qwen,
    Tools(
        write=lambda path, text: tool_use("write_file", file_path=str(path), content=text),
        edit=lambda path, old, new: tool_use(
            "edit", file_path=str(path), old_string=old, new_string=new
        ),
        read=lambda path: tool_use("read_file", file_path=str(path)),
        run=lambda line: tool_use(
            "run_shell_command", command=line, description="run it", is_background=False
        ),
        plan=lambda steps: tool_use("todo_write", todos=todos(steps)),
        propose=lambda plan: tool_use("exit_plan_mode", plan=plan),
    ),
    Habits(writes_here=True, streams_output=False, saves_late=True),
)


def _copilot(desk: Desk) -> dict[str, str]:
    return {
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_PROVIDER_BASE_URL": f"{desk.url}/v1",
        "COPILOT_PROVIDER_API_KEY": "none",
        "COPILOT_MODEL": "fake-model",
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
    }


COPILOT = RealAgent(
    "copilot",
    ("@github/copilot@1.0.102", NODE),
    ("copilot", "--acp"),
    _copilot,
    Tools(
        write=lambda path, text: tool_use("create", path=str(path), file_text=text),
        edit=lambda path, old, new: tool_use("edit", path=str(path), old_str=old, new_str=new),
        read=lambda path: tool_use("view", path=str(path)),
        run=lambda line: tool_use("bash", command=line, description="run it"),
    ),
    Habits(mcp="http"),
)


KIMI_CONFIG = """default_model = "fake"
telemetry = false
auto_session_title = false
[providers.loop]
type = "openai"
base_url = "{url}/v1"
api_key = "none"
[models.fake]
provider = "loop"
model = "fake-model"
max_context_size = 200000
capabilities = ["thinking", "tool_use"]
"""


def _kimi(desk: Desk) -> dict[str, str]:
    desk.write(".kimi-code/config.toml", KIMI_CONFIG.format(url=desk.url))
    return {"KIMI_CODE_NO_AUTO_UPDATE": "1"}


KIMI = RealAgent(
    "kimi-code",
    ("@moonshot-ai/kimi-code@2.1.0", NODE),
    ("kimi", "acp"),
    _kimi,
    Tools(
        write=lambda path, text: tool_use("Write", path=str(path), content=text),
        edit=lambda path, old, new: tool_use(
            "Edit", path=str(path), old_string=old, new_string=new
        ),
        read=lambda path: tool_use("Read", path=str(path)),
        run=lambda line: tool_use("Bash", command=line),
        plan=lambda steps: tool_use("TodoList", todos=todos(steps, "title", ids=False)),
        ask=lambda words, choices: tool_use(
            "AskUserQuestion", questions=question(words, choices, "multi_select")
        ),
    ),
    Habits(writes_here=True, runs_here=True, saves_late=True),
)
