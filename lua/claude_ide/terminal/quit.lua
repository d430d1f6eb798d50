--- How Neovim is asked whether it may exit (`autoload/claude_ide/quitting.vim`).
local close = require('claude_ide.window.close')
local quiet = require('claude_ide.messages.quiet')

local M = {}

local api = vim.api

local LONGEST_DRAWING_MS = 200
local POLL_MS = 20

--- For `:x`, `:wq` and `ZZ`, Neovim exits already, and draws no terminal any more: the host would not see
--- what it types there.
---@return boolean is_drawn
function M.draws_terminals()
  return quiet.run(function()
    local bufnr = api.nvim_create_buf(false, true)
    api.nvim_chan_send(api.nvim_open_term(bufnr, {}), 'x')
    local is_drawn = vim.wait(LONGEST_DRAWING_MS, function()
      return vim.startswith(api.nvim_buf_get_lines(bufnr, 0, 1, true)[1], 'x')
    end, POLL_MS)
    close.buffer(bufnr)
    return is_drawn
  end)
end

--- A changed buffer with the problem as its name: Neovim refuses to exit as it does for any other, and
--- `:qa!` still does. Neovim may show it in the current window.
---@param name string
function M.refuse(name)
  local bufnr = api.nvim_create_buf(false, false)
  local win, here, view =
    api.nvim_get_current_win(), api.nvim_get_current_buf(), vim.fn.winsaveview()
  vim.bo[bufnr].buftype, vim.bo[bufnr].bufhidden = 'acwrite', 'hide'
  api.nvim_buf_set_name(bufnr, name)
  vim.bo[bufnr].modified = true
  vim.schedule(function()
    if api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win) == bufnr then
      api.nvim_win_set_buf(win, here)
      api.nvim_win_call(win, function()
        vim.fn.winrestview(view)
      end)
    end
    close.buffer(bufnr)
  end)
end

return M
