"""Gemini's CLI, which speaks Google's own API."""

import json

from support.fake_api import tool_use
from support.real_agents.agent import Desk, Habits, RealAgent, Tools


def _configure(desk: Desk) -> dict[str, str]:
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"disableAutoUpdate": True, "disableUpdateNag": True},
        "model": {"name": "gemini-2.5-pro"},
    }
    desk.write(".gemini/settings.json", json.dumps(settings))
    return {
        "GEMINI_API_KEY": "none",
        "GOOGLE_GEMINI_BASE_URL": desk.url,
        "GEMINI_CLI_NO_RELAUNCH": "1",
    }


GEMINI = RealAgent(
    "gemini",
    ("@google/gemini-cli@0.61.0",),
    ("gemini", "--acp"),
    _configure,
    Tools(
        write=lambda path, text: tool_use("write_file", file_path=str(path), content=text),
        edit=lambda path, old, new: tool_use(
            "replace", file_path=str(path), old_string=old, new_string=new, instruction="change it"
        ),
        read=lambda path: tool_use("read_file", file_path=str(path)),
        run=lambda line: tool_use("run_shell_command", command=line, description="run it"),
    ),
    Habits(
        writes_here=True,
        reports_output=False,
        streams_output=False,
        begins_in_minutes=True,
        lists=False,
    ),
)
