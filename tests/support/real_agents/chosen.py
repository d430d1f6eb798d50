"""The agents that the tests use: `CLAUDE_IDE_TEST_AGENTS` names them, or says `all`."""

import os
from collections.abc import Callable

import pytest

from support.real_agents.agent import RealAgent
from support.real_agents.catalog import AGENTS, FEW
from support.real_agents.install import is_installed


def chosen() -> list[RealAgent]:
    """Return the agents to test; without a choice those that `.ci/run` tests."""
    named = os.environ.get("CLAUDE_IDE_TEST_AGENTS", "").split() or FEW
    return list(AGENTS.values()) if "all" in named else [AGENTS[name] for name in named]


def each(*habits: str) -> pytest.MarkDecorator:
    """Run a test with each agent that works without an account and has these habits.

    For one that lacks a habit the test is skipped, with the reason.
    """

    def reason(agent: RealAgent) -> str:
        wrong = [f"{name} is false" for name in habits if not getattr(agent.habits, name)]
        return f"{agent.name}: {', '.join(wrong)}" if wrong else ""

    return _with(_usable(), reason)


def each_with(tool: str) -> pytest.MarkDecorator:
    """Run a test with each agent that has a tool: a field of `Tools`, such as `plan`."""

    def reason(agent: RealAgent) -> str:
        return "" if getattr(agent.tools, tool) else f"{agent.name} has no tool for `{tool}`"

    return _with(_usable(), reason)


def each_locked() -> pytest.MarkDecorator:
    """Run a test with each agent that needs an account."""
    return _with(chosen(), lambda agent: f"{agent.name} needs no account" if agent.tools else "")


def each_that_starts() -> pytest.MarkDecorator:
    """Run a test with every agent, also with those that need an account."""
    return _with(chosen(), lambda _agent: "")


def _usable() -> list[RealAgent]:
    return [agent for agent in chosen() if agent.tools]


def _with(agents: list[RealAgent], reason: Callable[[RealAgent], str]) -> pytest.MarkDecorator:
    """Run a test with these agents, except those for which there is a reason to skip it."""
    return pytest.mark.parametrize(
        "real_agent",
        [
            pytest.param(agent, id=agent.name, marks=[pytest.mark.skip(why)] if why else [])
            for agent in agents
            for why in [reason(agent)]
        ],
    )


def required(agent: RealAgent) -> RealAgent:
    """Return an installed agent; otherwise skip the test, or fail if it is a required one."""
    if not is_installed(agent):
        reason = f"{agent.name} is not installed: run `make agents AGENTS={agent.name}`"
        if agent.name in FEW and os.environ.get("CLAUDE_IDE_REQUIRE_CLI") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return agent
