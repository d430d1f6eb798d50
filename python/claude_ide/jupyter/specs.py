"""The kernels that can be started: kernelspecs of the user, and environments of a folder."""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec

from claude_ide import files
from claude_ide.jupyter import library

LARGEST_SPEC = 100_000
LARGEST_NOTEBOOK = 100_000_000
"""Bytes."""

ENVIRONMENT = ".venv"
WINDOWS = os.name == "nt"
LAUNCH = ("-m", "ipykernel_launcher", "-f", "{connection_file}")


class Spec(msgspec.Struct, frozen=True):
    """How to start a kernel.

    `folder` is the folder to which its program belongs; None if it is the user's own.
    """

    name: str
    title: str
    command: tuple[str, ...]
    language: str = "python"
    environment: dict[str, str] = {}
    resources: str = ""
    interrupts_by_message: bool = False
    folder: Path | None = None

    def filled(self, connection_file: Path) -> list[str]:
        """Return the command for a connection file."""
        fields = {"{connection_file}": str(connection_file), "{resource_dir}": self.resources}
        return [_replaced(word, fields) for word in self.command]


def of_user() -> list[Spec]:
    """Return the kernelspecs that Jupyter finds outside projects, by name."""
    manager = library.load("jupyter_client.kernelspec").KernelSpecManager(
        ensure_native_kernel=False
    )
    found = manager.get_all_specs()
    return [
        spec
        for name in sorted(found)
        if (spec := _decoded(name, found[name].get("spec"), Path(found[name]["resource_dir"])))
    ]


def of_folder(folder: Path, name: str = "") -> Spec | None:
    """Return the kernel of a folder's `.venv`: of that name, or by default the one of its Python.

    Nothing of the folder runs for this.
    """
    environment = folder / ENVIRONMENT
    python = environment / ("Scripts/python.exe" if WINDOWS else "bin/python")
    if not python.is_file():
        return None
    if name:
        name = Path(name).name
        resources = environment / "share/jupyter/kernels" / name
        content = files.read_if_sound(resources / "kernel.json", LARGEST_SPEC)
        spec = _decoded(name, _json(content), resources)
        if spec is not None:
            first, *others = spec.command
            own = (str(python), *others) if Path(first).stem.startswith("python") else spec.command
            title = f"{spec.title} of {folder.name}/{ENVIRONMENT}"
            return msgspec.structs.replace(spec, title=title, command=own, folder=folder)
        return None
    packages = environment.glob("Lib/site-packages" if WINDOWS else "lib/python*/site-packages")
    if not any((each / "ipykernel").is_dir() for each in packages):
        return None
    title = f"Python of {folder.name}/{ENVIRONMENT}"
    return Spec("python3", title, (str(python), *LAUNCH), folder=folder)


def of_notebook(path: Path) -> str:
    """Return the name of a notebook's kernelspec; empty if it has none."""
    notebook = _json(files.read_if_sound(path, LARGEST_NOTEBOOK))
    for key in ("metadata", "kernelspec", "name"):
        notebook = notebook.get(key) if isinstance(notebook, dict) else None
    return notebook if isinstance(notebook, str) else ""


def above(path: Path, root: Path) -> Iterator[Path]:
    """Yield the folders from a file up to `root`; only `root` if the file is elsewhere."""
    if root in path.parents:
        for folder in path.parents:
            yield folder
            if folder == root:
                return
    else:
        yield root


def _decoded(name: str, given: Any, resources: Path) -> Spec | None:
    try:
        read = msgspec.convert(given, _Given)
    except msgspec.ValidationError:
        return None
    return Spec(
        name,
        read.display_name or name,
        tuple(read.argv),
        language=read.language or "python",
        environment=read.env,
        resources=str(resources),
        interrupts_by_message=read.interrupt_mode == "message",
    )


class _Given(msgspec.Struct):
    argv: Annotated[list[str], msgspec.Meta(min_length=1)]
    display_name: str = ""
    language: str = ""
    env: dict[str, str] = {}
    interrupt_mode: str = ""


def _json(content: bytes | None) -> Any:
    try:
        return json.loads(content or b"null")
    except (ValueError, RecursionError):
        return None


def _replaced(word: str, fields: Mapping[str, str]) -> str:
    for name, value in fields.items():
        word = word.replace(name, value)
    return word
