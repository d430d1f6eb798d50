"""Which kernel runs the code: the notebook's, that of the project's `.venv`, or the user's choice.

A folder's own environment is code of the folder: unless it is trusted, the user is asked first.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from claude_ide.editor.editor import Editor
from claude_ide.errors import ToolError
from claude_ide.jupyter import running, specs
from claude_ide.jupyter.running import Running
from claude_ide.jupyter.specs import Spec
from claude_ide.trust.trust import Trust, shown

Choice = Spec | Running
Select = Callable[[str, Sequence[str]], Awaitable[int | None]]
"""Has the user choose one of some texts; None if they choose none."""

NONE = (
    "No Jupyter kernel was found: install ipykernel in the project's .venv, or a kernelspec "
    "(jupyter kernelspec list)"
)
UNCHOSEN = "The user has not chosen a Jupyter kernel, so nothing was run"
DISTRUSTED = "The user does not let the kernel of this folder run, so nothing was run"


class Choosing:
    """Finds the kernels of this Neovim."""

    def __init__(self, editor: Editor, trust: Callable[[], Trust]) -> None:
        self._editor = editor
        self._trust = trust

    async def usual(self, select: Select) -> tuple[Choice, Path]:
        """Return the kernel for the current file, and the folder in which it runs.

        Raises `ToolError`.
        """
        where = await self._editor.run("jupyter.whereabouts.here")
        folder, path = Path(where["folder"]), Path(where.get("path") or where["folder"])
        for name in await self._wanted(path, where):
            for named in await asyncio.to_thread(_named, name, path, folder):
                return await self.admitted(named, select), _home(path, folder)
        for above in specs.above(path, folder):
            if (spec := specs.of_folder(above)) is not None:
                return await self.admitted(spec, select), above
        return await self.chosen(select), folder

    async def chosen(self, select: Select, except_for: Path | None = None) -> Choice:
        """Have the user choose one of all kernels. Raises `ToolError`."""
        found = await self.all(except_for)
        if not found:
            raise ToolError(NONE)
        index = await select("Jupyter kernel:", [each.title for each in found])
        if index is None:
            raise ToolError(UNCHOSEN)
        choice = found[index]
        return await self.admitted(choice, select) if isinstance(choice, Spec) else choice

    async def all(self, except_for: Path | None = None) -> list[Choice]:
        """Return all kernels that could be used."""
        where = await self._editor.run("jupyter.whereabouts.here")
        folder, path = Path(where["folder"]), Path(where.get("path") or where["folder"])
        own = [spec for each in specs.above(path, folder) if (spec := specs.of_folder(each))]
        users = await asyncio.to_thread(specs.of_user)
        return [*own, *users, *await running.find(except_for)]

    async def admitted(self, spec: Spec, select: Select) -> Spec:
        """Return a kernel that may run. Raises `ToolError` if the user does not allow it."""
        if spec.folder is None or self._trust().is_trusted(spec.folder):
            return spec
        question = f"{spec.title} runs programs of a folder that you have not trusted:"
        if await select(question, [f"Run it ({shown(spec.folder)})", "No"]) != 0:
            raise ToolError(DISTRUSTED)
        return spec

    async def _wanted(self, path: Path, where: dict[str, Any]) -> list[str]:
        """Return the names of the kernelspecs that the current file names."""
        names = [str(name) for name in where.get("molten") or []]
        if path.suffix == ".ipynb":
            names.append(await asyncio.to_thread(specs.of_notebook, path))
        return [name for name in names if name]


def _named(name: str, path: Path, folder: Path) -> list[Spec]:
    """Return the kernelspecs of a name: those of the project come first."""
    own = [spec for each in specs.above(path, folder) if (spec := specs.of_folder(each, name))]
    return [*own, *(spec for spec in specs.of_user() if spec.name == name)]


def _home(path: Path, folder: Path) -> Path:
    """Return the folder in which a notebook's kernel runs."""
    return path.parent if path.suffix == ".ipynb" else folder
