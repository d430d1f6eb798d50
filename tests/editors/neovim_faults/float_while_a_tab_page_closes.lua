--- Neovim crashes or hangs without this plugin: an autocommand opens a float in a tab page whose last
--- tiled window is being closed.
---   EVENT=WinClosed timeout 5 nvim --headless -u NONE -S float_while_a_tab_page_closes.lua
---
--- | EVENT                                              | 0.11.4  | 0.12.4                         |
--- | -------------------------------------------------- | ------- | ------------------------------ |
--- | WinClosed                                          | crashes | refuses with E5601             |
--- | BufWinLeave                                        | crashes | E5601, then hangs              |
--- | WinLeave, BufLeave, TabLeave                       | crashes | no harm                        |
--- | BufEnter, WinEnter, TabEnter, TabClosed, BufUnload | no harm | no harm                        |
---
--- The crashes are SIGSEGV. Keep the timeout: a Neovim that hangs uses more and more memory.
local api = vim.api
vim.cmd.tabnew()
local win = api.nvim_get_current_win()

local function open()
  if not api.nvim_win_is_valid(win) then
    return
  end
  local bufnr = api.nvim_create_buf(false, true)
  local config = { relative = 'win', win = win, row = 0, col = 1, width = 6, height = 1 }
  config.noautocmd = true
  pcall(api.nvim_open_win, bufnr, false, config)
end

api.nvim_create_autocmd(vim.env.EVENT, { callback = open })
local ok, reason = pcall(vim.cmd.quit)
io.stdout:write(ok and 'closed' or reason, '\n')
vim.cmd('qall!')
