--- A line of progress in the corner of the screen, in a float that never takes the focus.
local plain = require('claude_ide.messages.plain')
local window_close = require('claude_ide.window.close')

local M = {}

local api = vim.api
local WIDTH = 60

---@class claude_ide.Progress
---@field show fun(text: string) replaces the line
---@field close fun()

local function open_window(bufnr, width)
  return api.nvim_open_win(bufnr, false, {
    relative = 'editor',
    anchor = 'SE',
    row = vim.o.lines - vim.o.cmdheight - 1,
    col = vim.o.columns,
    width = width,
    height = 1,
    style = 'minimal',
    focusable = false,
    noautocmd = true,
  })
end

--- Show a line that begins with the title. Without a window, if Neovim does not allow one now, nothing is
--- shown.
---@param title string
---@return claude_ide.Progress
function M.open(title)
  local bufnr, width = api.nvim_create_buf(false, true), math.min(WIDTH, vim.o.columns - 2)
  vim.bo[bufnr].bufhidden = 'wipe'
  local function show(text)
    if api.nvim_buf_is_valid(bufnr) and #vim.fn.win_findbuf(bufnr) > 0 then
      local line = plain.fit((' %s: %s'):format(title, vim.trim(text)), width)
      api.nvim_buf_set_lines(bufnr, 0, -1, false, { line })
      vim.cmd.redraw()
    end
  end
  -- The command-line window, for one, allows no other window to open.
  pcall(open_window, bufnr, width)
  show('…')
  return {
    show = show,
    close = function()
      pcall(window_close.buffer, bufnr)
    end,
  }
end

return M
