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
from typing import TYPE_CHECKING, Any, Protocol, overload

from claude_ide.editor.port.batch import Guard, Result, Second, Step, Unguarded

# The host starts without the nouns, which it needs one by one (`remote.py`).
if TYPE_CHECKING:
    from claude_ide.editor.port import batch as _batch
    from claude_ide.editor.port import buffers as _buffers
    from claude_ide.editor.port import contexts as _contexts
    from claude_ide.editor.port import diagnostics as _diagnostics
    from claude_ide.editor.port import diffs as _diffs
    from claude_ide.editor.port import formatting as _formatting
    from claude_ide.editor.port import panel as _panel
    from claude_ide.editor.port import privacy as _privacy
    from claude_ide.editor.port import review as _review
    from claude_ide.editor.port import servers as _servers
    from claude_ide.editor.port import terminals as _terminals
    from claude_ide.editor.port import tools as _tools
    from claude_ide.editor.port import windows as _windows


class Port(Protocol):
    """An editor. Each noun is annotated with the module that has it, and its name there."""

    batches: "_batch.Batches"
    buffers: "_buffers.Buffers"
    calling: "_windows.Calling"
    contexts: "_contexts.Contexts"
    diagnostics: "_diagnostics.Diagnostics"
    dialogues: "_tools.Dialogues"
    diffs: "_diffs.Diffs"
    disk: "_buffers.Disk"
    formatting: "_formatting.Formatting"
    forms: "_panel.Forms"
    host: "_terminals.Host"
    kernel: "_tools.Kernel"
    language_servers: "_servers.LanguageServers"
    lists: "_panel.Lists"
    model_tools: "_tools.ModelTools"
    own_tools: "_tools.OwnTools"
    panels: "_panel.Panels"
    permission: "_terminals.Permission"
    privacy: "_privacy.Privacy"
    question: "_diffs.Question"
    review: "_review.Review"
    selection: "_diagnostics.Selection"
    terminals: "_terminals.Terminals"
    typing: "_terminals.Typing"
    windows: "_windows.Windows"
    wire: "_terminals.Wire"

    def panel(self, chat: int) -> "_panel.Panel":
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
