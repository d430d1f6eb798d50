"""The kernel of this Neovim: its choice, its runs, `:ClaudeKernel`.

It is the notebook's, that of the project's `.venv`, or the user's choice. That can be one that
another program has started, such as molten-nvim or `jupyter console`. A folder's own environment is
code of the folder: unless it is trusted, the user is asked first. A kernel is started when code
runs for the first time, and kept.
"""

import asyncio
import contextlib
import logging
import os
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from claude_ide.base import files
from claude_ide.base.errors import ToolError, UserError
from claude_ide.base.trust import Trust, shown
from claude_ide.editor.editor import Editor
from claude_ide.editor.port.panel import Proposed
from claude_ide.jupyter import connection, specs
from claude_ide.jupyter.connection import SHARED, decoded
from claude_ide.jupyter.kernel import Kernel
from claude_ide.jupyter.outputs import Ending, Outcome, Record, filetype
from claude_ide.jupyter.specs import Spec

logger = logging.getLogger(__name__)

MOST_TRIED = 12
"""How many connection files are tried, the latest first: many are left over."""

LARGEST_FILE_BYTES = 10_000
ANSWER_SECONDS = 1.5
PREFIX = "kernel-"

NO_KERNEL = "no Jupyter kernel is running; :ClaudeKernel choose starts one"
NONE = (
    "No Jupyter kernel was found: install ipykernel in the project's .venv, or a kernelspec "
    "(jupyter kernelspec list)"
)
UNCHOSEN = "The user has not chosen a Jupyter kernel, so nothing was run"
MOLTEN = "Jupyter kernel (molten-nvim runs one for this file):"
RUNS_PROGRAMS = "{} runs programs of a folder that you have not trusted:"
STARTS_THERE = "{} may run files of a folder that you have not trusted as it starts:"
DISTRUSTED = "The user does not let the kernel of this folder run, so nothing was run"
REFUSED = "The user refused to run this code, and nothing was run."
MORE = "run all from now on"


class RunningKernel(NamedTuple):
    """A running kernel: its connection file and its name for the user."""

    file: Path
    title: str


async def find(except_for: Path | None = None) -> list[RunningKernel]:
    """Return the kernels of this user that answer, the latest first."""
    found = await asyncio.to_thread(_files)
    candidates = [described(file) for file in found if file != except_for][:MOST_TRIED]
    answers = await asyncio.gather(*map(_answers, candidates))
    return [each for each, is_there in zip(candidates, answers, strict=True) if is_there]


def _latest(given: str) -> RunningKernel | None:
    """Return the latest kernel whose connection file has this name, or an id that begins so."""
    found = (
        each
        for each in _files()
        if each.name == given or each.stem.removeprefix(PREFIX).startswith(given)
    )
    return next(map(described, found), None)


def described(file: Path) -> RunningKernel:
    """Return the kernel of a connection file."""
    content = decoded(files.read_if_sound(file, LARGEST_FILE_BYTES))
    given = content if isinstance(content, dict) else {}
    name = given.get("kernel_name")
    title = f"running {name if name and isinstance(name, str) else 'kernel'}"
    with contextlib.suppress(OSError):
        since = datetime.fromtimestamp(file.stat().st_mtime).astimezone()
        title += f" since {since:%Y-%m-%d %H:%M}"
    is_private = given.get("transport") == "ipc" or "curve_publickey" in given
    return RunningKernel(file, title + SHARED * (not is_private))


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


async def _answers(candidate: RunningKernel) -> bool:
    try:
        kernel = await Kernel.join(candidate.file, candidate.title, ANSWER_SECONDS)
    except ToolError:
        return False
    await kernel.stop()
    return True


Choice = Spec | RunningKernel
Select = Callable[[str, Sequence[str]], Awaitable[int | None]]
"""Has the user choose one of some texts; None if they choose none."""


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


class Kernels:
    """Runs code in one kernel, one run after the other. `state` is a folder for images."""

    def __init__(self, editor: Editor, trust: Callable[[], Trust], state: Path) -> None:
        self._editor = editor
        self._choosing = Choosing(editor, trust)
        self._record = Record(state)
        self._kernel: Kernel | None = None
        self._chosen: tuple[Choice, Path] | None = None
        self._choice_lock = asyncio.Lock()
        self._run_lock = asyncio.Lock()
        self._is_death_known = False

    async def ask(self, code: str, asker: str) -> tuple[str, bool]:
        """Return code as the user lets it run, and whether they allow all further code, too.

        `asker` is the name of whoever wants to run it. Raises `ToolError`, which tells the model
        that they refused, and why.
        """
        await connection.prepare()
        choice, _ = await self._choice(asker)
        language = choice.language if isinstance(choice, Spec) else "python"
        proposed = Proposed.code(asker, code, title(choice), filetype(language), MORE)
        answer = await self._editor.port.forms.review(proposed)
        if answer.decision not in ("approve", "approve_more"):
            words = answer.comments
            raise ToolError(f"{REFUSED} They said: {words}" if words else REFUSED)
        return answer.text or code, answer.decision == "approve_more"

    async def execute(
        self, code: str, seconds: float, asker: str, on_run: Callable[[], object]
    ) -> Outcome:
        """Run code that the user has allowed; `on_run` is called when it begins to run.

        Raises `ToolError`.
        """
        await connection.prepare()
        await self._choice(asker)
        async with self._run_lock:
            is_anew = self._kernel is not None and not self._kernel.is_alive
            kernel = await self._running(asker)
            is_anew = is_anew and not self._is_death_known
            on_run()
            return await self._run(kernel, code, seconds, asker, is_anew=is_anew)

    async def _run(
        self, kernel: Kernel, code: str, seconds: float, asker: str, *, is_anew: bool
    ) -> Outcome:
        entry = self._record.entry(asker, kernel.title, kernel.language, code)
        token = self._editor.new_token()
        await self._editor.port.kernel.begin(token, entry)
        try:
            outcome = await kernel.execute(code, seconds)
        except asyncio.CancelledError:
            note = [{"kind": "note", "text": "cancelled"}]
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.shield(self._editor.port.kernel.finish(token, note))
            raise
        outcome.is_anew = is_anew
        self._is_death_known = outcome.ending is Ending.DIED
        outputs = await asyncio.to_thread(self._record.outputs, outcome)
        await self._editor.port.kernel.finish(token, outputs)
        return outcome

    async def _choice(self, asker: str) -> tuple[Choice, Path]:
        """Return the kernel that is used, or will be."""
        async with self._choice_lock:
            if self._chosen is None:
                self._chosen = await self._choosing.usual(self._select_when_free, asker)
            return self._chosen

    async def _running(self, asker: str) -> Kernel:
        """Return the kernel, started if necessary."""
        if self._kernel is not None and not self._kernel.is_alive:
            if not self._kernel.is_own:
                self._chosen = None
            await self._end()
        if self._kernel is None:
            choice, folder = await self._choice(asker)
            try:
                self._kernel = await self._begun(choice, folder)
            except ToolError:
                self._chosen = None
                raise
            logger.info("a kernel is running: %s", self._kernel.title)
        return self._kernel

    async def _begun(self, choice: Choice, folder: Path) -> Kernel:
        if isinstance(choice, RunningKernel):
            return await Kernel.join(choice.file, choice.title)
        starts_there = self._choosing.starts_there(choice, folder)
        return await Kernel.start(choice, folder, starts_there=starts_there)

    async def _select_when_free(self, prompt: str, items: Sequence[str]) -> int | None:
        index = (await self._editor.port.dialogues.select_later(prompt, [*items])).index
        return None if index is None else index - 1

    async def _select(self, prompt: str, items: Sequence[str]) -> int | None:
        return await self._editor.select(prompt, list(items))

    # The user's command.

    async def command(self, words: Sequence[str]) -> None:
        """Run `:ClaudeKernel`. Raises `UserError`."""
        what, *rest = [*words] or [""]
        actions: dict[str, Callable[[], Awaitable[None]]] = {
            "": self._editor.port.kernel.show_record,
            "choose": lambda: self._choose(" ".join(rest)),
            "restart": self._restart,
            "interrupt": self._interrupt,
            "status": self._status,
            "stop": self._stop,
        }
        if what not in actions or (rest and what != "choose"):
            known = ", ".join(filter(None, actions))
            raise UserError(f':ClaudeKernel: no subcommand "{" ".join(words)}" ({known})')
        try:
            await actions[what]()
        except Dismissed:
            return
        except ToolError as error:
            raise UserError(str(error)) from None

    async def _choose(self, given: str) -> None:
        await connection.prepare()
        own = self._kernel.file if self._kernel is not None and self._kernel.is_own else None
        where = await self._editor.port.kernel.here()
        folder = Path(where.folder)
        if given:
            choice = await self._given(given, folder)
        else:
            choice = await self._choosing.chosen(folder, self._select, own)
        # The one that runs ends only when the other one has started.
        kernel = await self._begun(choice, folder)
        earlier, self._kernel, self._chosen = self._kernel, kernel, (choice, folder)
        if earlier is not None:
            await earlier.stop()
        self._editor.notify(f"code runs in {kernel.title}")

    async def _given(self, given: str, folder: Path) -> Choice:
        """Return the kernel with this name, or of this connection file."""
        path = folder / Path(given).expanduser()
        if path.suffix == ".json" and path.is_file():
            return described(path)
        for each in await self._choosing.all():
            if isinstance(each, Spec) and given in (each.name, each.title):
                return await self._choosing.admitted(each, folder, self._select)
        if (running := await asyncio.to_thread(_latest, given)) is not None:
            return running
        raise UserError(f"there is no kernel {given} (:ClaudeKernel choose lists them)")

    async def _restart(self) -> None:
        kernel = self._known()
        if kernel.spec is None:
            raise UserError("this kernel was started elsewhere, and has to be restarted there")
        self._chosen = kernel.spec, kernel.folder
        await self._end()
        async with self._run_lock:
            kernel = await self._running("")
        self._editor.notify(f"restarted: {kernel.title}")

    async def _interrupt(self) -> None:
        kernel = self._known()
        if not kernel.is_alive:
            raise UserError(f"{kernel.title} has died; the next code starts a new one")
        kernel.interrupt()
        self._editor.notify(f"interrupted: {kernel.title}")

    async def _stop(self) -> None:
        title = self._known().title
        self._chosen = None
        await self._end()
        self._editor.notify(f"stopped: {title}")

    async def _status(self) -> None:
        if self._kernel is None:
            self._editor.notify("no Jupyter kernel is running")
            return
        kernel = self._kernel
        state = "busy" if kernel.is_busy else "idle" if kernel.is_alive else "dead"
        joined = "" if kernel.is_own else ", joined"
        self._editor.notify(f"{state}{joined}: {kernel.title} ({kernel.file})")

    async def _end(self) -> None:
        kernel, self._kernel = self._kernel, None
        if kernel is not None:
            await kernel.stop()

    def _known(self) -> Kernel:
        if self._kernel is None:
            raise UserError(NO_KERNEL)
        return self._kernel

    def end(self) -> None:
        """Forget the kernel when the host ends; the guardian ends its process."""
        if self._kernel is not None and self._kernel.is_own:
            self._kernel.forget()
