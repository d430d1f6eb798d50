--- Buffers that are loaded only to be shown in a diff, and restored to their earlier state afterwards.
local buffers = require('claude_ide.file.buffers')
local disk = require('claude_ide.file.disk')
local file_load = require('claude_ide.file.load')
local file_path = require('claude_ide.file.path')
local moment = require('claude_ide.timing.moment')
local window_close = require('claude_ide.window.close')
local without_events = require('claude_ide.messages.without_events')

local M = {}

local api = vim.api

---@class claude_ide.BorrowedBuffer
---@field holders integer
---@field known boolean whether the buffer existed before
---@field loaded boolean whether it was loaded before
---@field last_position integer[] the mark '"'
---@field changedtick integer just after the load
---@field bufhidden? string the user's 'bufhidden', while `hide` overrides it

---@type table<integer, claude_ide.BorrowedBuffer> by buffer
local borrowed = {}

-- Show an unchangeable buffer that disappears with the window.
local function show_lines(win, lines, endofline)
  local bufnr = api.nvim_create_buf(false, true)
  local options = vim.bo[bufnr]
  options.bufhidden = 'wipe'
  without_events.fill(function()
    api.nvim_win_set_buf(win, bufnr)
  end)
  api.nvim_buf_set_lines(bufnr, 0, -1, true, lines)
  options.endofline, options.modifiable = endofline, false
  return bufnr
end

--- Check that a file can be shown.
---
--- Raises an error, `{path}: {reason}`, if it cannot.
---@param path string
---@return string path absolute
---@return claude_ide.Buffer? buffer
---@return boolean? is_missing the file does not exist
function M.check(path)
  local absolute, refusal, is_missing = file_path.check(path, true)
  if not absolute then
    error(refusal, 0)
  end
  return absolute, buffers.find(absolute), is_missing
end

--- The buffer of a file if its text differs from the disk: it has unsaved changes, or another program has
--- written the file, and the user wants to be asked before it is read again.
---@param path string
---@return integer? bufnr
function M.unsaved(path)
  local found = buffers.find(path)
  local bufnr = found and vim.uv.fs_stat(path) and found.bufnr
  if not found or not bufnr then
    return nil
  end
  local is_asked = found.loaded and not disk.is_autoread(bufnr) and moment.is_possible()
  return (found.modified or is_asked and disk.has_changed(bufnr)) and bufnr or nil
end

--- Show a file in a window: in its own buffer, or in an empty one if the file does not exist. If the
--- file's buffer differs from the disk, show the text on disk in a separate buffer.
---
--- Raises an error if the file cannot be loaded.
---@param path string
---@param win integer
---@param own? integer the buffer to show, if it cannot be found by the path
---@return integer bufnr
---@return integer? unsaved the file's own buffer, if that is a different one
function M.borrow(path, win, own)
  local absolute, found, is_missing = path, nil, nil
  if not own then
    absolute, found, is_missing = M.check(path)
  end
  if is_missing and not (found and found.loaded) then
    return show_lines(win, {}, true)
  end
  local unsaved = not own and M.unsaved(absolute) or nil
  if unsaved then
    -- A proposal changes the text on disk. Next to unsaved changes it would seem to remove them.
    local text = require('claude_ide.file.edit').read(unsaved) or { lines = {}, endofline = true }
    return show_lines(win, text.lines, text.endofline), unsaved
  end
  local bufnr = own or found and found.bufnr or vim.fn.bufadd(absolute)
  if api.nvim_win_get_buf(win) ~= bufnr then
    local reason = without_events.fill(function()
      return select(2, file_load.in_window(win, bufnr))
    end)
    if reason then
      error(reason, 0)
    end
  end
  borrowed[bufnr] = borrowed[bufnr]
    or {
      holders = 0,
      known = own ~= nil or found ~= nil,
      loaded = own ~= nil or (found ~= nil and found.loaded),
      last_position = api.nvim_buf_get_mark(bufnr, '"'),
      changedtick = api.nvim_buf_get_changedtick(bufnr),
    }
  borrowed[bufnr].holders = borrowed[bufnr].holders + 1
  return bufnr
end

--- Keep a borrowed buffer loaded while no window shows it, until it is given back.
---@param bufnr integer
function M.hide(bufnr)
  local options, buffer = vim.bo[bufnr], borrowed[bufnr]
  if buffer then
    buffer.bufhidden = buffer.bufhidden or options.bufhidden
  end
  options.bufhidden = 'hide'
end

--- Leave a buffer loaded that was loaded only to be borrowed; whoever calls this unloads it.
---@param bufnr integer
---@return boolean is_kept whether it is such a one
---@return boolean? is_known whether the buffer existed before
function M.keep(bufnr)
  local buffer = borrowed[bufnr]
  if not buffer or buffer.loaded then
    return false
  end
  buffer.loaded = true
  return true, buffer.known
end

---@type fun(bufnr: integer): boolean
function M.is_borrowed(bufnr)
  return borrowed[bufnr] ~= nil
end

--- Release a borrowed buffer that our window no longer shows; the last release restores it.
---@param bufnr integer
function M.give_back(bufnr)
  local buffer, is_shown = borrowed[bufnr], #vim.fn.win_findbuf(bufnr) > 0
  if not buffer then
    -- One of ours that `hide` has kept.
    return not is_shown and window_close.buffer(bufnr)
  end
  buffer.holders = buffer.holders - 1
  if buffer.holders > 0 then
    return
  end
  borrowed[bufnr] = nil
  if not api.nvim_buf_is_loaded(bufnr) then
    return
  end
  local options = vim.bo[bufnr]
  options.bufhidden = buffer.bufhidden or options.bufhidden
  local is_changed = options.modified or api.nvim_buf_get_changedtick(bufnr) ~= buffer.changedtick
  if not buffer.loaded and (is_shown or is_changed) then
    -- The user has changed or shown it.
    options.buflisted = true
    return
  end
  -- Line 0 for a buffer that was not shown before.
  local line, col = unpack(buffer.last_position)
  if not pcall(api.nvim_buf_set_mark, bufnr, '"', line, col, {}) then
    api.nvim_buf_del_mark(bufnr, '"')
  end
  if not buffer.loaded then
    window_close.temporary(bufnr, buffer.known)
  end
end

return M
