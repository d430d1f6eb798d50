--- Neovim crashes without this plugin: the user enters two floats, one after the other, and goes to
--- another tab page; then both are closed, the second one first.
---   nvim --clean -S entered_floats_close_from_another_tab_page.lua
--- 0.11.4 and 0.12.4 crash (SIGSEGV). A single float that was entered can be closed.
local api = vim.api

local function enter_float()
  local config = { relative = 'editor', row = 1, col = 5, width = 12, height = 2 }
  return api.nvim_open_win(api.nvim_create_buf(false, true), true, config)
end

local first, last = enter_float(), enter_float()
vim.cmd.tabnew()
api.nvim_win_close(last, true)
api.nvim_win_close(first, true)
vim.cmd.redraw()
vim.cmd('qall!')
