"""The editor as the rest sees it; `neovim.py` alone knows pynvim."""
