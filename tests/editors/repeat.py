"""Rounds that found a fault, written as scripts that repeat them."""

import asyncio
import hashlib
import pprint
import sys
import tempfile
from pathlib import Path
from typing import Any

from editors.rules import Fault
from editors.world import World
from support.neovim import ROOT

FOLDER = ROOT / ".cache" / "soak"

SCRIPT = '''"""{reason}

From the checkout: PYTHONPATH=python:tests .venv/bin/python {name} [times]
"""

from editors.repeat import repeat

repeat(
    plugins={plugins!r},
    layout={layout!r},
    side={side!r},
    steps={steps},
)
'''


def write(world: World, fault: Fault) -> Path:
    """Write the script of a failed round, unless there is a shorter one for the same fault."""
    reason = str(fault).replace("\\", "\\\\").replace('"""', "'''")
    kind = hashlib.sha256(signature(fault).encode()).hexdigest()[:8]
    path = FOLDER / f"fault_{kind}.py"
    script = SCRIPT.format(
        reason=reason,
        name=path.relative_to(ROOT),
        plugins=world.plugins,
        layout=world.layout,
        side=world.side,
        steps=pprint.pformat(world.steps, indent=4, width=90),
    )
    FOLDER.mkdir(parents=True, exist_ok=True)
    if not path.exists() or len(script) < len(path.read_text(encoding="utf-8")):
        path.write_text(script, encoding="utf-8")
    return path


def signature(fault: Fault) -> str:
    """The part of a fault's message that faults of the same kind share."""
    first = str(fault).partition("\n")[0]
    return "".join("0" if letter.isdigit() else letter for letter in first)[:60]


async def play(world: World, steps: list[tuple[Any, ...]]) -> None:
    """Start an editor and carry out the steps."""
    try:
        await world.start()
        for name, *values in steps:
            await world.do(name, *values)
    finally:
        await world.stop()


def repeat(plugins: tuple[str, ...], layout: str, side: str, steps: list[tuple[Any, ...]]) -> None:
    """Repeat a round once, or as often as the command line says, and print each fault."""
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    faults = 0
    for _ in range(times):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            world = World(Path(folder).resolve(), plugins, layout, side)
            try:
                asyncio.run(play(world, steps))
            except Fault as fault:
                faults += 1
                print(f"step {len(world.steps)}, {world.steps[-1:]}: {fault}")
    print(f"{faults} of {times} rounds failed")
    sys.exit(1 if faults else 0)
