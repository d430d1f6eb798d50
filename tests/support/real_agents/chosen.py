"""The agents that the tests use: `CLAUDE_IDE_TEST_AGENTS` names them, or says `all`."""

import os
from collections.abc import Callable

import pytest

from support.real_agents.agent import Habits, RealAgent
from support.real_agents.catalog import AGENTS, FEW
from support.real_agents.install import is_installed


def chosen() -> list[RealAgent]:
    """Return the agents to test; without a choice those that `.ci/run` tests."""
    named = os.environ.get("CLAUDE_IDE_TEST_AGENTS", "").split() or FEW
    return list(AGENTS.values()) if "all" in named else [AGENTS[name] for name in named]


def each(fits: Callable[[Habits], bool] = lambda _habits: True) -> pytest.MarkDecorator:
    """Run a test with each agent that works without an account and has these habits."""
    return _with([agent for agent in chosen() if agent.tools and fits(agent.habits)])


def each_with(tool: str) -> pytest.MarkDecorator:
    """Run a test with each agent that has a tool: a field of `Tools`, such as `plan`."""
    return _with([agent for agent in chosen() if agent.tools and getattr(agent.tools, tool)])


def each_that_starts() -> pytest.MarkDecorator:
    """Run a test with every agent, also with those that need an account."""
    return _with(chosen())


def _with(agents: list[RealAgent]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("real_agent", agents, ids=lambda agent: agent.name)


def required(agent: RealAgent) -> RealAgent:
    """Return an installed agent; otherwise skip the test, or fail if it is a required one."""
    if not is_installed(agent):
        reason = f"{agent.name} is not installed: run `make agents AGENTS={agent.name}`"
        if agent.name in FEW and os.environ.get("CLAUDE_IDE_REQUIRE_CLI") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return agent
