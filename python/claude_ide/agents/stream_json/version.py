"""The version of the CLI, for messages about one that is too old."""

import asyncio
import contextlib

from msgspec.structs import replace

from claude_ide.agents.stream_json.wire.launch import Launch
from claude_ide.transport.process import Child

UNKNOWN_OPTION = "unknown option"
"""The CLI's message on stderr, followed by the option, when it does not know one of ours."""

SECONDS = 5.0
"""How long the CLI may take to print its version."""


async def too_old(launch: Launch, complaint: str) -> str:
    """Return the message for a CLI that does not know an option, with its complaint on stderr."""
    version = await _version(launch)
    name = version or "this version"
    complaint = complaint.removeprefix("error: ")
    return f"Claude Code could not start: {name} is too old: {complaint}; update it"


async def _version(launch: Launch) -> str:
    """Return the version that the CLI prints, such as `2.1.330`; empty if it prints none."""
    plain = replace(launch, arguments=())
    with contextlib.suppress(OSError, TimeoutError):
        child = await Child.spawn(
            [*plain.command, "--version"],
            cwd=plain.cwd,
            environment=await plain.child_environment(),
        )
        try:
            async with asyncio.timeout(SECONDS):
                async for line in child.lines():
                    return line.decode("utf-8", "replace").split()[0]
        finally:
            await child.stop()
    return ""
