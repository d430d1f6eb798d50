"""The port: what the rest of the host needs from an editor, noun by noun.

Each noun is a `Protocol`. Its methods name the function of the editor behind them (`binding.py`),
and their types are the contract: arguments and results cross as plain tables, and structs describe
them. All methods may raise `EditorError` with one line. `remote.py` implements all of them for both
editors; `lacking.py` says what Vim lacks.

A call is one instant in the editor: nothing else happens there while it runs. Calls run in the
order in which they were made, and wait while the editor is busy. `batch.py` makes several calls in
one instant.
"""

from collections.abc import Sequence
from typing import Any, Protocol, overload

from claude_ide.editor.port.batch import Batches, Guard, Result, Second, Step, Unguarded
from claude_ide.editor.port.buffers import Buffers, Disk
from claude_ide.editor.port.diagnostics import Diagnostics, Selection
from claude_ide.editor.port.diffs import Diffs, Question, Review
from claude_ide.editor.port.formatting import Formatting
from claude_ide.editor.port.panel import Forms, Lists, Panel, Panels
from claude_ide.editor.port.privacy import Privacy
from claude_ide.editor.port.servers import LanguageServers
from claude_ide.editor.port.terminals import Host, Permission, Terminals, Typing, Wire
from claude_ide.editor.port.tools import Dialogues, Kernel, ModelTools, OwnTools
from claude_ide.editor.port.windows import Windows


class Port(Protocol):
    """An editor."""

    batches: Batches
    buffers: Buffers
    diagnostics: Diagnostics
    dialogues: Dialogues
    diffs: Diffs
    disk: Disk
    formatting: Formatting
    forms: Forms
    host: Host
    kernel: Kernel
    language_servers: LanguageServers
    lists: Lists
    model_tools: ModelTools
    own_tools: OwnTools
    panels: Panels
    permission: Permission
    privacy: Privacy
    question: Question
    review: Review
    selection: Selection
    terminals: Terminals
    typing: Typing
    windows: Windows
    wire: Wire

    def panel(self, chat: int) -> Panel:
        """Return the panel of a chat."""
        ...

    @overload
    async def batch(
        self, steps: tuple[Step[Result], Step[Second]], guard: Guard | Unguarded
    ) -> tuple[Result, Second]: ...

    @overload
    async def batch(
        self, steps: Sequence[Step[Result]], guard: Guard | Unguarded
    ) -> Sequence[Result]: ...

    async def batch(self, steps: Sequence[Step[Any]], guard: Guard | Unguarded) -> Any:
        """Run steps in one instant, and return their results (`batch.py`).

        Raises `ChangedError` if a fact of the guard does not hold: nothing was done; `StepError`
        if a step fails: those before it were done. Cancelling withdraws a batch that waits.
        """
        ...
