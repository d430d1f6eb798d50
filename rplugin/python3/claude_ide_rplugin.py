"""The remote plugin: forwards calls from Neovim to the app, and decides nothing.

Our own host loads it. `:UpdateRemotePlugins` also imports it, in the host that all remote plugins
share; there it defines nothing, so that no second server is registered.
"""

import sys

if "claude_ide" in sys.modules:
    from collections.abc import Callable
    from typing import Any

    import pynvim

    from claude_ide.app import App
    from claude_ide.commands import COMMANDS, CommandCall, dispatch
    from claude_ide.editor.neovim import Neovim
    from claude_ide.editor.port.review import CalledAt

    AT = "[bufnr(), line('.') - 1, b:changedtick, expand('%:p')]"

    class ClaudeIde:
        """The plugin of one Neovim; pynvim creates it when the first command arrives."""

        def __init__(self, nvim: Any) -> None:
            try:
                self.app = App(nvim.loop, Neovim(nvim))
            except Exception as error:
                # pynvim would print a traceback, and the user would have to press <Enter>. Neovim
                # shows the last line of a host that ends.
                sys.stderr.write(f"{type(error).__name__}: {error}\n")
                raise SystemExit(3) from None

        @pynvim.rpc_export("claude_ide_event")  # type: ignore[untyped-decorator,unused-ignore]
        def event(self, name: str, payload: dict[str, Any]) -> None:
            """Forward an event from `lua/claude_ide/channel.lua`."""
            self.app.editor.events.dispatch(name, payload)

    def _forward(name: str) -> Callable[..., None]:
        def forward(
            self: ClaudeIde, arguments: list[str], lines: list[int], bang: int, at: list[Any]
        ) -> None:
            first_and_last = (lines[0], lines[1]) if lines else None
            dispatch(
                self.app, name, CommandCall(arguments, first_and_last, bool(bang), CalledAt(*at))
            )

        decorate = pynvim.command(name, nargs="*", range="", bang=True, eval=AT)
        return decorate(forward)  # type: ignore[no-any-return]

    for _name in COMMANDS:
        setattr(ClaudeIde, f"command_{_name}", _forward(_name))

    pynvim.plugin(ClaudeIde)
