"""Agents that start a session only for an account, or for none here."""

import json

from support.real_agents.agent import Desk, RealAgent
from support.real_agents.catalog.node import NODE


def _cline(_desk: Desk) -> dict[str, str]:
    return {"CLINE_TELEMETRY_DISABLED": "1"}


CLINE = RealAgent(
    "cline",
    ("cline@3.0.65", NODE),
    ("cline", "--acp", "--auto-approve", "false"),
    _cline,
    refusal="Authentication required",
)


def _auggie(_desk: Desk) -> dict[str, str]:
    return {}


AUGGIE = RealAgent(
    "auggie",
    ("@augmentcode/auggie@0.36.0", NODE),
    ("auggie", "--acp"),
    _auggie,
    refusal="Authentication required",
)


def _pi(desk: Desk) -> dict[str, str]:
    provider = {
        "baseUrl": f"{desk.url}/v1",
        "api": "openai-completions",
        "apiKey": "none",
        "models": [
            {
                "id": "fake-model",
                "name": "fake",
                "reasoning": False,
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
    ("pi-acp@0.0.34", "@earendil-works/pi-coding-agent@0.74.2", NODE),
    ("pi-acp",),
    _pi,
)
