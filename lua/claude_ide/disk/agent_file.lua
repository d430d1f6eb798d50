--- Reads and writes a file for an agent that leaves this to the editor. A loaded file is written through its
--- buffer, as the user would: changed in one undo step, and saved. Unsaved changes stay.
local announced = require('claude_ide.disk.announced')
local buffer_text = require('claude_ide.file.text')
local buffers = require('claude_ide.file.buffers')
local channel = require('claude_ide.channel')
local disk_report = require('claude_ide.disk.report')
local expected = require('claude_ide.disk.expected')
local file = require('claude_ide.file.path')
local file_edit = require('claude_ide.file.edit')
local file_write = require('claude_ide.file.write')
local folders = require('claude_ide.file.folders')
local message = require('claude_ide.say.message')
local moment = require('claude_ide.when.moment')
local path_gate = require('claude_ide.file.gate')
local reason = require('claude_ide.say.reason')
local reload = require('claude_ide.disk.reload')
local whereabouts = require('claude_ide.file.whereabouts')

local M = {}

-- Milliseconds.
local POLL = 50
local PATIENCE = 3000

---@class claude_ide.AgentWrite
---@field path string
---@field target string the path without links, for which the user, or a check, has allowed the write
---@field text string
---@field agent string its name
---@field project? string the agent's folder; nil if the user has allowed to change this file
---@field approved? integer|string the text that the user has compared with this one: its 'changedtick', or
---   its SHA-256, with which unsaved changes are not saved
---@field since number time of libuv, in milliseconds
---@field is_mentioned? boolean whether a message has named it

local waiting = {} ---@type table<integer, claude_ide.AgentWrite> by token

local function checked(path)
  local absolute, refusal = path_gate.check(path)
  if not absolute then
    error(refusal, 0)
  end
  return absolute
end

-- Whether an unmodified buffer may lack the last write to its file.
local function may_be_behind(bufnr)
  if not vim.bo[bufnr].modified then
    reload.sync_one(bufnr)
  end
  return not vim.bo[bufnr].modified and not moment.may_change(bufnr)
end

--- The text of a file's buffer, saved or not, as it would be on disk.
---
--- `text` is nil if the file is not loaded, or if it has no unsaved changes and no longer exists. With
--- `is_behind`, another program may have written the file since, and the buffer cannot be updated now.
---@param path string
---@return { text?: string, is_behind?: boolean, error?: string }
function M.read(path)
  local ok, absolute = pcall(checked, path)
  if not ok then
    return { error = absolute }
  end
  local bufnr = buffers.loaded(absolute)
  if not bufnr or not (vim.bo[bufnr].modified or vim.uv.fs_stat(absolute)) then
    return {}
  end
  local is_behind = may_be_behind(bufnr)
  return { text = buffer_text.get(bufnr), is_behind = is_behind or nil }
end

-- An agent may omit the carriage returns and the byte order mark that a file has: the file keeps them.
local function parse(bufnr, text)
  local parsed, format = buffer_text.parse(text), vim.bo[bufnr].fileformat
  parsed.bomb = parsed.bomb or vim.bo[bufnr].bomb
  if format == parsed.fileformat or parsed.fileformat == 'dos' then
    return parsed
  elseif format == 'mac' and not text:find('\n', 1, true) then
    parsed.lines = vim.split(text, '\r', { plain = true })
    parsed.endofline = parsed.lines[#parsed.lines] == ''
    if parsed.endofline then
      table.remove(parsed.lines)
    end
  elseif format == 'dos' then
    parsed.lines = vim.tbl_map(function(line)
      return (line:gsub('\r$', ''))
    end, parsed.lines)
  end
  parsed.fileformat = format
  return parsed
end

-- `:write` would put other characters in their place.
local function check_encoding(bufnr, text)
  local encoding = vim.bo[bufnr].fileencoding
  if encoding == '' or encoding == 'utf-8' then
    return
  end
  local encoded = vim.iconv(text, 'utf-8', encoding)
  if not encoded or vim.iconv(encoded, encoding, 'utf-8') ~= text then
    local name = vim.api.nvim_buf_get_name(bufnr)
    error(('%s: its encoding (%s) lacks some of these characters'):format(name, encoding), 0)
  end
end

local function format_of(bufnr)
  local format = {}
  for _, name in ipairs(buffer_text.FORMAT) do
    format[name] = vim.bo[bufnr][name]
  end
  return format
end

-- An option that is set to its own value would mark the buffer as modified, too.
local function set_format(bufnr, format)
  for _, name in ipairs(buffer_text.FORMAT) do
    if vim.bo[bufnr][name] ~= format[name] then
      vim.bo[bufnr][name] = format[name]
    end
  end
end

local function lines_of(bufnr)
  return vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
end

-- The changes of autocommands that run before the write, such as a formatter, join the same undo step.
---@return string? refusal
---@return boolean? is_damaged as in `file/write`
local function save(bufnr, is_changed)
  vim.fn.mkdir(vim.fs.dirname(vim.api.nvim_buf_get_name(bufnr)), 'p')
  if is_changed then
    file_edit.join_undo(bufnr)
  end
  local refusal, is_damaged = file_write.write(bufnr)
  file_edit.break_undo(bufnr)
  return refusal, is_damaged
end

local function is_on_disk(bufnr)
  local text = file_edit.read(bufnr)
  return text ~= nil and vim.deep_equal(file_edit.in_buffer(text.lines), lines_of(bufnr))
end

-- Another program may have written the file with the same text.
local function accept_equal_file(bufnr)
  if file_write.has_changed(bufnr) and is_on_disk(bufnr) then
    file_write.mark_read(bufnr)
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
  file_write.mark_read(bufnr)
  return true
end

-- Whether the user has just accepted a diff for this write.
local function is_accepted(bufnr, write)
  local known = expected.of(bufnr)
  return write.approved ~= nil or (known ~= nil and not known.is_unannounced)
end

-- A buffer must not follow what a failed write has left as if that were the accepted text.
local function expect_nothing(bufnr)
  local known = expected.of(bufnr)
  if known then
    expected.forget(known)
  end
end

-- After a write that has failed halfway, such as on a full disk, only the buffer has the text.
local function restore(bufnr, before, format, is_damaged)
  file_edit.change(bufnr, before, true)
  set_format(bufnr, format)
  vim.bo[bufnr].modified = is_damaged == true and not is_on_disk(bufnr)
end

local function is_digest(approved)
  return type(approved) == 'string'
end

---@return string? refusal
local function put(bufnr, write)
  local before, format = disk_report.before(bufnr), format_of(bufnr)
  local was_modified, parsed = vim.bo[bufnr].modified, parse(bufnr, write.text)
  check_encoding(bufnr, write.text)
  if not was_modified then
    accept_equal_file(bufnr)
  end
  local is_changed = not vim.deep_equal(before.lines, file_edit.in_buffer(parsed.lines))
  if is_changed then
    file_edit.set_lines(bufnr, parsed.lines)
  end
  set_format(bufnr, parsed)
  if was_modified and is_digest(write.approved) then
    return nil
  end
  local refusal, is_damaged = save(bufnr, is_changed)
  if refusal and adopt_equal_file(bufnr, parsed.lines) then
    refusal = nil
  end
  if is_damaged then
    expect_nothing(bufnr)
  end
  if refusal and not was_modified then
    restore(bufnr, before.lines, format, is_damaged)
  elseif not refusal and is_accepted(bufnr, write) then
    announced.accept(write.path)
  elseif not refusal then
    -- It may have waited for longer than an announcement holds.
    announced.add(write.path, write.agent)
    disk_report.followed(bufnr, before)
  end
  return refusal
end

-- Whether the buffer shows its file without letting the user change it. Such a buffer follows the disk.
local function is_only_shown(bufnr)
  local options = vim.bo[bufnr]
  return not options.modified and (options.readonly or not options.modifiable)
end

-- Whether the user has not agreed to replace the text of a buffer as it is now.
local function needs_approval(bufnr, write)
  if is_digest(write.approved) then
    return write.approved ~= vim.fn.sha256(buffer_text.get(bufnr))
  elseif write.approved then
    return write.approved ~= vim.api.nvim_buf_get_changedtick(bufnr)
  end
  return vim.bo[bufnr].modified and buffer_text.get(bufnr) ~= write.text
end

-- Why the user has to agree to a change, if the file is not an ordinary one of the project.
---@return string? warning a few words
local function warning_of(write)
  if not write.project then
    return nil
  end
  local warning = whereabouts.of(write.path, { write.project, unpack(folders.all()) }).warning
  return warning ~= '' and warning or nil
end

---@param write claude_ide.AgentWrite
---@return table? answer nil if the write has to wait
local function attempt(write)
  local bufnr, warning = buffers.loaded(write.path), warning_of(write)
  local turned = file.turned(write.path, write.target)
  if turned then
    return { error = turned }
  elseif warning then
    return { warning = warning }
  elseif not bufnr then
    return { is_unloaded = true }
  elseif not moment.may_change(bufnr) then
    return nil
  elseif type(write.approved) ~= 'number' and not vim.bo[bufnr].modified then
    reload.sync_one(bufnr)
  end
  if is_only_shown(bufnr) then
    return { is_unloaded = true }
  elseif needs_approval(bufnr, write) then
    local changedtick = vim.api.nvim_buf_get_changedtick(bufnr)
    return { bufnr = bufnr, changedtick = changedtick, text = buffer_text.get(bufnr) }
  end
  local refusal = put(bufnr, write)
  local saved = not refusal and buffer_text.get(bufnr) or nil
  return {
    error = refusal,
    saved = saved ~= write.text and saved or nil,
    is_unsaved = vim.bo[bufnr].modified or nil,
  }
end

local function mention(write)
  local remedy = moment.obstacle()
  if write.is_mentioned or vim.uv.now() - write.since < PATIENCE or not moment.can_notify() then
    return
  elseif remedy then
    write.is_mentioned = true
    message.show(('edit of %s waits: %s'):format(vim.fs.basename(write.path), remedy), 'info')
  end
end

local function try(token)
  local write = waiting[token]
  if not write then
    return
  end
  local ok, answer = pcall(attempt, write)
  if ok and not answer then
    mention(write)
    return vim.defer_fn(function()
      try(token)
    end, POLL)
  end
  waiting[token] = nil
  answer = ok and answer or { error = reason.of(answer) }
  answer.token = token
  channel.emit('answered', answer)
end

--- Write a file through its buffer, as soon as this does not disturb the user.
---
--- Emits `answered` {token}; with
--- - `saved`: the file has this text now, such as a formatted one, and not the one given
--- - `is_unsaved`: the text is only in the buffer, which had unsaved changes
--- - `is_unloaded`: the file is to be written on disk instead
--- - `bufnr`, `changedtick` and `text`: the user first has to agree to replace this text of that buffer
--- - `warning`: the user first has to agree to a change of this file at all
--- - `error`: it was not written
---@param token integer
---@param path string
---@param text string
---@param agent string the name of the agent
---@param project string|false the agent's folder; false if the user has allowed to change this file
---@param approved integer|string|false the text for which the user has agreed, as in `claude_ide.AgentWrite`
---@param target string the path without links, as in `claude_ide.AgentWrite`
---@return { error: string }? refusal
function M.open(token, path, text, agent, project, approved, target)
  local ok, absolute = pcall(checked, path)
  if not ok then
    return { error = absolute }
  end
  announced.add(absolute, agent)
  waiting[token] = {
    path = absolute,
    target = target,
    text = text,
    agent = agent,
    project = project or nil,
    approved = approved or nil,
    since = vim.uv.now(),
  }
  try(token)
end

--- Give up a write that still waits.
---@param token integer
function M.close(token)
  waiting[token] = nil
end

return M
