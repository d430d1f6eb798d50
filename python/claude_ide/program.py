"""Where a program is: on PATH, but never in the folder that the user happens to be in."""

import errno
import os
import shutil
from pathlib import Path


def located(program: str, path: str) -> str:
    """Return where a program is on `path`; a relative entry of it would let a project say which.

    One that is named with its folder is left as it is. Raises `OSError` if there is none.
    """
    if Path(program).name != program:
        return program
    folders = [folder for folder in path.split(os.pathsep) if Path(folder).is_absolute()]
    found = shutil.which(program, path=os.pathsep.join(folders)) if folders else None
    if found is None or not Path(found).is_absolute():  # Windows looks in the working folder first
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), program)
    return found
