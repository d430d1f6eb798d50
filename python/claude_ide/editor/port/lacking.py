"""What the port has only in Neovim: the beginnings of functions' names, with the feature or reason.

In Vim a call of such a function raises `EditorError`; nothing calls one there, because the commands
and the model's tools that need it are not offered.
"""

IN_VIM = {
    "approval_buffer": "the panel, and the kernel",
    "chat": "the panel",
    "jupyter": "the kernel",
    "system.browser": "the panel opens a browser to log in",
    "terminal.typing.redraw": "a terminal that is resized twice at once",
    "terminal_prompt": ":ClaudePrompt",
    "tools.buffers.texts": "language servers",
    "tools.language_servers": "language servers",
    "tools.own": "tools that the user adds in the editor",
    "tools.syntax": "syntax trees",
    "window.scratch": "texts that the panel shows in a window",
}
