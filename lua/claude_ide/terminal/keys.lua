--- The keys that lead out of the CLI's terminal, as CTRL-W and CTRL-Z do from any other window. The CLI
--- gets all other keys, also <Esc>, and CTRL-W if it is pressed twice.
local typing_mode = require('claude_ide.terminal.typing_mode')

local M = {}

local api = vim.api
local WINDOWS = {
  h = 'Go to the window on the left',
  j = 'Go to the window below',
  k = 'Go to the window above',
  l = 'Go to the window on the right',
  p = 'Go to the previous window',
}

-- Without another window in this direction, the terminal keeps its mode.
local function leave(bufnr, direction)
  return function()
    local window = api.nvim_get_current_win()
    vim.cmd.wincmd(direction)
    typing_mode.keep(bufnr, api.nvim_get_current_win() ~= window)
  end
end

--- Define the keys in a terminal.
---@param bufnr integer
function M.define(bufnr)
  for direction, description in pairs(WINDOWS) do
    local options = { buffer = bufnr, desc = description }
    vim.keymap.set('t', '<C-w>' .. direction, leave(bufnr, direction), options)
  end
  vim.keymap.set('t', '<C-w><C-w>', '<C-w>', { buffer = bufnr, desc = 'Send CTRL-W' })
  -- Suspended, the CLI could not be continued: it has no shell.
  vim.keymap.set('t', '<C-z>', '<Cmd>suspend<CR>', { buffer = bufnr, desc = 'Suspend Neovim' })
  typing_mode.watch(bufnr)
  typing_mode.resume_on_entry(bufnr)
end

return M
