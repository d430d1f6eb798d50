"""The user's own tools: from Lua and Vimscript in Neovim, and from Python packages."""
