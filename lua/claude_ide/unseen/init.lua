--- Signs at lines that an agent has written and the user has not seen (option `changes.signs`). A line is
--- seen once the cursor is in it. Nothing runs while no line has a sign.
local buffer_text = require('claude_ide.file.text')
local buffers = require('claude_ide.file.buffers')
local closed_files = require('claude_ide.unseen.closed_files')
local disk = require('claude_ide.file.disk')
local file = require('claude_ide.file.path')
local marks = require('claude_ide.unseen.marks')
local open_files = require('claude_ide.unseen.open_files')
local own_options = require('claude_ide.own_options')
local rebase = require('claude_ide.file.rebase')
local written_rows = require('claude_ide.unseen.rows')

local M = {}

local handled = {} ---@type table<integer, string> stamps of the files whose last write has its signs

M.see, M.updated, M.blocks = open_files.see, open_files.read, open_files.blocks

--- Whether the user wants the signs.
---@return boolean
function M.is_on()
  local value = own_options.get('changes', 'signs')
  -- Vimscript may write it as a number.
  return value == true or value == 1
end

--- An agent has written the file of a buffer, which has the new text now.
---@param bufnr integer
---@param before string[]
---@param after string[]
function M.wrote(bufnr, before, after)
  if M.is_on() then
    handled[bufnr] = disk.stamp_of(bufnr)
    open_files.add(bufnr, written_rows.of_hunks(rebase.hunks(before, after)))
  end
end

--- Whether the last write to the file of a buffer has its signs.
---@param bufnr integer
---@return boolean
function M.has_handled(bufnr)
  return handled[bufnr] == disk.stamp_of(bufnr)
end

--- An agent reports what it has changed in the file of a buffer.
---@param bufnr integer loaded
---@param hunks claude_ide.ChangedHunk[]
function M.changed_in(bufnr, hunks)
  local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
  open_files.add(bufnr, written_rows.of_reported(hunks, lines))
end

--- Whether a text has lines that an agent reports to have changed.
---@param lines string[]
---@param on_disk string[] the text of the file, which has them
---@param hunks claude_ide.ChangedHunk[]
---@return boolean
function M.are_in(lines, on_disk, hunks)
  local rows = written_rows.of_reported(hunks, on_disk)
  return next(written_rows.shifted(rows, on_disk, lines)) ~= nil
end

--- An agent reports what it has changed in a file that no buffer shows as it is now.
---@param path string
---@param lines string[] the text on disk
---@param hunks claude_ide.ChangedHunk[]
function M.changed_on_disk(path, lines, hunks)
  closed_files.add(path, lines, written_rows.of_reported(hunks, lines))
end

--- A file is gone.
---@param path string
function M.deleted(path)
  closed_files.forget(path)
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
  closed_files.remove(path, lines, first, last)
end

--- The user has seen all lines of all files.
---@return integer count of lines
function M.see_all()
  return vim.iter(marks.buffers()):fold(closed_files.clear(), function(count, bufnr)
    return count + M.see(bufnr, 0, -1)
  end)
end

--- Follow a change of the options.
function M.update()
  if not M.is_on() then
    M.see_all()
  end
end

--- Whether a file has such lines in its present text.
---@param path string
---@return boolean
function M.has(path)
  local bufnr = buffers.loaded(path)
  local text = not bufnr and buffer_text.read(path)
  if bufnr then
    return not marks.is_empty(bufnr)
  elseif text then
    closed_files.remove(path, text.lines, 0, 0)
  else
    closed_files.forget(path)
  end
  return closed_files.has(path)
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
