"""The port: what the rest of the host needs from an editor, noun by noun.

Each noun is a `Protocol`. Its methods name the function of the editor behind them (`binding.py`),
and their types are the contract: arguments and results cross as plain tables, and structs describe
them. All methods may raise `EditorError` with one line. `remote.py` implements all of them for both
editors; `LACKING_IN_VIM` names what Vim lacks.

A call is one instant in the editor: nothing else happens there while it runs. Calls run in the
order in which they were made, and wait while the editor is busy. `batch.py` makes several calls in
one instant.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, overload

from claude_ide.editor.port.batch import Guard, Result, Second, Step

# The host starts without the nouns, which it needs one by one (`remote.py`).
if TYPE_CHECKING:
    from claude_ide.editor.port import batch as _batch
    from claude_ide.editor.port import diagnostics as _diagnostics
    from claude_ide.editor.port import files as _files
    from claude_ide.editor.port import panel as _panel
    from claude_ide.editor.port import prompts as _prompts
    from claude_ide.editor.port import review as _review
    from claude_ide.editor.port import terminals as _terminals
    from claude_ide.editor.port import tools as _tools
    from claude_ide.editor.port import windows as _windows


class Port(Protocol):
    """An editor. Each noun is annotated with the module that has it, and its name there."""

    batches: "_batch.BatchesPort"
    buffers: "_files.BuffersPort"
    calling: "_windows.CallingPort"
    contexts: "_prompts.ContextsPort"
    diagnostics: "_diagnostics.DiagnosticsPort"
    dialogues: "_windows.DialoguesPort"
    diffs: "_files.DiffsPort"
    disk: "_files.DiskPort"
    formatting: "_files.FormattingPort"
    forms: "_panel.FormsPort"
    host: "_terminals.HostPort"
    kernel: "_windows.KernelPort"
    language_servers: "_tools.LanguageServersPort"
    lists: "_panel.ListsPort"
    model_tools: "_tools.ModelToolsPort"
    own_tools: "_tools.OwnToolsPort"
    panels: "_panel.PanelsPort"
    permission: "_windows.PermissionPort"
    privacy: "_files.PrivacyPort"
    question: "_prompts.QuestionPort"
    review: "_review.ReviewPort"
    selection: "_prompts.SelectionPort"
    terminals: "_terminals.TerminalsPort"
    typing: "_terminals.TypingPort"
    windows: "_windows.WindowsPort"
    wire: "_windows.WirePort"

    def panel(self, chat: int) -> "_panel.PanelPort":
        """Return the panel of a chat."""

    @overload
    async def batch(
        self, steps: tuple[Step[Result], Step[Second]], guard: Guard
    ) -> tuple[Result, Second]: ...

    @overload
    async def batch(self, steps: Sequence[Step[Result]], guard: Guard) -> Sequence[Result]: ...

    async def batch(self, steps: Sequence[Step[Any]], guard: Guard) -> Any:
        """Run steps in one instant, and return their results (`batch.py`).

        Raises `ChangedError` if a fact of the guard does not hold: nothing was done; `StepError`
        if a step fails: those before it were done. Cancelling withdraws a batch that waits.
        """


LACKING_IN_VIM = {
    "approval_buffer": "the panel, and the kernel",
    "chat": "the panel",
    "jupyter": "the kernel",
    "system.browser": "the panel opens a browser to log in",
    "terminal.typing.redraw": "a terminal that is resized twice at once",
    "terminal_prompt": ":ClaudePrompt",
    "tools.language_servers": "language servers",
    "tools.own": "tools that the user adds in the editor",
    "tools.syntax": "syntax trees",
    "window.scratch": "texts that the panel shows in a window",
}
"""The beginnings of the names of functions that only Neovim has, with the feature or reason.

In Vim a call of one raises `EditorError`; nothing calls one there, because the commands and the
model's tools that need it are not offered.
"""
