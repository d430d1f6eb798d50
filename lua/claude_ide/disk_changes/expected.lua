--- Writes to the files of buffers that are expected or may already have happened. Until such a write is
--- handled, Neovim neither reloads the buffer automatically nor asks the user about it.
local autoread = require('claude_ide.file.autoread')
local changed = require('claude_ide.file.changed')
local file_edit = require('claude_ide.file.edit')
local file_write = require('claude_ide.file.write')
local moment = require('claude_ide.timing.moment')
local stamp = require('claude_ide.file.stamp')

local M = {}

local augroup = vim.api.nvim_create_augroup('claude_ide_disk_expected', { clear = true })

---@class claude_ide.SavedText
---@field stamp string of the file
---@field lines? string[] the text that the buffer's unsaved changes are based on, if known

---@class claude_ide.ExpectedWrite
---@field bufnr integer
---@field saved claude_ide.SavedText
---@field deadline number time of libuv, in milliseconds
---@field seen? string the stamp at the previous check
---@field seen_at? number when that stamp was first seen, in milliseconds
---@field moving_since? number since when the stamp has changed between checks, in milliseconds
---@field autocmds integer[]
---@field is_unannounced? boolean it was found on disk, and is not that of an accepted diff

---@type table<integer, claude_ide.ExpectedWrite>
local expected = {}

-- The text that a buffer's unsaved changes are based on: that on disk, unless it has changed since.
local function saved_lines(bufnr)
  if not moment.is_possible() or file_write.has_changed(bufnr) then
    return nil
  end
  local text = file_edit.read(bufnr)
  return file_edit.in_buffer(text and text.lines or {})
end

--- The current state of a loaded buffer's file.
---@param bufnr integer
---@param earlier? claude_ide.SavedText its lines also serve as the base: buffer and file derive from it
---@return claude_ide.SavedText
function M.saved(bufnr, earlier)
  local lines
  if not vim.bo[bufnr].modified then
    lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)
  elseif earlier then
    lines = earlier.lines
  else
    lines = saved_lines(bufnr)
  end
  return { stamp = stamp.of_buffer(bufnr), lines = lines }
end

--- The earlier state of a file, if the file has changed since. An unmodified buffer still has that text.
---@param bufnr integer
---@param saved claude_ide.SavedText
---@return claude_ide.SavedText?
function M.saved_before(bufnr, saved)
  if saved.stamp == stamp.of_buffer(bufnr) then
    return nil
  end
  local lines = saved.lines
    or not vim.bo[bufnr].modified and vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)
    or nil
  return { stamp = saved.stamp, lines = lines }
end

--- The file's stamp, if the file has been written.
---@param write claude_ide.ExpectedWrite
---@return string?
function M.new_stamp(write)
  local present = stamp.of_buffer(write.bufnr)
  local is_new = present ~= write.saved.stamp and present ~= stamp.MISSING
  return is_new and present or nil
end

-- Neovim's own choice for a write that is not the one expected.
local function usual_choice(write)
  return autoread.is_on(write.bufnr) and not vim.bo[write.bufnr].modified and 'reload' or 'ask'
end

local function choose(write)
  if M.new_stamp(write) or stamp.of_buffer(write.bufnr) == stamp.MISSING then
    return write.saved.lines and '' or 'ask'
  end
  return vim.v.fcs_choice ~= '' and vim.v.fcs_choice or usual_choice(write)
end

-- Keep Neovim from handling the write: an autocommand, or a change of focus, may run `:checktime` at any
-- time.
local function take_control(write)
  autoread.suspend(write.bufnr)
  write.autocmds = {
    changed.answer(write.bufnr, function()
      return choose(write)
    end),
    vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufWritePost' }, {
      group = augroup,
      buffer = write.bufnr,
      callback = function(event)
        -- `:write other.txt` writes another file.
        if vim.fn.fnamemodify(event.match, ':p') == vim.api.nvim_buf_get_name(write.bufnr) then
          write.saved, write.seen = M.saved(write.bufnr, write.saved), nil
        end
      end,
    }),
  }
end

--- Stop expecting a write; Neovim handles changes of the file again.
---@param write claude_ide.ExpectedWrite
function M.forget(write)
  expected[write.bufnr] = nil
  if vim.api.nvim_buf_is_valid(write.bufnr) then
    for _, id in ipairs(write.autocmds) do
      pcall(vim.api.nvim_del_autocmd, id)
    end
  end
  autoread.resume(write.bufnr)
end

--- Expect a write.
---@param bufnr integer loaded
---@param saved claude_ide.SavedText the text of the file before the write
---@param patience integer milliseconds
---@return claude_ide.ExpectedWrite
function M.new(bufnr, saved, patience)
  local write = { bufnr = bufnr, saved = saved, deadline = vim.uv.now() + patience, autocmds = {} }
  expected[bufnr] = write
  take_control(write)
  return write
end

--- The expected write to the file of a buffer.
---@param bufnr integer
---@return claude_ide.ExpectedWrite?
function M.of(bufnr)
  return expected[bufnr]
end

---@return table<integer, claude_ide.ExpectedWrite> by buffer
function M.all()
  return expected
end

return M
