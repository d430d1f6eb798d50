--- A line of progress in the corner of the screen, in a float that never takes the focus.
local message = require('claude_ide.messages.message')
local window_close = require('claude_ide.window.close')

local M = {}

local WIDTH = 60
local TICK_MS = 1000
local SHORT_S = 2 -- the time is shown for work that takes longer

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

-- The line, with the time at the end of the window.
local function composed(title, text, seconds, width)
  local line = (' %s: %s'):format(title, vim.trim(text))
  if seconds < SHORT_S then
    return message.fit(line, width)
  end
  local time = (' %d s '):format(seconds)
  line = message.fit(line, width - #time)
  return line .. (' '):rep(width - #time - vim.api.nvim_strwidth(line)) .. time
end

---@class claude_ide.Progress
---@field show fun(text?: string) replaces the line; without a text only the time
---@field close fun()

--- Show a line that begins with the title, and the seconds that have passed. Without a window, if
--- Neovim does not allow one now, nothing is shown.
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
  local began, latest = vim.uv.now(), '…'
  local function show(text)
    latest = text or latest
    if vim.api.nvim_buf_is_valid(bufnr) and vim.api.nvim_win_is_valid(ok and window or -1) then
      local seconds = math.floor((vim.uv.now() - began) / 1000)
      local line = composed(title, latest, seconds, vim.api.nvim_win_get_width(window))
      vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, { line })
      vim.cmd.redraw()
    end
  end
  local timer = assert(vim.uv.new_timer())
  timer:start(
    TICK_MS,
    TICK_MS,
    vim.schedule_wrap(function()
      show()
    end)
  )
  show('…')
  return {
    show = show,
    close = function()
      timer:close()
      pcall(window_close.buffer, bufnr)
    end,
  }
end

return M
