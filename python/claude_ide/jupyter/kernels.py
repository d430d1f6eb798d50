"""The kernel of this Neovim: started when code runs for the first time, and kept."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from claude_ide.base.errors import ToolError, UserError
from claude_ide.editor.editor import Editor
from claude_ide.jupyter import choosing, connection, record
from claude_ide.jupyter.choosing import Choice, Choosing, Dismissed, Running, title
from claude_ide.jupyter.kernel import Ending, Kernel, Outcome
from claude_ide.jupyter.record import Asker, Record
from claude_ide.jupyter.specs import Spec
from claude_ide.trust.trust import Trust

logger = logging.getLogger(__name__)

NO_KERNEL = "no Jupyter kernel is running; :ClaudeKernel choose starts one"


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

    async def execute(
        self,
        code: str,
        seconds: float,
        asker: Asker,
        *,
        is_allowed: bool = False,
        on_run: Callable[[], object] = lambda: None,
    ) -> tuple[str, Outcome]:
        """Run code after the user's consent; return the code that ran, and what came out.

        `is_allowed` says that the user has allowed exactly this code. `on_run` is called when it
        begins to run. Raises `ToolError`.
        """
        await connection.prepare()
        choice, _ = await self._choice(asker.shown_name)
        if not is_allowed:
            language = choice.language if isinstance(choice, Spec) else "python"
            code = await record.asked(self._editor, asker, code, title(choice), language)
        async with self._run_lock:
            is_anew = self._kernel is not None and not self._kernel.is_alive
            kernel = await self._running(asker.shown_name)
            is_anew = is_anew and not self._is_death_known
            on_run()
            return code, await self._run(kernel, code, seconds, asker.shown_name, is_anew=is_anew)

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
        if isinstance(choice, Running):
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
            return choosing.described(path)
        for each in await self._choosing.all():
            if isinstance(each, Spec) and given in (each.name, each.title):
                return await self._choosing.admitted(each, folder, self._select)
        if (named := await asyncio.to_thread(choosing.named, given)) is not None:
            return named
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
