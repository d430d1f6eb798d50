"""`make try`: opens Neovim in a scratch project, with the plugin but without the user's config.

`launch.py FOLDER [--claude] [--nvim=PATH]`: the terminal runs the demo, or the real CLI with
`--claude`; `--nvim` is the path of Neovim.
"""

import argparse
import json
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from demo import scratch

HERE = Path(__file__).resolve().parent


def main(arguments: list[str]) -> str | None:
    """Replace this process by Neovim, or return why that is not possible."""
    wanted = _wanted(arguments)
    if wanted.nvim is None:
        return "no Neovim; `make clean`, then `make try` again"
    folder = wanted.folder.resolve()
    options: dict[str, object] = {"python": sys.executable}
    environment = dict(os.environ)
    if wanted.claude:
        if shutil.which("claude") is None:
            return "no `claude` on PATH; npm install -g @anthropic-ai/claude-code"
        # In other modes the CLI edits without asking.
        options["cmd"] = ["claude", "--permission-mode", "default"]
    else:
        options["cmd"] = [sys.executable, "-I", str(HERE)]
        # The demo writes nothing into the user's folders. The real CLI needs them.
        environment["XDG_DATA_HOME"] = str(folder / "data")
        environment["XDG_STATE_HOME"] = str(folder / "state")
        environment["CLAUDE_CONFIG_DIR"] = str(folder / "claude")
    if problem := _terminal_problem(os.environ):
        return problem
    project = folder / "project"
    scratch.make(project)
    os.chdir(project)
    # A Vimscript string, in which quotes are doubled.
    encoded = json.dumps(options).replace("'", "''")
    command = [wanted.nvim, "--clean", "-n", "-u", str(HERE / "init.lua")]
    command += ["--cmd", f"let g:claude_ide = json_decode('{encoded}')", "shop.py"]
    os.execve(wanted.nvim, command, environment)


def _terminal_problem(environment: Mapping[str, str]) -> str | None:
    """Return why Neovim, which would wait forever or draw garbage, cannot be used here."""
    # Python has no objects for closed streams.
    if not all(map(os.isatty, (0, 1))):
        return "make try needs a terminal; here, its input or its output is something else"
    if environment.get("TERM") == "dumb":
        return "make try needs a terminal that can move the cursor; here, TERM is dumb"
    return None


def _wanted(arguments: list[str]) -> argparse.Namespace:
    beside = Path(sys.executable).with_name("nvim")
    nvim = str(beside) if beside.exists() else shutil.which("nvim")
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--claude", action="store_true")
    parser.add_argument("--nvim", default=nvim)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
