--- Signs at lines that an agent has written and the user has not seen (option `changes.signs`). A line is
--- seen once the cursor is in it. Nothing runs while no line has a sign.
local buffers = require('claude_ide.file.buffers')
local closed_files = require('claude_ide.unseen.closed_files')
local file = require('claude_ide.file.path')
local marks = require('claude_ide.unseen.marks')
local own_options = require('claude_ide.own_options')
local rebase = require('claude_ide.file.rebase')
local stamp = require('claude_ide.file.stamp')
local throttle = require('claude_ide.when.throttle')
local written_rows = require('claude_ide.unseen.rows')

local M = {}

local api = vim.api

local CHECK = 100 -- milliseconds between two checks of changed lines
local GROUP = 'claude_ide_unseen'

---@class claude_ide.ChangedRows rows that have changed since the last check
---@field first integer
---@field last integer exclusive

local attached = {} ---@type table<integer, true> buffers whose changes we get
local changed = {} ---@type table<integer, claude_ide.ChangedRows> by buffer
local watched = {} ---@type table<integer, true> buffers with autocommands
local handled = {} ---@type table<integer, string> stamps of the files whose last write has its signs
local is_reading = false -- whether an autocommand waits for files that are opened

---@class claude_ide.SeenPlace the last line that was seen because the cursor is in it
---@field bufnr integer
---@field row integer
---@field tick integer
local latest ---@type claude_ide.SeenPlace?

--- Whether the user wants the signs.
---@return boolean
function M.is_on()
  local value = own_options.get('changes', 'signs')
  -- Vimscript may write it as a number.
  return value == true or value == 1
end

local function lines_of(bufnr)
  return api.nvim_buf_get_lines(bufnr, 0, -1, true)
end

local function unwatch(bufnr)
  watched[bufnr], changed[bufnr] = nil, nil
  marks.forget(bufnr)
  pcall(api.nvim_clear_autocmds, { group = GROUP, buffer = bufnr })
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

local check_soon = throttle.new(CHECK, function()
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
end)

-- Called for every change of a buffer. During an undo, extmarks are not yet where they will be.
local function note_change(bufnr, first, last, new_last)
  local rows = changed[bufnr]
  if not rows then
    changed[bufnr] = { first = first, last = new_last }
  else
    rows.last = math.max(rows.last + new_last - last, new_last)
    rows.first = math.min(rows.first, first)
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

local settle_read

-- Watch for files with kept lines to be opened, while there are any.
local function watch_reads()
  local is_needed = #closed_files.paths() > 0
  if is_needed == is_reading then
    return
  end
  is_reading = is_needed
  local group = api.nvim_create_augroup(GROUP .. '_files', { clear = true })
  if is_needed then
    api.nvim_create_autocmd('BufReadPost', {
      group = group,
      callback = function(event)
        settle_read(event.buf)
      end,
    })
  end
end

local function keep(bufnr)
  local path = file.path(bufnr)
  if path and vim.v.exiting == vim.NIL then
    marks.check(bufnr, 0, -1)
    closed_files.add(path, lines_of(bufnr), marks.rows(bufnr))
    watch_reads()
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
      keep(bufnr)
    end,
  })
  attach(bufnr)
end

---@param bufnr integer loaded
---@param rows claude_ide.WrittenRows
local function add(bufnr, rows)
  if next(rows) == nil then
    return
  end
  marks.add(bufnr, rows)
  watch(bufnr)
end

settle_read = function(bufnr)
  local path = file.path(bufnr)
  if path and closed_files.has(path) then
    add(bufnr, closed_files.take(path, lines_of(bufnr)))
    watch_reads()
    -- While a file is read, the cursor is not yet where it will be.
    vim.schedule(function()
      look_if_current(bufnr)
    end)
  end
end

--- An agent has written the file of a buffer, which has the new text now.
---@param bufnr integer
---@param before string[]
---@param after string[]
function M.wrote(bufnr, before, after)
  if M.is_on() then
    handled[bufnr] = stamp.of_buffer(bufnr)
    add(bufnr, written_rows.of_hunks(rebase.hunks(before, after)))
    look_if_current(bufnr)
  end
end

--- A buffer has got the present text of its file, which may have been kept before.
---@param bufnr integer
function M.updated(bufnr)
  if is_reading then
    settle_read(bufnr)
  end
end

--- Whether the last write to the file of a buffer has its signs.
---@param bufnr integer
---@return boolean
function M.has_handled(bufnr)
  return handled[bufnr] == stamp.of_buffer(bufnr)
end

--- An agent reports what it has changed in the file of a buffer.
---@param bufnr integer loaded
---@param hunks claude_ide.ChangedHunk[]
function M.changed_in(bufnr, hunks)
  add(bufnr, written_rows.of_reported(hunks, lines_of(bufnr)))
  look_if_current(bufnr)
end

--- An agent reports what it has changed in a file that no buffer shows as it is now.
---@param path string
---@param lines string[] the text on disk
---@param hunks claude_ide.ChangedHunk[]
function M.changed_on_disk(path, lines, hunks)
  closed_files.add(path, lines, written_rows.of_reported(hunks, lines))
  watch_reads()
end

--- A file is gone.
---@param path string
function M.deleted(path)
  closed_files.forget(path)
  watch_reads()
end

--- The user has seen lines of a buffer.
---@param bufnr integer
---@param first integer row, 0-based
---@param last integer exclusive; -1 for the end
---@return integer count of lines that had a sign
function M.see(bufnr, first, last)
  local count = marks.remove(bufnr, first, last)
  if watched[bufnr] and marks.is_empty(bufnr) then
    unwatch(bufnr)
  end
  return count
end

--- The user has seen lines of a file.
---@param path string
---@param lines string[] its text: that of its buffer if it is loaded
---@param first integer row, 0-based
---@param last integer exclusive
function M.see_in(path, lines, first, last)
  local bufnr = buffers.loaded(path)
  if bufnr then
    M.see(bufnr, first, last)
  end
  if closed_files.has(path) then
    closed_files.remove(path, lines, first, last)
    watch_reads()
  end
end

--- The user has seen all lines of all files.
---@return integer count of lines
function M.see_all()
  local count = closed_files.clear()
  watch_reads()
  for _, bufnr in ipairs(marks.buffers()) do
    count = count + M.see(bufnr, 0, -1)
  end
  return count
end

--- Follow a change of the options.
function M.update()
  if not M.is_on() then
    M.see_all()
  end
end

---@class claude_ide.UnseenBlock lines without others between them
---@field first integer row, 0-based
---@field last integer exclusive

-- The line under the cursor belongs to the block that it was in a moment ago.
local function is_bridge(bufnr, row)
  return latest ~= nil
    and latest.bufnr == bufnr
    and latest.row == row
    and latest.tick == api.nvim_buf_get_changedtick(bufnr)
end

--- The lines of the current buffer that have a sign, in blocks. The line that the cursor is in belongs to
--- the block that it had its sign in.
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

--- The files with such lines, in the order of their names.
---@return string[]
function M.paths()
  local paths = closed_files.paths()
  for _, bufnr in ipairs(marks.buffers()) do
    table.insert(paths, file.path(bufnr))
  end
  table.sort(paths)
  return vim.fn.uniq(paths)
end

return M
