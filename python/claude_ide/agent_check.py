"""The part of `:checkhealth` about other agents: installed, and able to speak the protocol."""

import asyncio
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from claude_ide.agents.acp.decoding.capabilities import Offer
from claude_ide.agents.acp.kind import Acp
from claude_ide.agents.agent import Kind
from claude_ide.check import Finding
from claude_ide.errors import AgentError

SECONDS = 20.0
"""How long an agent may take to answer."""

AT_ONCE = 3
"""The number of agents that are started at once; some need seconds of CPU."""


async def check(kinds: Sequence[Kind], configured: Sequence[str]) -> list[Finding]:
    """Return what is known about each agent; `configured` are the ids of the user's entries."""
    others = [kind for kind in kinds if isinstance(kind, Acp)]
    missing = [kind for kind in others if kind.missing()]
    slots = asyncio.Semaphore(AT_ONCE)
    with tempfile.TemporaryDirectory() as empty:
        installed = [kind for kind in others if kind not in missing]
        answers = [_answer(kind, Path(empty), slots) for kind in installed]
        found = zip(installed, await asyncio.gather(*answers), strict=True)
        findings = [_judged(finding, kind.id in configured) for kind, finding in found]
    wanted = [kind for kind in missing if kind.id in configured]
    findings += [Finding("warn", kind.missing()) for kind in wanted]
    rest = ", ".join(kind.id for kind in missing if kind not in wanted)
    hint = "see :help claude-ide-agents-list"  # at the end: a link takes all up to a space
    return findings + ([Finding("info", f"Not installed: {rest}; {hint}")] if rest else [])


async def _answer(kind: Acp, folder: Path, slots: asyncio.Semaphore) -> Finding:
    """Start an agent in an empty folder, where there is nothing that it could run."""
    async with slots:
        began = time.monotonic()
        where = f"{kind.id}: {kind.program}"
        try:
            offer = await asyncio.wait_for(kind.probe(folder), SECONDS)
        except AgentError as error:
            return Finding("error", f"{where}: {error}")
        except TimeoutError:
            return Finding("error", f"{where} has not answered within {SECONDS:.0f} s")
        seconds = time.monotonic() - began
        return Finding("ok", f"{where}: {_named(offer)} answers within {seconds:.1f} s")


def _judged(finding: Finding, is_wanted: bool) -> Finding:
    """Return a milder finding for a program that may only have the name of an agent."""
    if finding.level == "error" and not is_wanted:
        return Finding("warn", finding.text)
    return finding


def _named(offer: Offer) -> str:
    return " ".join(filter(None, (offer.name, offer.agent_version))) or "an agent without a name"
