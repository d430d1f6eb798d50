"""Which kernel runs the code: the notebook's, that of the project's `.venv`, or the user's choice.

A folder's own environment is code of the folder: unless it is trusted, the user is asked first.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

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
MOLTEN = "Jupyter kernel (molten-nvim runs one for this file):"
DISTRUSTED = "The user does not let the kernel of this folder run, so nothing was run"


class Dismissed(ToolError):
    """The user has chosen nothing, or has refused."""


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
        if molten := where.get("molten"):
            choice = await self._beside_molten([*map(str, molten)], path, folder, select)
            if choice is not None:
                return choice, _home(path, folder)
        for named in await asyncio.to_thread(_of_notebook, path, folder):
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
        return await self._among(found, "Jupyter kernel:", select)

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
            raise Dismissed(DISTRUSTED)
        return spec

    async def _beside_molten(
        self, names: Sequence[str], path: Path, folder: Path, select: Select
    ) -> Choice | None:
        """Return the kernel for a file for which molten-nvim runs kernels of these names.

        It does not say how to reach them, so the user chooses among all that run, or a new one.
        """
        files = [folder / name for name in names if name.endswith(".json")]
        joined = [running.described(each) for each in files if each.is_file()]
        others = [each for each in await running.find() if each.file not in files]
        new = [spec for name in names for spec in _named(name, path, folder)[:1]]
        found: list[Choice] = [*joined, *others, *new]
        if found == new:
            return await self.admitted(new[0], select) if new else None
        return await self._among(found, MOLTEN, select)

    async def _among(self, found: Sequence[Choice], prompt: str, select: Select) -> Choice:
        index = await select(prompt, [each.title for each in found])
        if index is None:
            raise Dismissed(UNCHOSEN)
        choice = found[index]
        return await self.admitted(choice, select) if isinstance(choice, Spec) else choice


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
