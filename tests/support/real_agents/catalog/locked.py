"""Agents that start a session only for an account."""

from support.real_agents.agent import Desk, RealAgent
from support.real_agents.catalog.node import NODE


def _cline(_desk: Desk) -> dict[str, str]:
    return {"CLINE_TELEMETRY_DISABLED": "1"}


CLINE = RealAgent(
    "cline", ("cline@3.0.65", NODE), ("cline", "--acp"), _cline, refusal="Authentication required"
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
