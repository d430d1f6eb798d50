"""The agents that the tests know, by name, in the order in which `make real` tries them."""

from support.real_agents.agent import RealAgent
from support.real_agents.catalog import claude, codex, gemini, locked, node, pi, python

AGENTS: dict[str, RealAgent] = {
    agent.name: agent
    for agent in (
        *(node.OPENCODE, codex.ZED, python.KIMI, gemini.GEMINI, python.VIBE),
        *(claude.NEWEST, claude.OLDER, claude.OLDEST),
        *(node.KIMI, node.QWEN, codex.OPENAI, node.COPILOT, python.FAST_AGENT, python.HERMES),
        *(pi.PI, locked.CLINE, locked.AUGGIE),
    )
}
FEW = ("codex-zed",)
"""The agents that are installed fastest and start fastest."""
