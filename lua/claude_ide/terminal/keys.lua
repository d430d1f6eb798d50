--- The keys that lead out of the CLI's terminal, as CTRL-W does from any other window. The CLI gets all
--- other keys, also <Esc>, and CTRL-W if it is pressed twice.
local M = {}

local api = vim.api
local WINDOWS = {
  h = 'Go to the window on the left',
  j = 'Go to the window below',
  k = 'Go to the window above',
  l = 'Go to the window on the right',
  p = 'Go to the previous window',
}

local typing = {} ---@type table<integer, boolean> buffers whose window was left in Terminal mode

-- Without another window in this direction, the terminal keeps its mode.
local function leave(bufnr, direction)
  return function()
    local window = api.nvim_get_current_win()
    vim.cmd.wincmd(direction)
    typing[bufnr] = api.nvim_get_current_win() ~= window or nil
  end
end

-- Also if the CLI has opened a file and moved the user there.
local function keep_typing(bufnr)
  return function()
    if api.nvim_get_mode().mode == 't' then
      typing[bufnr] = true
    end
  end
end

-- The command that entered the window may go on to another buffer, which must not get the mode.
local function expect_terminal(bufnr)
  local watching = api.nvim_create_autocmd({ 'WinEnter', 'BufEnter' }, {
    callback = function()
      if api.nvim_get_current_buf() ~= bufnr then
        vim.cmd.stopinsert()
        typing[bufnr] = true
      end
    end,
  })
  vim.schedule(function()
    api.nvim_del_autocmd(watching)
  end)
end

-- At once: the next key may have been typed already.
local function resume_typing(bufnr)
  return function()
    if typing[bufnr] and api.nvim_get_mode().mode == 'nt' then
      typing[bufnr] = nil
      vim.cmd.startinsert()
      expect_terminal(bufnr)
    end
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
  api.nvim_create_autocmd('WinLeave', { buffer = bufnr, callback = keep_typing(bufnr) })
  api.nvim_create_autocmd('WinEnter', { buffer = bufnr, callback = resume_typing(bufnr) })
  api.nvim_create_autocmd('BufWipeout', {
    buffer = bufnr,
    callback = function()
      typing[bufnr] = nil
    end,
  })
end

return M
