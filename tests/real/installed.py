"""Finds the installed language servers."""

import os
import shutil
from pathlib import Path

from real.scene import Scene
from support.neovim import ROOT

CACHE = ROOT / ".cache/real"
"""The folder into which `make real` installs."""


def search_path() -> str:
    """Return PATH with the installed programs first."""
    folders = ("python/env/bin", "node/node_modules/.bin", "rust/usr/bin")
    return ":".join([*(str(CACHE / folder) for folder in folders), os.environ["PATH"]])


def node_path() -> Path:
    """Return the folder in which the ESLint server finds ESLint."""
    return CACHE / "node/node_modules"


def lacking(scene: Scene) -> list[str]:
    """Return the programs that a scene needs and that are not installed."""
    return [name for name in scene.programs if not shutil.which(name, path=search_path())]
