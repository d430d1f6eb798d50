--- Shows a text in a read-only buffer, for reading, searching and yanking.
local colouring = require('claude_ide.colouring')
local location = require('claude_ide.window.location')
local plain = require('claude_ide.say.plain')
local quiet = require('claude_ide.say.quiet')
local window_close = require('claude_ide.window.close')

local M = {}

-- Without this, closing the window would move the user to a neighbouring window.
local function return_on_close(win)
  local origin = location.current()
  vim.api.nvim_create_autocmd('WinClosed', {
    pattern = tostring(win),
    once = true,
    callback = function()
      if vim.api.nvim_get_current_win() == win then
        vim.schedule(function()
          location.go_back(origin)
        end)
      end
    end,
  })
end

--- Show a text in a split at the bottom of the screen; `q` closes it.
---@param title string
---@param text string
---@param filetype? string
---@return integer bufnr
function M.open(title, text, filetype)
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, plain.lines(text))
  vim.bo[bufnr].bufhidden = 'wipe'
  vim.bo[bufnr].modifiable = false
  vim.api.nvim_buf_set_name(bufnr, ('claude-text://%d/%s'):format(bufnr, plain.one_line(title)))
  local win
  quiet.run(function()
    win = vim.api.nvim_open_win(bufnr, false, { split = 'below', win = -1 })
    return_on_close(win)
    vim.api.nvim_set_current_win(win)
  end)
  -- The new window has inherited the options of the previous one.
  vim.wo[win].winfixbuf = false
  vim.wo[win].winbar = ''
  if type(filetype) == 'string' then
    colouring.set_filetype(bufnr, filetype)
  end
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = bufnr, nowait = true, desc = 'Close' })
  return bufnr
end

--- Close a text, if it is still open.
---@param bufnr integer
function M.close(bufnr)
  window_close.buffer(bufnr)
end

return M
