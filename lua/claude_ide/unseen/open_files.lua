--- Lines that an agent has written in loaded files. A buffer is watched only while it has signs.
local closed_files = require('claude_ide.unseen.closed_files')
local debounce = require('claude_ide.timing.debounce')
local file = require('claude_ide.file.path')
local marks = require('claude_ide.unseen.marks')

local M = {}

local api = vim.api

local CHECK = 100 -- milliseconds between two checks of changed lines
local GROUP = 'claude_ide_unseen'

---@class claude_ide.ChangedRows rows that have changed since the last check
---@field first integer
---@field last integer exclusive

local watched = {} ---@type table<integer, true> buffers with autocommands
local attached = {} ---@type table<integer, true> buffers whose changes we get
local changed = {} ---@type table<integer, claude_ide.ChangedRows> by buffer

---@class claude_ide.SeenPlace the last line that was seen because the cursor is in it
---@field bufnr integer
---@field row integer
---@field tick integer
local latest ---@type claude_ide.SeenPlace?

local function lines_of(bufnr)
  return api.nvim_buf_get_lines(bufnr, 0, -1, true)
end

local function unwatch(bufnr)
  watched[bufnr], changed[bufnr] = nil, nil
  marks.forget(bufnr)
  pcall(api.nvim_clear_autocmds, { group = GROUP, buffer = bufnr })
end

--- The user has seen rows.
---@param bufnr integer
---@param first integer
---@param last integer exclusive; -1 for the end
---@return integer count of those that had a sign
function M.see(bufnr, first, last)
  local count = marks.remove(bufnr, first, last)
  if watched[bufnr] and marks.is_empty(bufnr) then
    unwatch(bufnr)
  end
  return count
end

-- The user has seen the line that the cursor is in. This runs for each key that moves the cursor.
local function look(bufnr)
  local row = api.nvim_win_get_cursor(0)[1] - 1
  if marks.has(bufnr, row) then
    M.see(bufnr, row, row + 1)
    latest = { bufnr = bufnr, row = row, tick = api.nvim_buf_get_changedtick(bufnr) }
  end
end

local function look_if_current(bufnr)
  if watched[bufnr] and api.nvim_get_current_buf() == bufnr then
    look(bufnr)
  end
end

local check_soon = debounce.new(CHECK, function()
  local all = changed
  changed = {}
  for bufnr, rows in pairs(all) do
    if watched[bufnr] and api.nvim_buf_is_loaded(bufnr) then
      -- A removed line also changes what the line above it shows.
      marks.check(bufnr, math.max(rows.first - 1, 0), rows.last + 1)
      if marks.is_empty(bufnr) then
        unwatch(bufnr)
      end
    end
  end
end).soon

-- Called for every change of a buffer. During an undo, extmarks are not yet where they will be.
local function note_change(bufnr, first, last, new_last)
  local rows = changed[bufnr]
  if rows then
    rows.last = math.max(rows.last + new_last - last, new_last)
    rows.first = math.min(rows.first, first)
  else
    changed[bufnr] = { first = first, last = new_last }
  end
  check_soon()
end

local function attach(bufnr)
  if attached[bufnr] then
    return
  end
  attached[bufnr] = api.nvim_buf_attach(bufnr, false, {
    on_lines = function(_, _, _, first, last, new_last)
      if not watched[bufnr] then
        attached[bufnr] = nil
        return true
      end
      note_change(bufnr, first, last, new_last)
    end,
    on_reload = function()
      note_change(bufnr, 0, 0, api.nvim_buf_line_count(bufnr))
    end,
    on_detach = function()
      attached[bufnr] = nil
    end,
  }) or nil
end

local function close(bufnr)
  local path = file.path(bufnr)
  if path and vim.v.exiting == vim.NIL then
    marks.check(bufnr, 0, -1)
    closed_files.add(path, lines_of(bufnr), marks.rows(bufnr))
  end
  unwatch(bufnr)
end

local function watch(bufnr)
  if watched[bufnr] then
    return
  end
  watched[bufnr] = true
  local group = api.nvim_create_augroup(GROUP, { clear = false })
  api.nvim_create_autocmd({ 'CursorMoved', 'CursorMovedI' }, {
    group = group,
    buffer = bufnr,
    callback = function()
      look(bufnr)
    end,
  })
  api.nvim_create_autocmd('BufUnload', {
    group = group,
    buffer = bufnr,
    callback = function()
      close(bufnr)
    end,
  })
  attach(bufnr)
end

local function put(bufnr, rows)
  if next(rows) then
    marks.add(bufnr, rows)
    watch(bufnr)
  end
end

--- Put signs at rows that an agent has written, apart from the one that the user is in.
---@param bufnr integer loaded
---@param rows claude_ide.WrittenRows
function M.add(bufnr, rows)
  put(bufnr, rows)
  look_if_current(bufnr)
end

--- A buffer has the present text of its file, of which rows may have been kept.
---@param bufnr integer
function M.read(bufnr)
  local path = file.path(bufnr)
  if path and closed_files.has(path) then
    put(bufnr, closed_files.take(path, lines_of(bufnr)))
    -- While a file is read, the cursor is not yet where it will be.
    vim.schedule(function()
      look_if_current(bufnr)
    end)
  end
end

closed_files.when_read(M.read)

-- The line that the user is in belongs to the block that it had its sign in.
local function is_bridge(bufnr, row)
  return latest ~= nil
    and latest.bufnr == bufnr
    and latest.row == row
    and latest.tick == api.nvim_buf_get_changedtick(bufnr)
end

---@class claude_ide.UnseenBlock lines without others between them
---@field first integer row, 0-based
---@field last integer exclusive

--- The lines of the current buffer that have a sign, in blocks.
---@return claude_ide.UnseenBlock[]
function M.blocks()
  local bufnr, row = api.nvim_get_current_buf(), api.nvim_win_get_cursor(0)[1] - 1
  local rows, blocks = marks.rows(bufnr), {}
  if is_bridge(bufnr, row) and (rows[row - 1] or rows[row + 1]) then
    rows[row] = 'written'
  end
  for each in vim.spairs(rows) do
    local block = blocks[#blocks]
    if block and block.last == each then
      block.last = each + 1
    else
      table.insert(blocks, { first = each, last = each + 1 })
    end
  end
  return blocks
end

return M
