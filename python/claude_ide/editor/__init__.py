"""The editor as the other rooms see it; only `neovim.py` knows pynvim."""
