--- What Neovim knows of the files of buffers: their states on disk, if 'autoread' follows them, and whether
--- other programs have written them. Writes buffers as the user would, but never over such a write.
local autocommands = require('claude_ide.messages.autocommands')
local file = require('claude_ide.file.path')
local message = require('claude_ide.messages.message')

local M = {}

local api = vim.api
local on = autocommands.group('claude_ide_file_disk')

local CHANGED = '%s has changed on disk since Neovim read it; it was not written.'

--- The stamp of a file that does not exist.
M.MISSING = 'missing'

---@class claude_ide.KnownState
---@field stamp string
---@field is_known? boolean whether Neovim has read or written it in this state, as far as the time tells
---@field is_read? boolean whether the buffer certainly holds this text

local states = {} ---@type table<integer, claude_ide.KnownState> of the files of loaded buffers
-- Buffers that do not hold the text on disk, and whose unsaved changes are not based on it.
local conflicts = {} ---@type table<integer, true>
local writing ---@type integer? the buffer that is being written here
local suspended = {} ---@type table<integer, { own: boolean? }> by buffer; its local value of 'autoread'

-- Stamps tell states of a file apart: time of change, size and inode in one string.

--- The stamp of the file at a path.
---@type fun(path: string): string
function M.stamp(path)
  local stat = vim.uv.fs_stat(path)
  return stat and ('%d.%d %d %d'):format(stat.mtime.sec, stat.mtime.nsec, stat.size, stat.ino)
    or M.MISSING
end

--- The stamp of a buffer's file.
---@type fun(bufnr: integer): string
function M.stamp_of(bufnr)
  return M.stamp(api.nvim_buf_get_name(bufnr))
end

--- How many bytes a file had when it had this stamp.
---@type fun(stamp: string): integer
function M.size(stamp)
  return tonumber(stamp:match(' (%d+) ')) or 0
end

-- Whether the time of the last change differs, if there is a file; `:write` compares nothing else.
local function has_other_time(stamp, known)
  return stamp ~= M.MISSING and stamp:match('%S+') ~= known:match('%S+')
end

-- 'autoread', and its suspension while we follow a write ourselves.

local function own_autoread(bufnr)
  if suspended[bufnr] then
    return suspended[bufnr].own
  end
  return api.nvim_get_option_value('autoread', { buf = bufnr, scope = 'local' })
end

--- The value that the user has set, locally or globally.
---@type fun(bufnr: integer): boolean
function M.is_autoread(bufnr)
  local own = own_autoread(bufnr)
  if own == nil then
    return vim.go.autoread
  end
  return own
end

--- Keep Neovim from reloading a buffer automatically, until `resume_autoread`.
---@param bufnr integer
function M.suspend_autoread(bufnr)
  suspended[bufnr] = { own = own_autoread(bufnr) }
  vim.bo[bufnr].autoread = false
end

--- Restore the user's setting. A value that the user has set in the meantime stays.
---@param bufnr integer
function M.resume_autoread(bufnr)
  local before = suspended[bufnr]
  suspended[bufnr] = nil
  if before and api.nvim_buf_is_valid(bufnr) and own_autoread(bufnr) == false then
    vim.bo[bufnr].autoread = before.own
  end
end

-- `FileChangedShell`: Neovim's own check whether another program has changed a file.

--- Decide, in place of the user, what Neovim does when it finds that a buffer's file has changed.
---@param bufnr integer
---@param choose fun(reason: string): string from `v:fcs_reason` to `v:fcs_choice`
---@return integer autocommand
function M.answer_change(bufnr, choose)
  return on('FileChangedShell', bufnr, function()
    vim.v.fcs_choice = choose(vim.v.fcs_reason)
  end)
end

-- Make Neovim check whether a buffer's file has changed, without a question to the user. Only for buffers
-- that Neovim does not reload automatically. Neovim reports each change only once.
---@param choices? table<string, string> from `v:fcs_reason` to `v:fcs_choice`
---@return boolean has_changed false also if only the file's time has
local function probe(bufnr, choices)
  local found
  local answering = M.answer_change(bufnr, function(why)
    found = why
    -- If only the time has changed, "ask" shows no warning, and makes Neovim store the new time.
    -- Otherwise the next `:write` would ask the user.
    return why == 'time' and 'ask' or choices and choices[why] or ''
  end)
  -- In an autocommand that is not nested, Neovim would run none for the change, and ask a question that
  -- `silent` hides.
  local on_probe, group = autocommands.group('claude_ide_probe')
  on_probe('User', 'probe', function()
    vim.cmd.checktime({ args = { tostring(bufnr) }, mods = { silent = true } })
  end, { nested = true, once = true })
  api.nvim_exec_autocmds('User', { group = group, pattern = 'probe', modeline = false })
  pcall(api.nvim_del_autocmd, answering)
  return found ~= nil and found ~= 'time'
end

--- Make Neovim read a buffer's file again if it has changed, whatever 'autoread' is. Not for a buffer with
--- unsaved changes, which keeps its text.
---@param bufnr integer
function M.reread(bufnr)
  probe(bufnr, { changed = 'reload' })
end

-- What is known of each file.

--- Record that a buffer holds the text of its file, although Neovim has not read it.
---@param bufnr integer
---@param stamp? string of the file with this text; default: the present one
function M.mark_read(bufnr, stamp)
  conflicts[bufnr] = nil
  states[bufnr] = { stamp = stamp or M.stamp_of(bufnr), is_known = true, is_read = true }
end

--- Record that a buffer does not hold the text of its file, or has unsaved changes that are not based on it.
---@param bufnr integer
function M.remember_conflict(bufnr)
  conflicts[bufnr] = true
end

--- Whether such a conflict has been noticed.
---@type fun(bufnr: integer): boolean
function M.is_in_conflict(bufnr)
  return conflicts[bufnr] == true
end

--- The stamp of a buffer's file when it had the text that the buffer has got; empty if that is unknown.
---@type fun(bufnr: integer): string
function M.read_stamp(bufnr)
  local state = states[bufnr]
  return state and state.is_read and state.stamp or ''
end

local function on_event(event)
  local bufnr, name, known = event.buf, event.event, states[event.buf]
  if name == 'BufReadPre' then
    states[bufnr] = { stamp = M.stamp_of(bufnr) }
  elseif name == 'BufWritePost' or name == 'BufReadPost' then
    M.mark_read(bufnr)
    -- Another program may have written it in the meantime.
    local is_same = known ~= nil and known.stamp == states[bufnr].stamp
    states[bufnr].is_read = name == 'BufReadPost' and is_same
  else
    states[bufnr], conflicts[bufnr] = nil, name == 'BufFilePost' and conflicts[bufnr] or nil
  end
end

for _, bufnr in ipairs(api.nvim_list_bufs()) do
  if api.nvim_buf_is_loaded(bufnr) then
    states[bufnr] = { stamp = M.stamp_of(bufnr) }
  end
end
on({ 'BufReadPre', 'BufReadPost', 'BufWritePost', 'BufUnload', 'BufFilePost' }, nil, on_event)

--- Whether the file of an unmodified buffer has changed since Neovim's last check. Only for buffers that
--- Neovim does not reload automatically. An empty buffer may be one of a file that did not exist: Neovim
--- would ask the user about that, without an autocommand, so only the size of the file is examined.
---@type fun(bufnr: integer): boolean
function M.has_unread_change(bufnr)
  local stat = vim.uv.fs_stat(api.nvim_buf_get_name(bufnr))
  if not stat or stat.type ~= 'file' then
    return false
  elseif vim.deep_equal(api.nvim_buf_get_lines(bufnr, 0, 2, false), { '' }) then
    return stat.size > 0
  end
  return probe(bufnr)
end

--- Whether another program has written the file of a buffer with unsaved changes. True only once per
--- write; `is_in_conflict` stays true.
---@type fun(bufnr: integer): boolean
function M.notice_conflict(bufnr)
  local is_new = probe(bufnr)
  if is_new then
    M.remember_conflict(bufnr)
  end
  return is_new
end

--- Whether the time of a buffer's file differs from when Neovim last read or wrote it.
---@type fun(bufnr: integer): boolean
function M.has_other_time(bufnr)
  return states[bufnr] ~= nil and has_other_time(M.stamp_of(bufnr), states[bufnr].stamp)
end

--- Whether another program has written the file of a buffer since Neovim last read or wrote it.
---@type fun(bufnr: integer): boolean
function M.has_changed(bufnr)
  if M.stamp_of(bufnr) == M.MISSING then
    return false
  elseif conflicts[bufnr] or M.has_other_time(bufnr) then
    return true
  elseif states[bufnr] and states[bufnr].is_known then
    return false
  end
  local is_new = M.notice_conflict(bufnr)
  if is_new then
    local name = vim.fs.basename(api.nvim_buf_get_name(bufnr))
    message.show(('%s has changed on disk, too; `:w` asks'):format(name), 'warn')
  end
  return is_new
end

-- Writing.

--- Whether a buffer is being written here, and not by a command of the user.
---@type fun(bufnr: integer): boolean
function M.is_writing(bufnr)
  return writing == bufnr
end

--- Write a loaded buffer if it has unsaved changes or its file does not exist.
---@param bufnr integer
---@return string? refusal one sentence
---@return boolean? is_damaged whether the write has failed after it had changed the file
function M.write(bufnr)
  local path = api.nvim_buf_get_name(bufnr)
  local stat, before, target = vim.uv.fs_stat(path), M.stamp(path), file.real(path)
  local was_modified, was_listed = vim.bo[bufnr].modified, vim.bo[bufnr].buflisted
  if not was_modified and stat then
    return nil
  elseif stat and stat.type ~= 'file' then
    -- Writing to a pipe might never end.
    return ('%s: no longer a regular file; it was not written.'):format(path)
  elseif M.has_changed(bufnr) then
    -- `:write` would ask "really write?", and the keys that the user is typing would answer it.
    return CHANGED:format(path)
  end
  -- Another program may write the file while autocommands, such as a formatter, run before the write: then
  -- `:write` would ask the user, too. Neovim runs autocommands in the order of their definition, so that this
  -- is the last one; its error cancels the write.
  local is_overtaken = false
  local id = on('BufWritePre', bufnr, function()
    is_overtaken = has_other_time(M.stamp(path), before) or file.real(path) ~= target
    if is_overtaken then
      error('the file has changed', 0)
    end
  end)
  -- With 'confirm', an error of `:write` would become a dialog.
  local confirm = vim.o.confirm
  vim.o.confirm, writing = false, bufnr
  local ok, err = pcall(api.nvim_buf_call, bufnr, function()
    vim.cmd.write({ mods = { silent = true } })
  end)
  vim.o.confirm, writing = confirm, nil
  pcall(api.nvim_del_autocmd, id)
  -- A language server that formats before the write lists the buffer.
  if api.nvim_buf_is_valid(bufnr) then
    vim.bo[bufnr].buflisted = was_listed
  end
  -- An error in an autocommand after the write does not undo it.
  if is_overtaken then
    return CHANGED:format(path)
  elseif ok or (was_modified and not vim.bo[bufnr].modified) then
    return nil
  end
  return require('claude_ide.messages.reason').of(err), M.stamp(path) ~= before
end

return M
