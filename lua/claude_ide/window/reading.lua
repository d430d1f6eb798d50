--- How much of a text that the user decides on they could read: since when it is on the screen, and how far
--- it has been there without a gap from its beginning. Only what was drawn counts (`window/drawn`).
local drawn = require('claude_ide.window.drawn')

local M = {}

local api, fn = vim.api, vim.fn
local namespace = api.nvim_create_namespace('claude_ide_reading')

--- Milliseconds that a text must have been on the screen: a key typed earlier was not meant for it.
M.NOTICED = 400

---@class claude_ide.Reading
---@field bufnr integer
---@field since? integer nanoseconds: when it was first drawn, or appeared again
---@field mark? integer the extmark at the end of what has been shown

local function width_of(bufnr, row)
  return #api.nvim_buf_get_lines(bufnr, row, row + 1, true)[1]
end

-- The end of what has been shown, 0-based; nothing if no line has been.
---@param reading claude_ide.Reading
---@return integer? row
---@return integer? column
local function shown_to(reading)
  local mark = reading.mark
    and api.nvim_buf_get_extmark_by_id(reading.bufnr, namespace, reading.mark, {})
  if mark and mark[1] then
    return mark[1], mark[2]
  end
end

-- The beginning of what has not been shown; nothing if all has been.
---@param reading claude_ide.Reading
---@return integer? row
---@return integer? column
local function rest(reading)
  local row, column = shown_to(reading)
  if not row then
    return 0, 0
  elseif column < width_of(reading.bufnr, row) then
    return row, column
  elseif row + 1 < api.nvim_buf_line_count(reading.bufnr) then
    return row + 1, 0
  end
end

local function is_visible(win, row, column)
  local where = fn.screenpos(win, row + 1, column + 1)
  return where.row > 0 and where.col > 0, where.row
end

-- The column after the last one that is visible, in a line whose column `from` is.
local function visible_to(win, row, from, width)
  local low, high = from, width - 1
  if width == 0 or is_visible(win, row, high) then
    return width
  end
  while high - low > 1 do
    local middle = math.floor((low + high) / 2)
    if is_visible(win, row, middle) then
      low = middle
    else
      high = middle
    end
  end
  return low
end

local function is_folded(win, row)
  return vim.wo[win].foldenable and api.nvim_win_call(win, function()
    return fn.foldclosed(row + 1) ~= -1
  end)
end

-- Where the text that follows what has been shown is not visible, the reason.
local function obstacle(win, info, row, column)
  if vim.wo[win].conceallevel > 0 then
    return 'some of it may be concealed: :setlocal conceallevel=0 shows it'
  elseif is_folded(win, row) then
    return 'some of it is folded: zR opens the folds'
  end
  local is_here = row + 1 >= info.topline and row + 1 <= info.botline
  local is_seen, screen_row = is_visible(win, row, column)
  -- With 'smoothscroll', a mark covers the beginning of a line that is cut.
  local is_covered = column > 0 and vim.wo[win].wrap and screen_row == info.winrow + info.winbar
  if is_here and not is_seen and not vim.wo[win].wrap then
    return 'some of it is to the right: scroll there, or :setlocal wrap'
  elseif row + 1 < info.topline then
    return ('line %d was skipped: scroll back to it first'):format(row + 1)
  elseif not (is_here and is_seen) or is_covered then
    return 'there is more below: scroll to the end first'
  end
end

---@param reading claude_ide.Reading
local function look(reading, win)
  local info = fn.getwininfo(win)[1]
  local row, column = rest(reading)
  while row and not obstacle(win, info, row, column) do
    local width = width_of(reading.bufnr, row)
    local to = visible_to(win, row, column, width)
    if to == column and width > 0 then
      return
    end
    local options = { id = reading.mark, right_gravity = false }
    reading.mark = api.nvim_buf_set_extmark(reading.bufnr, namespace, row, to, options)
    row, column = rest(reading)
  end
end

--- Start to record what is shown of a buffer.
---@param bufnr integer
---@return claude_ide.Reading
function M.new(bufnr)
  local reading = { bufnr = bufnr } ---@type claude_ide.Reading
  drawn.watch(bufnr, function(win, has_appeared)
    if has_appeared or not reading.since then
      reading.since = vim.uv.hrtime()
    end
    look(reading, win)
  end)
  return reading
end

--- The text is another one now: nothing of it has been shown.
---@param reading claude_ide.Reading
function M.restart(reading)
  reading.since, reading.mark = nil, nil
  api.nvim_buf_clear_namespace(reading.bufnr, namespace, 0, -1)
end

--- Whether the text has been on the screen long enough for a key to be meant for it.
---@param reading claude_ide.Reading
---@return boolean
function M.is_noticed(reading)
  return reading.since ~= nil and (vim.uv.hrtime() - reading.since) / 1e6 >= M.NOTICED
end

--- Why the user cannot have read all of the text; nil if all of it has been on the screen.
---@param reading claude_ide.Reading
---@return string?
function M.missing(reading)
  local row, column = rest(reading)
  if not row then
    return nil
  end
  local win = fn.win_findbuf(reading.bufnr)[1]
  return win and obstacle(win, fn.getwininfo(win)[1], row, column)
    or 'some of it has not been shown yet'
end

return M
