"""The kernels that can be started: kernelspecs of the user, and environments of a folder."""

import contextlib
import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import msgspec

from claude_ide.base import files
from claude_ide.jupyter import connection
from claude_ide.jupyter.connection import HAS_IPC, SHARED, decoded

LARGEST_SPEC_BYTES = 100_000
LARGEST_NOTEBOOK_BYTES = 100_000_000

ENVIRONMENT = ".venv"
IN_PREFIX = ("share", "jupyter", "kernels")
"""Where a package installs its kernelspecs, below the prefix of its environment."""
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

    @property
    def is_private(self) -> bool:
        """Whether it can be reached over sockets that only the user can open.

        All kernels that are written in Python can; of the others some only know TCP.
        """
        return HAS_IPC and (self.language == "python" or _is_python(self.command[0]))

    @property
    def full_title(self) -> str:
        """Its name for the user, with a note if other users can read what it runs."""
        return self.title + SHARED * (not self.is_private)

    @property
    def can_enter(self) -> bool:
        """Whether code of ours can have it enter a folder after its start."""
        return self.language == "python"

    def entering(self, folder: Path) -> str:
        """Return the code that has it enter a folder, as if it had started there."""
        # The interpreter resolves relative folders as it starts.
        given = (os.environ | self.environment).get("PYTHONPATH", "").split(os.pathsep)
        paths = [str(folder / each) for each in given if each and not Path(each).is_absolute()]
        return f"__import__('os').chdir({str(folder)!r}); __import__('sys').path.extend({paths!r})"

    def filled(self, connection_file: Path) -> list[str]:
        """Return the command for a connection file."""
        file = str(connection_file)
        return [
            word.replace("{connection_file}", file).replace("{resource_dir}", self.resources)
            for word in self.command
        ]


def of_user() -> list[Spec]:
    """Return the kernelspecs that Jupyter finds outside projects, by name."""
    manager = connection.load("jupyter_client.kernelspec").KernelSpecManager(
        ensure_native_kernel=False
    )
    found = manager.get_all_specs()
    return [
        _of_environment(spec)
        for name in sorted(found)
        if (spec := _decoded(name, found[name].get("spec"), Path(found[name]["resource_dir"])))
    ]


def _of_environment(spec: Spec) -> Spec:
    """Return a kernelspec with the Python that it belongs to, if it names any `python`.

    That is the one of the environment in which it is installed, or the host's own: as for Jupyter,
    the first one on PATH may be another.
    """
    match spec.command:
        case (name, "-m", module, *_) if Path(name).name == name and _is_python(name):
            python = _installed_with(Path(spec.resources), module)
            if python is None and _has_here(module):
                python = sys.executable
            return msgspec.structs.replace(spec, command=(python or name, *spec.command[1:]))
        case _:
            return spec


def _has_here(module: str) -> bool:
    """Return whether the Python that runs this has a module, without importing it."""
    with contextlib.suppress(ValueError):
        return find_spec(module.partition(".")[0]) is not None
    return False


def _installed_with(resources: Path, module: str) -> str | None:
    """Return the Python of the environment that has a kernelspec, and the module that it runs."""
    if resources.parts[-4:-1] != IN_PREFIX:
        return None
    environment = resources.parents[3]
    python = _python_of(environment)
    return str(python) if python.is_file() and _has(environment, module) else None


def of_folder(folder: Path, name: str = "") -> Spec | None:
    """Return the kernel of a folder's `.venv`: of that name, or by default the one of its Python.

    Nothing of the folder runs for this.
    """
    environment = folder / ENVIRONMENT
    python = _python_of(environment)
    if not python.is_file():
        return None
    if name:
        name = Path(name).name
        resources = environment / "share/jupyter/kernels" / name
        content = files.read_if_sound(resources / "kernel.json", LARGEST_SPEC_BYTES)
        spec = _decoded(name, decoded(content), resources)
        if spec is not None:
            first, *others = spec.command
            own = (str(python), *others) if _is_python(first) else spec.command
            title = f"{spec.title} of {folder.name}/{ENVIRONMENT}"
            return msgspec.structs.replace(spec, title=title, command=own, folder=folder)
        return None
    if not _has(environment, "ipykernel"):
        return None
    title = f"Python of {folder.name}/{ENVIRONMENT}"
    return Spec("python3", title, (str(python), *LAUNCH), folder=folder)


def of_notebook(path: Path) -> str:
    """Return the name of a notebook's kernelspec; empty if it has none."""
    notebook = decoded(files.read_if_sound(path, LARGEST_NOTEBOOK_BYTES))
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


def _is_python(program: str) -> bool:
    return Path(program).stem.startswith("python")


def _python_of(environment: Path) -> Path:
    return environment / ("Scripts/python.exe" if WINDOWS else "bin/python")


def _has(environment: Path, module: str) -> bool:
    """Return whether a module is installed in an environment."""
    packages = environment.glob("Lib/site-packages" if WINDOWS else "lib/python*/site-packages")
    name = module.partition(".")[0]
    places = [each / place for each in packages for place in (name, f"{name}.py")]
    return name != "" and any(place.exists() for place in places)


def _decoded(name: str, given: Any, resources: Path) -> Spec | None:
    try:
        read = msgspec.convert(given, _SpecFile)
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


class _SpecFile(msgspec.Struct):
    argv: Annotated[list[str], msgspec.Meta(min_length=1)]
    display_name: str = ""
    language: str = ""
    env: dict[str, str] = {}
    interrupt_mode: str = ""
