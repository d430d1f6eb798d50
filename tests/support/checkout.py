"""The plugin as users have it: a checkout without a development environment."""

import shutil
from pathlib import Path

from support.neovim import ROOT

FOLDERS = ("autoload", "lua", "plugin", "python", "rplugin")


def copy_plugin(target: Path) -> Path:
    """Copy the files that Neovim and its host need into `target`."""
    for folder in FOLDERS:
        shutil.copytree(
            ROOT / folder, target / folder, ignore=shutil.ignore_patterns("__pycache__")
        )
    shutil.copy(ROOT / "pyproject.toml", target)
    return target


def arguments(checkout: Path) -> list[str]:
    """Return the arguments by which a Neovim uses that copy, without options."""
    return [
        *["--cmd", f"set runtimepath-={ROOT} runtimepath^={checkout}"],
        *["--cmd", "unlet g:claude_ide"],
    ]


def program(path: Path, script: str) -> Path:
    """Write an executable shell script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path
