"""Finds programs on PATH, but never in the current folder."""

import errno
import os
import shutil
from pathlib import Path


def locate(program: str, path: str) -> str:
    """Return the absolute path of a program on `path`; a name with a folder stays as it is.

    Relative entries of `path` are ignored, because a project could put a program there. Raises
    `OSError` if there is none.
    """
    if Path(program).name != program:
        return program
    folders = [folder for folder in path.split(os.pathsep) if Path(folder).is_absolute()]
    found = shutil.which(program, path=os.pathsep.join(folders)) if folders else None
    if found is None or not Path(found).is_absolute():  # Windows searches the working folder first
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), program)
    return found
