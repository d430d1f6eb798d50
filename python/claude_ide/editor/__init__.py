"""Neovim as the rest sees it; the only folder that knows pynvim."""
