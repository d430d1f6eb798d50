"""Folders for their owner only; the host imports this before it binds its port."""

import os


def make_private(folder: str | os.PathLike[str]) -> None:
    """Create a folder, and those above it that are missing, for their owner only.

    `os.makedirs` gives those above it the usual mode: everybody could rename what is in them if the
    umask is 0. Raises `OSError`.
    """
    above = os.path.dirname(folder)
    if above and not os.path.lexists(above):
        make_private(above)
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        if not os.path.isdir(folder):
            raise
