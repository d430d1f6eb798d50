"""Where the language servers are, and which of them are there."""

import os
import shutil
from pathlib import Path

from real.scene import Scene
from support.neovim import ROOT

CACHE = ROOT / ".cache/real"
"""What `make real` installs."""


def search_path() -> str:
    """PATH with what has been installed in front."""
    folders = ("python/env/bin", "node/node_modules/.bin", "rust/usr/bin")
    return ":".join([*(str(CACHE / folder) for folder in folders), os.environ["PATH"]])


def node_path() -> Path:
    """Where the ESLint server finds ESLint."""
    return CACHE / "node/node_modules"


def lacking(scene: Scene) -> list[str]:
    """The programs that a scene needs and that are not there."""
    return [name for name in scene.programs if not shutil.which(name, path=search_path())]
