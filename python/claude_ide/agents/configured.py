"""The agents of the chat, from the options: Claude, the built-in agents, and the user's own."""

from collections.abc import Mapping
from pathlib import Path

from claude_ide.agents.acp import launch
from claude_ide.agents.acp.agent import Acp
from claude_ide.agents.acp.launch import LISTED, Remembered
from claude_ide.agents.agent import AgentKind
from claude_ide.agents.kinds import Kinds
from claude_ide.agents.stream_json.claude import Claude
from claude_ide.config import AgentConfig, Config


def configured(
    config: Config, environment: Mapping[str, str], logins: Path | None = None
) -> tuple[Kinds, list[str]]:
    """Return the agents, Claude first, and a line for each entry that cannot be used.

    `logins` is the file that remembers how the user has logged in to each.
    """
    entries, complaints = launch.entries(config.agents)
    remembered = Remembered(logins)
    kinds: list[AgentKind] = [Acp(entry, environment, remembered) for entry in entries]
    own = config.agents.get(Claude.id, AgentConfig())
    if isinstance(own, AgentConfig):
        kinds.insert(0, _claude(config, own, environment))
    chosen = config.chat.agent
    if chosen and chosen not in (kind.id for kind in kinds):
        complaints.append(f'g:claude_ide.chat.agent: there is no agent "{chosen}" ({LISTED})')
    asked = config.headless.agent
    if asked and asked not in (kind.id for kind in kinds):
        complaints.append(f'g:claude_ide.headless.agent: there is no agent "{asked}"')
    return Kinds(kinds, chosen), complaints


def _claude(config: Config, own: AgentConfig, environment: Mapping[str, str]) -> Claude:
    added = launch.full_environment(environment, own.env) if own.env else environment
    chat = config.chat
    return Claude(own.cmd or config.cmd, added, model=chat.model, mode=chat.mode)
