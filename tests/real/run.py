"""Measures when requests to the model report diagnostics of the real CLI's edits.

Real language servers check the edits. A line is printed for each set of servers, permission mode
and focus. The exit status is 1 if something is reported late, never or wrongly.
"""

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

# Import the modules by the name of this folder, as everywhere in the tests.
sys.path[0] = str(Path(__file__).resolve().parents[1])

from real import table  # noqa: E402
from real.installed import lacking  # noqa: E402
from real.measure import measure  # noqa: E402
from real.scene import Scene  # noqa: E402
from real.scenes import SCENES  # noqa: E402
from real.session import is_cli_there  # noqa: E402
from support.neovim import NvimError, nvim_version  # noqa: E402

MODES = ("default", "acceptEdits")
FOCUS = ("file", "terminal", "chat")
SHORT = (
    ("basedpyright+ruff", "default", "terminal"),
    ("basedpyright+ruff", "acceptEdits", "chat"),
    ("nvim-lint", "acceptEdits", "file"),
)
"""The cells that `--short` runs."""

Cell = tuple[str, str, str]
"""The name of a scene, a permission mode, and the window with the focus."""


def arguments(scenes: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--servers", nargs="+", default=scenes, choices=scenes, metavar="NAME")
    parser.add_argument("--modes", nargs="+", default=MODES, choices=MODES, metavar="MODE")
    parser.add_argument("--focus", nargs="+", default=FOCUS, choices=FOCUS, metavar="PLACE")
    parser.add_argument("--short", action="store_true", help="run the least")
    parser.add_argument("--details", action="store_true", help="print every edit")
    parser.add_argument("--nvim-lint", type=Path, metavar="FOLDER", help="the plugin itself")
    return parser.parse_args()


def chosen(options: argparse.Namespace) -> Iterator[Cell]:
    """Yield the cells to run."""
    if options.short:
        yield from SHORT
        return
    for name in options.servers:
        for mode in options.modes:
            yield from ((name, mode, focus) for focus in options.focus)


async def run(scene: Scene, cell: Cell, options: argparse.Namespace) -> bool | None:
    """Measure and print one line of the table; return whether it passes, None if it was slow."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        try:
            outcomes = await measure(
                scene, cell[1], cell[2], Path(folder).resolve(), options.nvim_lint
            )
        except (AssertionError, TimeoutError, NvimError) as error:
            print(table.row(*cell, f"broke off: {error}"), flush=True)
            return None
    print(table.line(scene, cell[1], cell[2], outcomes), flush=True)
    if options.details or not table.passes(outcomes):
        print(table.details(outcomes), flush=True)
    if any(outcome.false() for outcome in outcomes):
        return False
    return table.passes(outcomes) or None


async def main() -> int:
    """Run the chosen cells, print the table, and return the exit status."""
    options = arguments([scene.name for scene in SCENES])
    if not is_cli_there():
        print("skipped, there is no Claude CLI")
        return int(os.environ.get("CLAUDE_IDE_REQUIRE_CLI") == "1")
    load = ", ".join(f"{load:.1f}" for load in os.getloadavg())
    print(f"{nvim_version()}, {os.cpu_count()} CPUs, load {load}\n\n{table.HEAD}", flush=True)
    failed = False
    for cell in chosen(options):
        (scene,) = [scene for scene in SCENES if scene.name == cell[0]]
        if missing := lacking(scene):
            print(table.row(*cell, f"skipped, there is no {', '.join(missing)}"), flush=True)
            continue
        passed = await run(scene, cell, options)
        if passed is None and options.short:
            passed = await run(scene, cell, options)  # the machine may have been busy
        failed = failed or not passed
    return int(failed)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
