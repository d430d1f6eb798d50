--- Shows the hunk under the cursor of the quickfix window in a float that takes no focus.
local colouring = require('claude_ide.colouring')
local float = require('claude_ide.window.float')
local plain = require('claude_ide.messages.plain')
local review_hunks = require('claude_ide.review.hunks')
local window_close = require('claude_ide.window.close')
local window_looks = require('claude_ide.window.looks')

local M = {}

local api = vim.api

local NARROWEST = 40 -- columns
local LEAST = 3 -- lines between the float and the edge of the screen that are worth using

local opened ---@type integer? the window
local shown ---@type claude_ide.ReviewHunk?

local function is_open()
  return opened ~= nil and api.nvim_win_is_valid(opened)
end

--- Close the float.
function M.close()
  if is_open() then
    pcall(window_close.window, opened)
  end
  opened, shown = nil, nil
end

-- Above the quickfix window, or below it if it is at the top of the screen.
local function geometry(win, lines)
  local count, wanted = #lines, math.max(float.widest(lines), NARROWEST)
  local row, column = unpack(api.nvim_win_get_position(win))
  local below = row + api.nvim_win_get_height(win) + 1
  local room_above = row - 2
  local room_below = vim.o.lines - vim.o.cmdheight - below - 2
  local is_above = room_above >= math.max(LEAST, math.min(count, room_below))
  local room = is_above and room_above or room_below
  if room < LEAST then
    return nil
  end
  local height = math.min(count, room)
  return {
    relative = 'editor',
    row = is_above and row - height - 2 or below,
    col = column,
    width = math.max(1, math.min(wanted, api.nvim_win_get_width(win) - 2)),
    height = height,
  }
end

local function fill(lines)
  local bufnr = api.nvim_create_buf(false, true)
  api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].bufhidden, vim.bo[bufnr].modifiable = 'wipe', false
  colouring.set_filetype(bufnr, 'diff')
  return bufnr
end

local function open(win, hunk)
  local lines = review_hunks.diff(hunk)
  local config = geometry(win, lines)
  if not config then
    return M.close()
  end
  config.title = (' %s '):format(plain.one_line(hunk.file.name))
  config.border, config.style, config.focusable, config.zindex = 'rounded', 'minimal', false, 60
  local bufnr = fill(lines)
  if is_open() then
    api.nvim_win_set_buf(assert(opened), bufnr)
    api.nvim_win_set_config(assert(opened), config)
  else
    config.noautocmd = true
    opened = api.nvim_open_win(bufnr, false, config)
  end
  local options = { wrap = false, winbar = '', winfixbuf = false, foldenable = false }
  window_looks.set(assert(opened), options)
  api.nvim_win_call(assert(opened), function()
    vim.fn.winrestview({ topline = 1 })
  end)
end

--- Show a hunk next to the quickfix window.
---@param win integer the quickfix window
---@param hunk? claude_ide.ReviewHunk nil closes the float
function M.show(win, hunk)
  if not hunk then
    return M.close()
  elseif hunk ~= shown or not is_open() then
    -- It fails while Neovim locks windows; the next movement then shows it.
    pcall(open, win, hunk)
    shown = is_open() and hunk or nil
  end
end

return M
