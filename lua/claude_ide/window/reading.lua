--- When Neovim has drawn a window, and how much of a text that the user decides on they could read: since
--- when it is on the screen, and how far it has been there without a gap from its beginning. Changes of a
--- text are drawn when all waiting keys are handled, not when they are made; only what was drawn counts.
local autocommands = require('claude_ide.messages.autocommands')

local M = {}

local api, fn = vim.api, vim.fn
local namespace = api.nvim_create_namespace('claude_ide_reading')

--- Milliseconds that a text must have been on the screen: a key typed earlier was not meant for it.
M.NOTICED = 400

---@class claude_ide.Reading
---@field bufnr integer
---@field is_markup boolean whether a plugin of the user's may hide markup: what they see then counts by lines
---@field since? integer nanoseconds: when it was first drawn, or appeared again
---@field mark? integer the extmark at the end of what has been shown

---@alias claude_ide.OnDrawn fun(win: integer, has_appeared: boolean)

---@type table<integer, claude_ide.OnDrawn> by buffer
local watched = {}
---@type table<integer, integer> the watched buffers in the windows that are on the screen
local on_screen = {}
---@type table<integer, integer> the same for the windows that are being drawn
local drawing = {}

local function on_win(_, win, bufnr)
  drawing[win] = watched[bufnr] and bufnr or nil
  on_screen[win] = drawing[win] and on_screen[win]
  return false
end

local function on_end()
  local drawn = drawing
  drawing = {}
  for win, bufnr in pairs(drawn) do
    local has_appeared = on_screen[win] ~= bufnr
    on_screen[win] = bufnr
    if watched[bufnr] then
      watched[bufnr](win, has_appeared)
    end
  end
end

--- Call `fn` whenever a window with this buffer has been drawn. It must not change anything. `has_appeared`
--- says whether the buffer was not on the screen in that window before.
---@type fun(bufnr: integer, on_drawn: claude_ide.OnDrawn)
function M.watch(bufnr, on_drawn)
  api.nvim_set_decoration_provider(namespace, { on_win = on_win, on_end = on_end })
  autocommands.group('claude_ide_drawn')('TabLeave', nil, function()
    on_screen = {}
  end)
  for known in pairs(watched) do
    watched[known] = api.nvim_buf_is_valid(known) and watched[known] or nil
  end
  watched[bufnr] = on_drawn
end

local function width_of(bufnr, row)
  return #api.nvim_buf_get_lines(bufnr, row, row + 1, true)[1]
end

-- The beginning of what has not been shown, 0-based; nothing if all has been.
---@param bufnr integer
---@param row integer the end of what has been shown
---@param column integer
---@return integer? row
---@return integer? column
local function after(bufnr, row, column)
  if column < width_of(bufnr, row) then
    return row, column
  elseif row + 1 < api.nvim_buf_line_count(bufnr) then
    return row + 1, 0
  end
end

---@param reading claude_ide.Reading
---@return integer? row
---@return integer? column
local function rest(reading)
  local bufnr = reading.bufnr
  local mark = reading.mark and api.nvim_buf_get_extmark_by_id(bufnr, namespace, reading.mark, {})
    or {}
  -- `:edit!` fills the buffer again, and may leave the mark behind.
  if mark[1] and mark[1] < api.nvim_buf_line_count(bufnr) then
    return after(bufnr, mark[1], mark[2])
  end
  return 0, 0
end

local function has_concealed(win)
  return vim.wo[win].conceallevel > 0
end

---@param reading claude_ide.Reading
local function is_visible(reading, win, row, column)
  local info = fn.getwininfo(win)[1]
  if row + 1 < info.topline or row + 1 > info.botline then
    return false
  elseif reading.is_markup and has_concealed(win) then
    return true
  end
  local where = fn.screenpos(win, row + 1, column + 1)
  -- With 'smoothscroll', a mark covers the beginning of the first row of a line that is cut.
  local is_covered = row + 1 == info.topline
    and vim.wo[win].wrap
    and fn.screenpos(win, row + 1, 1).row == 0
    and where.row <= info.winrow + info.winbar
  return where.row > 0 and where.col > 0 and not is_covered
end

-- The column after the last one that is visible, in a line whose column `from` is.
local function visible_to(reading, win, row, from)
  local width = width_of(reading.bufnr, row)
  local low, high = from, width - 1
  if width == 0 or is_visible(reading, win, row, high) then
    return width
  end
  while high - low > 1 do
    local middle = math.floor((low + high) / 2)
    if is_visible(reading, win, row, middle) then
      low = middle
    else
      high = middle
    end
  end
  return low + 1
end

local function is_folded(win, row)
  return vim.wo[win].foldenable
    and api.nvim_win_call(win, function()
      return fn.foldclosed(row + 1) ~= -1
    end)
end

-- Why the text from a position on is not visible; nil if it is.
---@param reading claude_ide.Reading
---@return string?
local function obstacle(reading, win, row, column)
  local info = fn.getwininfo(win)[1]
  if has_concealed(win) and not reading.is_markup then
    return 'some of it may be concealed: :setlocal conceallevel=0 shows it'
  elseif is_folded(win, row) then
    return 'some of it is folded: zR opens the folds'
  elseif row + 1 < info.topline then
    return ('line %d has not been shown: scroll back to it'):format(row + 1)
  elseif not is_visible(reading, win, row, column) then
    local is_right = row + 1 <= info.botline and not vim.wo[win].wrap
    return is_right and 'some of it is to the right: scroll there, or :setlocal wrap'
      or 'there is more below: scroll to the end first'
  end
end

---@param reading claude_ide.Reading
local function look(reading, win)
  local row, column = rest(reading)
  local last, to
  while row and not obstacle(reading, win, row, column) do
    last, to = row, visible_to(reading, win, row, column)
    row, column = after(reading.bufnr, last, to)
  end
  if last then
    local options = { id = reading.mark, right_gravity = false }
    reading.mark = api.nvim_buf_set_extmark(reading.bufnr, namespace, last, to, options)
  end
end

--- Start to record what is shown of a buffer.
---@param bufnr integer
---@param is_markup? boolean whether a plugin of the user's may hide markup
---@return claude_ide.Reading
function M.new(bufnr, is_markup)
  ---@type claude_ide.Reading
  local reading = { bufnr = bufnr, is_markup = is_markup == true }
  M.watch(bufnr, function(win, has_appeared)
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
---@type fun(reading: claude_ide.Reading): boolean
function M.is_noticed(reading)
  return reading.since ~= nil and (vim.uv.hrtime() - reading.since) / 1e6 >= M.NOTICED
end

--- Why the user cannot have read all of the text; nil if all of it has been on the screen.
---@type fun(reading: claude_ide.Reading): string?
function M.missing(reading)
  local row, column = rest(reading)
  if not row then
    return nil
  end
  local win = fn.win_findbuf(reading.bufnr)[1]
  return win and obstacle(reading, win, row, column) or 'some of it has not been shown yet'
end

return M
