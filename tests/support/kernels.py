"""Code that waits for the user in the Neovim under test, and kernels for it."""

from support.neovim import ROOT, Neovim, until

ENVIRONMENT = ROOT / ".cache/jupyter/env"
"""An environment with ipykernel and matplotlib."""

SECONDS = 60.0
"""How long a kernel may take to start on a busy machine."""


async def asked(nvim: Neovim, text: str = "") -> None:
    """Wait until code with this text is shown to the user, and accepts keys."""

    async def shown() -> bool:
        there = await nvim.eval("&modifiable && bufname() =~# ' code$'")
        return bool(there and text in "\n".join(await nvim.eval("getline(1, '$')")))

    await until(shown, f"the question about {text!r}", SECONDS)


async def record(nvim: Neovim) -> str:
    """Return the text of the kernel buffer."""
    return "\n".join(await nvim.eval("getbufline(bufnr('^Claude kernel$'), 1, '$')"))
