"""Pi, which asks for no permission."""

import json

from support.fake_api import tool_use
from support.real_agents.agent import Desk, Habits, RealAgent, Tools
from support.real_agents.catalog.node import NODE


def _pi(desk: Desk) -> dict[str, str]:
    provider = {
        "baseUrl": f"{desk.url}/v1",
        "api": "openai-completions",
        "apiKey": "none",
        "models": [
            {
                "id": "fake-model",
                "name": "fake",
                "reasoning": True,
                "input": ["text"],
                "contextWindow": 200_000,
                "maxTokens": 8_000,
                "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
            }
        ],
    }
    settings = {"defaultProvider": "loop", "defaultModel": "fake-model"}
    desk.write(".pi/agent/models.json", json.dumps({"providers": {"loop": provider}}))
    desk.write(".pi/agent/settings.json", json.dumps(settings))
    return {"PI_OFFLINE": "1"}


PI = RealAgent(
    "pi",
    ("pi-acp@0.0.34", "@earendil-works/pi-coding-agent@0.87.1", NODE),
    ("pi-acp",),
    _pi,
    Tools(
        write=lambda path, text: tool_use("write", path=str(path), content=text),
        edit=lambda path, old, new: tool_use(
            "edit", path=str(path), edits=[{"oldText": old, "newText": new}]
        ),
        read=lambda path: tool_use("read", path=str(path)),
        run=lambda line: tool_use("bash", command=line),
    ),
    Habits(asks_to_edit=False, asks_to_run=False, shows_servers=False),
)
