--- The keys that lead out of the CLI's terminal, as CTRL-W and CTRL-Z do from any other window, and CTRL-H,
--- J, K and L where the user maps them so. The CLI gets all others, and CTRL-W if it is pressed twice.
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

-- What a mapping does that goes to the window in a direction, which stands for the `?`.
local WAYS = { '^<c%-w>?$', '^<c%-w><c%-?>$', '^[:<].*wincmd ?<cr>$' }
local NAVIGATORS = { h = 'left', j = 'down', k = 'up', l = 'right' } -- of vim-tmux-navigator

-- Whether the user's key CTRL-`direction` goes to the window in this direction, and is theirs in no terminal.
---@param direction string
---@return boolean
local function is_mapped_so(direction)
  local key = ('<C-%s>'):format(direction)
  local rhs = vim.fn.maparg(key, 'n'):lower()
  local navigates = rhs:find('tmuxnavigate' .. NAVIGATORS[direction], 1, true) ~= nil
  local goes = vim.iter(WAYS):any(function(way)
    return rhs:find((way:gsub('?', direction))) ~= nil
  end)
  return (goes or navigates) and vim.fn.maparg(key, 't') == ''
end

-- Without another window in this direction, the terminal keeps its mode.
local function leave(bufnr, direction)
  return function()
    local window = api.nvim_get_current_win()
    vim.cmd.wincmd(direction)
    typing_mode.keep(bufnr, api.nvim_get_current_win() ~= window)
  end
end

-- Without a window in this direction, the CLI gets the key: CTRL-J is a line feed there.
local function leave_or_send(bufnr, direction)
  local go = leave(bufnr, direction)
  return function()
    if vim.fn.winnr(direction) == vim.fn.winnr() then
      return ('<C-%s>'):format(direction)
    end
    vim.schedule(go)
    return ''
  end
end

--- Define the keys in a terminal.
---@param bufnr integer
function M.define(bufnr)
  for direction, description in pairs(WINDOWS) do
    local options = { buffer = bufnr, desc = description }
    vim.keymap.set('t', '<C-w>' .. direction, leave(bufnr, direction), options)
    if direction ~= 'p' and is_mapped_so(direction) then
      local or_send = { expr = true, buffer = bufnr, desc = description }
      vim.keymap.set('t', ('<C-%s>'):format(direction), leave_or_send(bufnr, direction), or_send)
    end
  end
  vim.keymap.set('t', '<C-w><C-w>', '<C-w>', { buffer = bufnr, desc = 'Send CTRL-W' })
  -- Suspended, the CLI could not be continued: it has no shell.
  vim.keymap.set('t', '<C-z>', '<Cmd>suspend<CR>', { buffer = bufnr, desc = 'Suspend Neovim' })
  typing_mode.watch(bufnr)
  typing_mode.resume_on_entry(bufnr)
end

return M
