"""Run the benchmarks and print the results as Markdown: `run.py [--quick] [name …]`."""

import argparse
import asyncio
import importlib
import os
import platform
import sys
from pathlib import Path

# Import the modules by the name of this folder: the standard library has some of the same names.
TESTS = Path(__file__).resolve().parents[1]
sys.path[:1] = [str(TESTS), str(TESTS.parent / "python")]

BENCHMARKS = (
    "startup",
    "server",
    "requests",
    "stdio",
    "cursor",
    "review",
    "growth",
    "open_files",
    "first_diff",
    "modules",
    "diff",
    "inline",
    "crowd",
    "accept",
    "next_diff",
    "quit",
    "memory",
    "chat",
    "acp",
    "lists",
    "diagnostics",
    "tools",
    "stalls",
    "status",
    "vim",
)


async def main() -> None:
    from bench.measure import Effort
    from support.neovim import nvim_version

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=", ".join(BENCHMARKS))
    parser.add_argument("--quick", action="store_true", help="a tenth of the runs")
    options = parser.parse_args()
    for name in options.names:
        if name not in BENCHMARKS:
            parser.error(f"no benchmark {name}; there are {', '.join(BENCHMARKS)}")
    load = ", ".join(f"{load:.1f}" for load in os.getloadavg())
    versions = f"{nvim_version()}, Python {platform.python_version()}"
    print(f"{versions}, {os.cpu_count()} CPUs, load {load}\n", flush=True)
    for name in options.names or BENCHMARKS:
        benchmark = importlib.import_module(f"bench.{name}")
        for table in await benchmark.run(Effort(0.1 if options.quick else 1.0)):
            print(table.markdown(), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
