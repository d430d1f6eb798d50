--- A line of progress in the corner of the screen, in a float that never takes the focus.
local plain = require('claude_ide.say.plain')
local window_close = require('claude_ide.window.close')

local M = {}

local WIDTH = 60

local function open_window(bufnr)
  local width = math.min(WIDTH, vim.o.columns - 2)
  return vim.api.nvim_open_win(bufnr, false, {
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

---@class claude_ide.Progress
---@field show fun(text: string) replaces the line
---@field close fun()

--- Show a line that begins with the title. Without a window, if Neovim does not allow one now,
--- nothing is shown.
---@param title string
---@return claude_ide.Progress
function M.open(title)
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.bo[bufnr].bufhidden = 'wipe'
  -- The command-line window, for one, allows no other window to open.
  local ok, window = pcall(open_window, bufnr)
  if ok then
    vim.wo[window].wrap = false
  end
  local function show(text)
    if vim.api.nvim_buf_is_valid(bufnr) then
      local line = (' %s: %s'):format(title, plain.one_line(vim.trim(text)))
      vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, { line })
      vim.cmd.redraw()
    end
  end
  show('…')
  return {
    show = show,
    close = function()
      pcall(window_close.buffer, bufnr)
    end,
  }
end

return M
