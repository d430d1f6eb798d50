--- Shows a text in a read-only buffer, for reading, searching and yanking.
local colouring = require('claude_ide.colouring')
local label = require('claude_ide.window.label')
local location = require('claude_ide.window.location')
local plain = require('claude_ide.messages.plain')
local quiet = require('claude_ide.messages.quiet')
local window_close = require('claude_ide.window.close')

local M = {}

local api = vim.api

local LONGEST_TITLE = 60 -- columns

--- Show a buffer in a split at an edge of the screen, and enter it. The user returns from it.
---@param bufnr integer
---@param edge 'above'|'below'
---@param height? integer
---@return integer win
function M.enter_split(bufnr, edge, height)
  return quiet.run(function()
    local win = api.nvim_open_win(bufnr, false, { split = edge, win = -1, height = height })
    location.return_on_close(win, location.current())
    api.nvim_set_current_win(win)
    return win
  end)
end

--- Show a text in a split at an edge of the screen; `q` closes it.
---@param source string what the text is about, for the buffer's name, such as an agent
---@param title string
---@param text string
---@param filetype? string
---@param edge? 'above'|'below' the default is 'below', where a list in the command line would cover it
---@return integer bufnr
function M.open(source, title, text, filetype, edge)
  local bufnr = api.nvim_create_buf(false, true)
  api.nvim_buf_set_lines(bufnr, 0, -1, false, plain.lines(text))
  vim.bo[bufnr].bufhidden = 'wipe'
  vim.bo[bufnr].modifiable = false
  local name = ('%s: %s'):format(plain.one_line(source), plain.shorten(title, LONGEST_TITLE))
  label.give(bufnr, 'claude-text', name)
  local win = M.enter_split(bufnr, edge or 'below')
  -- The new window has inherited the options of the previous one.
  vim.wo[win].winfixbuf = false
  vim.wo[win].winbar = ''
  if filetype and filetype ~= '' then
    colouring.set_filetype(bufnr, filetype)
  end
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = bufnr, nowait = true, desc = 'Close' })
  return bufnr
end

--- Replace a text that is still on screen. Windows at its end stay there.
---@param bufnr integer
---@param text string
---@param to_end? boolean move to the end in any case
---@return boolean is_open
function M.replace(bufnr, text, to_end)
  local wins = vim.fn.win_findbuf(bufnr)
  if #wins == 0 then
    return false
  end
  local last = api.nvim_buf_line_count(bufnr)
  local following = vim.tbl_filter(function(win)
    return to_end == true or api.nvim_win_get_cursor(win)[1] == last
  end, wins)
  vim.bo[bufnr].modifiable = true
  api.nvim_buf_set_lines(bufnr, 0, -1, false, plain.lines(text))
  vim.bo[bufnr].modifiable = false
  for _, win in ipairs(following) do
    api.nvim_win_set_cursor(win, { api.nvim_buf_line_count(bufnr), 0 })
  end
  return true
end

--- Close a text, if it is still open.
---@param bufnr integer
function M.close(bufnr)
  window_close.buffer(bufnr)
end

return M
