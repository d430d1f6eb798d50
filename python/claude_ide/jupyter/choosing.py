"""Which kernel runs the code: the notebook's, that of the project's `.venv`, or the user's choice.

That can be one that another program has started, such as molten-nvim or `jupyter console`. A
folder's own environment is code of the folder: unless it is trusted, the user is asked first.
"""

import asyncio
import contextlib
import os
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from claude_ide.base import files
from claude_ide.base.errors import ToolError
from claude_ide.editor.editor import Editor
from claude_ide.jupyter import connection, specs
from claude_ide.jupyter.connection import SHARED, decoded
from claude_ide.jupyter.kernel import Kernel
from claude_ide.jupyter.specs import Spec
from claude_ide.trust.trust import Trust, shown

MOST = 12
"""How many connection files are tried, the latest first: many are left over."""

LARGEST_FILE = 10_000
ANSWER_SECONDS = 1.5
PREFIX = "kernel-"


class Running(NamedTuple):
    """A running kernel: its connection file and its name for the user."""

    file: Path
    title: str


async def find(except_for: Path | None = None) -> list[Running]:
    """Return the kernels of this user that answer, the latest first."""
    found = await asyncio.to_thread(_files)
    candidates = [described(file) for file in found if file != except_for][:MOST]
    answers = await asyncio.gather(*map(_answers, candidates))
    return [each for each, is_there in zip(candidates, answers, strict=True) if is_there]


def named(given: str) -> Running | None:
    """Return the latest kernel whose connection file has this name, or an id that begins so."""
    found = (
        each
        for each in _files()
        if each.name == given or each.stem.removeprefix(PREFIX).startswith(given)
    )
    return next(map(described, found), None)


def described(file: Path) -> Running:
    """Return the kernel of a connection file."""
    content = decoded(files.read_if_sound(file, LARGEST_FILE))
    given = content if isinstance(content, dict) else {}
    name = given.get("kernel_name")
    title = f"running {name if name and isinstance(name, str) else 'kernel'}"
    with contextlib.suppress(OSError):
        since = datetime.fromtimestamp(file.stat().st_mtime).astimezone()
        title += f" since {since:%Y-%m-%d %H:%M}"
    is_private = given.get("transport") == "ipc" or "curve_publickey" in given
    return Running(file, title + SHARED * (not is_private))


def _files() -> list[Path]:
    paths = connection.load("jupyter_core.paths")
    # molten-nvim always uses the second one.
    folders = {Path(paths.jupyter_runtime_dir()), Path(paths.jupyter_data_dir(), "runtime")}
    found: list[tuple[float, Path]] = []
    for file in chain.from_iterable(each.glob(f"{PREFIX}*.json") for each in folders):
        with contextlib.suppress(OSError):
            status = file.stat()
            if not hasattr(os, "geteuid") or status.st_uid == os.geteuid():
                found.append((status.st_mtime, file))
    return [file for _, file in sorted(found, reverse=True)]


async def _answers(candidate: Running) -> bool:
    try:
        kernel = await Kernel.join(candidate.file, candidate.title, ANSWER_SECONDS)
    except ToolError:
        return False
    await kernel.stop()
    return True


Choice = Spec | Running
Select = Callable[[str, Sequence[str]], Awaitable[int | None]]
"""Has the user choose one of some texts; None if they choose none."""

NONE = (
    "No Jupyter kernel was found: install ipykernel in the project's .venv, or a kernelspec "
    "(jupyter kernelspec list)"
)
UNCHOSEN = "The user has not chosen a Jupyter kernel, so nothing was run"
MOLTEN = "Jupyter kernel (molten-nvim runs one for this file):"
RUNS_PROGRAMS = "{} runs programs of a folder that you have not trusted:"
STARTS_THERE = "{} may run files of a folder that you have not trusted as it starts:"
DISTRUSTED = "The user does not let the kernel of this folder run, so nothing was run"


class Dismissed(ToolError):
    """The user has chosen nothing, or has refused."""


class Choosing:
    """Finds the kernels of this Neovim."""

    def __init__(self, editor: Editor, trust: Callable[[], Trust]) -> None:
        self._editor = editor
        self._trust = trust

    async def usual(self, select: Select, asker: str) -> tuple[Choice, Path]:
        """Return the kernel for the current file, and the folder in which it runs.

        `asker` is the name of whoever has code to run. Raises `ToolError`.
        """
        where = await self._editor.port.kernel.here()
        folder, path = Path(where.folder), Path(where.path or where.folder)
        if molten := where.molten:
            choice = await self._beside_molten([*map(str, molten)], path, folder, select)
            if choice is not None:
                return choice, _home(path, folder)
        for named in await asyncio.to_thread(_of_notebook, path, folder):
            home = _home(path, folder)
            return await self.admitted(named, home, select), home
        for above in specs.above(path, folder):
            if (spec := specs.of_folder(above)) is not None:
                return await self.admitted(spec, above, select), above
        found = await self.all()
        if len(found) == 1 and isinstance(found[0], Spec):
            # The request to run the code names it.
            return await self.admitted(found[0], folder, select), folder
        prompt = f"Jupyter kernel for the code of {asker}:"
        return await self._among(found, prompt, folder, select), folder

    async def chosen(self, folder: Path, select: Select, except_for: Path | None = None) -> Choice:
        """Have the user choose one of all kernels, to run in a folder. Raises `ToolError`."""
        return await self._among(await self.all(except_for), "Jupyter kernel:", folder, select)

    async def all(self, except_for: Path | None = None) -> list[Choice]:
        """Return all kernels that could be used."""
        where = await self._editor.port.kernel.here()
        folder, path = Path(where.folder), Path(where.path or where.folder)
        own = [spec for each in specs.above(path, folder) if (spec := specs.of_folder(each))]
        users = await asyncio.to_thread(specs.of_user)
        return [*own, *users, *await find(except_for)]

    async def admitted(self, spec: Spec, folder: Path, select: Select) -> Spec:
        """Return a kernel that may run in a folder.

        Raises `ToolError` if the user does not allow it.
        """
        of_folder, question = spec.folder, RUNS_PROGRAMS
        if of_folder is None and not spec.can_enter:
            of_folder, question = folder, STARTS_THERE
        if of_folder is None or self._trust().is_trusted(of_folder):
            return spec
        items = [f"Run it ({shown(of_folder)})", "No"]
        if await select(question.format(spec.full_title), items) != 0:
            raise Dismissed(DISTRUSTED)
        return spec

    def starts_there(self, spec: Spec, folder: Path) -> bool:
        """Return whether an admitted kernel may run files of a folder as it starts."""
        own = spec.folder is not None or not spec.can_enter
        return own or self._trust().is_trusted(folder)

    async def _beside_molten(
        self, names: Sequence[str], path: Path, folder: Path, select: Select
    ) -> Choice | None:
        """Return the kernel for a file for which molten-nvim runs kernels of these names.

        It does not say how to reach them, so the user chooses among all that run, or a new one.
        """
        files = [folder / name for name in names if name.endswith(".json")]
        joined = [described(each) for each in files if each.is_file()]
        others = [each for each in await find() if each.file not in files]
        new = [spec for name in names for spec in _named(name, path, folder)[:1]]
        found: list[Choice] = [*joined, *others, *new]
        if found == new:
            return await self.admitted(new[0], _home(path, folder), select) if new else None
        return await self._among(found, MOLTEN, _home(path, folder), select)

    async def _among(
        self, found: Sequence[Choice], prompt: str, folder: Path, select: Select
    ) -> Choice:
        if not found:
            raise ToolError(NONE)
        index = await select(prompt, [title(each) for each in found])
        if index is None:
            raise Dismissed(UNCHOSEN)
        choice = found[index]
        return await self.admitted(choice, folder, select) if isinstance(choice, Spec) else choice


def title(choice: Choice) -> str:
    """Return the name of a kernel for the user."""
    return choice.full_title if isinstance(choice, Spec) else choice.title


def _of_notebook(path: Path, folder: Path) -> list[Spec]:
    name = specs.of_notebook(path) if path.suffix == ".ipynb" else ""
    return _named(name, path, folder) if name else []


def _named(name: str, path: Path, folder: Path) -> list[Spec]:
    """Return the kernelspecs of a name: those of the project come first."""
    own = [spec for each in specs.above(path, folder) if (spec := specs.of_folder(each, name))]
    return [*own, *(spec for spec in specs.of_user() if spec.name == name)]


def _home(path: Path, folder: Path) -> Path:
    """Return the folder in which a notebook's kernel runs."""
    return path.parent if path.suffix == ".ipynb" else folder
