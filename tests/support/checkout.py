"""The plugin as its users have it: a checkout without the developers' environment in it."""

import shutil
from pathlib import Path

from support.neovim import ROOT

FOLDERS = ("lua", "plugin", "python", "rplugin")


def copy_plugin(target: Path) -> Path:
    """Copy what Neovim and its host need into `target`."""
    for folder in FOLDERS:
        shutil.copytree(
            ROOT / folder, target / folder, ignore=shutil.ignore_patterns("__pycache__")
        )
    shutil.copy(ROOT / "pyproject.toml", target)
    return target


def arguments(checkout: Path) -> list[str]:
    """Have a Neovim of `support.neovim` use that copy, and no option be set."""
    return [
        *["--cmd", f"set runtimepath-={ROOT} runtimepath^={checkout}"],
        *["--cmd", "unlet g:claude_ide"],
    ]


def program(path: Path, script: str) -> Path:
    """Make an executable of a shell script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path
