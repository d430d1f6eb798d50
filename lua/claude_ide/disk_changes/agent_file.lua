--- Reads and writes a file for an agent that leaves this to the editor. A loaded file is written through its
--- buffer, as the user would: changed in one undo step, and saved. The host decides what may be written, and
--- when: it runs `replace` and `save` in a batch (`chat/agent_files.py`, `mcp/model/reviewed_edit.py`).
local buffer_text = require('claude_ide.file.text')
local buffers = require('claude_ide.file.buffers')
local disk = require('claude_ide.file.disk')
local disk_report = require('claude_ide.disk_changes.report')
local file_edit = require('claude_ide.file.edit')
local file_path = require('claude_ide.file.path')
local moment = require('claude_ide.timing.moment')
local reload = require('claude_ide.disk_changes.reload')

local M = {}

---@class claude_ide.Replaced
---@field before claude_ide.TextBefore
---@field format table<string, any> before
---@field new string[]
---@field text string that was given
---@field was_modified boolean
---@field is_changed boolean

local replaced = {} ---@type table<integer, claude_ide.Replaced> by buffer, until it is saved

local function encoding_of(bufnr)
  local encoding = vim.bo[bufnr].fileencoding
  return encoding == '' and 'utf-8' or encoding
end

--- A file's buffer as the host has to know it before a write (`FileBuffer` in `editor/port/files.py`); nil
--- if the file is not loaded. Raises an error that names the path if no such file may be written.
---@param path string
---@param has_text boolean with the text, as it would be on disk, in place of its digest
---@return table?
function M.look(path, has_text)
  local absolute, refusal = file_path.check(path)
  if not absolute then
    error(refusal, 0)
  end
  local bufnr = buffers.loaded(absolute)
  if not bufnr then
    return nil
  end
  local options = vim.bo[bufnr]
  if not options.modified then
    reload.sync_one(bufnr)
  end
  local text = buffer_text.get(bufnr)
  return {
    bufnr = bufnr,
    changedtick = vim.api.nvim_buf_get_changedtick(bufnr),
    stamp = disk.stamp(absolute),
    is_modified = options.modified,
    -- Such a buffer follows the disk.
    is_only_shown = not options.modified and (options.readonly or not options.modifiable),
    is_behind = not options.modified and not moment.may_change(bufnr),
    text = has_text and text or nil,
    digest = not has_text and buffer_text.digest(text) or nil,
    encoding = file_edit.is_translated(bufnr) and '' or encoding_of(bufnr),
  }
end

-- `:write` would put other characters in their place.
local function check_encoding(bufnr, text)
  local encoding = encoding_of(bufnr)
  if encoding == 'utf-8' then
    return
  end
  local encoded = vim.iconv(text, 'utf-8', encoding)
  if not encoded or vim.iconv(encoded, encoding, 'utf-8') ~= text then
    local name = vim.api.nvim_buf_get_name(bufnr)
    error(('%s: its encoding (%s) lacks some of these characters'):format(name, encoding), 0)
  end
end

-- An agent may write the same text to the disk itself while the buffer is being written.
---@return boolean is_adopted
local function adopt_equal_file(bufnr, lines)
  local text = file_edit.read(bufnr)
  if
    not text or not vim.deep_equal(file_edit.in_buffer(text.lines), file_edit.in_buffer(lines))
  then
    return false
  end
  -- A formatter that ran before the write may have changed the text.
  file_edit.change(bufnr, text.lines, true)
  file_edit.adopt(bufnr, text)
  disk.mark_read(bufnr)
  return true
end

--- Whether a buffer has unsaved changes, or the present text of its file, so that its text can be replaced
--- and saved. Raises an error if its encoding lacks characters.
---@type fun(bufnr: integer, text: { text: string }): boolean
function M.check(bufnr, text)
  check_encoding(bufnr, text.text)
  return vim.bo[bufnr].modified or not disk.has_changed(bufnr)
end

--- Replace the text of a buffer in one undo step, and its options with those of the text.
---@param bufnr integer
---@param text { text: string, joins: boolean, encoding?: string } `joins`: the change joins the one before it
---@return integer changedtick
function M.replace(bufnr, text)
  local before, parsed = disk_report.before(bufnr), buffer_text.parse(text.text)
  local format, options = {}, vim.bo[bufnr]
  for _, name in ipairs(buffer_text.FORMAT) do
    format[name] = options[name]
  end
  if (text.encoding or '') ~= '' then
    options.fileencoding = text.encoding
  end
  check_encoding(bufnr, text.text)
  local first = text.joins and replaced[bufnr]
    or { before = before, format = format, was_modified = options.modified }
  local is_changed = not vim.deep_equal(before.lines, file_edit.in_buffer(parsed.lines))
  if is_changed then
    file_edit.change(bufnr, parsed.lines, text.joins)
  end
  buffer_text.set_options(bufnr, buffer_text.FORMAT, parsed)
  local is_any = is_changed or first.is_changed
  local now = { new = parsed.lines, text = text.text, is_changed = is_any }
  replaced[bufnr] = vim.tbl_extend('force', first, now)
  return vim.api.nvim_buf_get_changedtick(bufnr)
end

--- Save a buffer whose text was just replaced. If that fails, an earlier text without unsaved changes comes
--- back.
---
--- Returns what has become of it: `refusal`; or `text`, which the file has now, such as a formatted one; with
--- `is_unsaved` the buffer has other changes again.
---@param bufnr integer
---@param path string as the agent spells it
---@param agent string its name
---@param is_accepted boolean whether the user has seen the change
---@return { refusal?: string, text?: string, is_unsaved?: boolean }
function M.save(bufnr, path, agent, is_accepted)
  local change, is_expected = replaced[bufnr], reload.is_accepted(bufnr)
  replaced[bufnr] = nil
  vim.fn.mkdir(vim.fs.dirname(vim.api.nvim_buf_get_name(bufnr)), 'p')
  if change.is_changed then
    -- So do the changes of autocommands that run before the write, such as a formatter.
    file_edit.join_undo(bufnr)
  end
  local refusal, is_damaged = disk.write(bufnr)
  file_edit.break_undo(bufnr)
  if refusal and not adopt_equal_file(bufnr, change.new) then
    if is_damaged then
      reload.expect_nothing(bufnr)
    end
    if not change.was_modified then
      file_edit.change(bufnr, change.before.lines, true)
      buffer_text.set_options(bufnr, buffer_text.FORMAT, change.format)
      -- After a write that has failed halfway, such as on a full disk, only the buffer has the text.
      vim.bo[bufnr].modified = is_damaged == true
    end
    return { refusal = refusal }
  elseif not (is_accepted or is_expected) then
    -- It may have waited for longer than an announcement holds.
    vim.fn['claude_ide#agent_writes#Announce'](path, agent)
    disk_report.followed(bufnr, change.before)
  end
  local saved = buffer_text.get(bufnr)
  return {
    text = saved ~= change.text and saved or nil,
    is_unsaved = vim.bo[bufnr].modified or nil,
  }
end

return M
