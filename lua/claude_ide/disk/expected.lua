--- Writes to the files of buffers that are expected or may already have happened. Until such a write is
--- handled, Neovim neither reloads the buffer automatically nor asks the user about it.
local autoread = require('claude_ide.disk.autoread')
local changed = require('claude_ide.file.changed')
local saved_text = require('claude_ide.disk.saved_text')
local stamp = require('claude_ide.file.stamp')

local M = {}

local augroup = vim.api.nvim_create_augroup('claude_ide_disk_expected', { clear = true })

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
          write.saved, write.seen = saved_text.of(write.bufnr, write.saved), nil
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
