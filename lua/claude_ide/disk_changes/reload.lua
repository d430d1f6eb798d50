--- Updates buffers after Claude or another program has written their files, without asking the user. The host
--- is told which files to watch: those of loaded buffers. It notices the writes, and says when a file is no
--- longer being written (`editor/disk.py`). Until a write is handled, Neovim neither reloads the buffer
--- automatically nor asks the user about it.
local autocommands = require('claude_ide.messages.autocommands')
local buffers = require('claude_ide.file.buffers')
local disk = require('claude_ide.file.disk')
local disk_report = require('claude_ide.disk_changes.report')
local file = require('claude_ide.file.path')
local file_edit = require('claude_ide.file.edit')
local message = require('claude_ide.messages.message')
local moment = require('claude_ide.timing.moment')
local rebase = require('claude_ide.file.rebase')
local watch = require('claude_ide.disk_changes.watch')
local written = require('claude_ide.diagnostics.written')

local M = {}

local api = vim.api
local on = autocommands.group('claude_ide_disk_reload')

--- Milliseconds for which a write is expected.
M.comes_within = 10000

-- Milliseconds.
local REFUSED_WITHIN = 1000
local BUSY = 100

local LARGEST_BYTES = 64 * 1024 * 1024 -- reading more would block Neovim for seconds

---@class claude_ide.SavedText
---@field stamp string of the file
---@field lines? string[] the text that the buffer's unsaved changes are based on, if known

---@class claude_ide.ExpectedWrite
---@field bufnr integer
---@field saved claude_ide.SavedText the state of the file before the write
---@field deadline? number time of libuv, in milliseconds
---@field autocmds integer[]
---@field is_unannounced? boolean it was found on disk, and is not that of an accepted diff

local expected = {} ---@type table<integer, claude_ide.ExpectedWrite> by buffer

-- Writes that are expected, or being followed.

local function lines_of(bufnr)
  return api.nvim_buf_get_lines(bufnr, 0, -1, false)
end

-- The state of a loaded buffer's file, with the text that the buffer's unsaved changes are based on: that on
-- disk, unless it has changed since. The lines of an `earlier` state also serve: both derive from it.
---@return claude_ide.SavedText
local function saved_of(bufnr, earlier)
  local lines
  if not vim.bo[bufnr].modified then
    lines = lines_of(bufnr)
  elseif earlier then
    lines = earlier.lines
  elseif moment.is_possible() and not disk.has_changed(bufnr) then
    local text = file_edit.read(bufnr)
    lines = file_edit.in_buffer(text and text.lines or {})
  end
  return { stamp = disk.stamp_of(bufnr), lines = lines }
end

--- The current state of a file, for a write that is expected later.
---@type fun(path: string): claude_ide.SavedText
function M.saved(path)
  local bufnr = buffers.loaded(path)
  return bufnr and saved_of(bufnr) or { stamp = disk.stamp(path) }
end

-- The stamp of a buffer's file, unless it does not exist or has this one.
local function new_stamp(bufnr, known)
  local stamp = disk.stamp_of(bufnr)
  return stamp ~= known and stamp ~= disk.MISSING and stamp or nil
end

-- Keep Neovim from handling a write: an autocommand, or a change of focus, may run `:checktime` at any time.
---@return claude_ide.ExpectedWrite
local function take_control(bufnr, saved)
  local write = { bufnr = bufnr, saved = saved }
  expected[bufnr] = write
  disk.suspend_autoread(bufnr)
  write.autocmds = {
    disk.answer_change(bufnr, function(why)
      local stamp, chosen = disk.stamp_of(bufnr), vim.v.fcs_choice
      if stamp == write.saved.stamp and stamp ~= disk.MISSING then
        -- Not a write that is expected: another program has changed the file before.
        local is_reloaded = disk.is_autoread(bufnr) and not vim.bo[bufnr].modified
        return chosen ~= '' and chosen or is_reloaded and 'reload' or 'ask'
      elseif why == 'changed' or why == 'conflict' then
        -- Neovim does not find it again.
        disk.remember_conflict(bufnr)
      end
      return write.saved.lines and '' or 'ask'
    end),
    on({ 'BufReadPost', 'BufWritePost' }, bufnr, function(event)
      -- `:write other.txt` writes another file.
      if vim.fn.fnamemodify(event.match, ':p') == api.nvim_buf_get_name(bufnr) then
        write.saved = saved_of(bufnr, write.saved)
      end
    end),
  }
  return write
end

-- Neovim handles changes of the file again.
local function forget(write)
  expected[write.bufnr] = nil
  for _, id in ipairs(write.autocmds) do
    pcall(api.nvim_del_autocmd, id)
  end
  disk.resume_autoread(write.bufnr)
end

--- Expect no write to a buffer's file: the buffer must not follow what a failed write of its own has left.
---@param bufnr integer
function M.expect_nothing(bufnr)
  if expected[bufnr] then
    forget(expected[bufnr])
  end
end

--- The host, which notices writes, has ended.
function M.host_ended()
  vim.iter(vim.tbl_values(expected)):each(forget)
end

--- Whether the user has seen or expects the next write to a buffer's file.
---@type fun(bufnr: integer): boolean
function M.is_accepted(bufnr)
  return expected[bufnr] ~= nil and not expected[bufnr].is_unannounced
end

--- Whether a loaded buffer does not hold the last write to its file: it is not updated yet, or it has
--- unsaved changes to an earlier text.
---@type fun(bufnr: integer): boolean
function M.is_behind(bufnr)
  return disk.is_in_conflict(bufnr) or (file.path(bufnr) ~= nil and disk.has_other_time(bufnr))
end

-- Following a write.

-- Once the user has undone their changes, the buffer can be updated.
local function check_when_unmodified(bufnr)
  local on_change, group = autocommands.group('claude_ide_disk_change_' .. bufnr)
  on_change({ 'BufModifiedSet', 'BufUnload' }, bufnr, function(event)
    local is_over = event.event == 'BufUnload' or not disk.is_in_conflict(bufnr)
    if is_over or not vim.bo[bufnr].modified then
      api.nvim_del_augroup_by_id(group)
    end
    if not is_over and not vim.bo[bufnr].modified then
      watch.look_again(bufnr)
    end
  end)
end

-- The user has written a file, perhaps without an autocommand.
local function note_own(bufnr, stamp)
  vim.fn['claude_ide#own_writes#Noticed'](bufnr, disk.read_stamp(bufnr))
  disk.mark_read(bufnr, stamp)
end

-- Leave a buffer with unsaved changes as it is. For an accepted diff they are reapplied; the host merges what
-- an agent writes without one (`review/merging.py`).
---@param write? claude_ide.ExpectedWrite of which Neovim already knows
local function keep(bufnr, write)
  local is_earlier = not write and disk.is_in_conflict(bufnr)
  if write then
    forget(write)
    disk.remember_conflict(bufnr)
  end
  if write or disk.notice_conflict(bufnr) then
    local name, stamp = api.nvim_buf_get_name(bufnr), disk.read_stamp(bufnr)
    vim.fn['claude_ide#agent_writes#Kept'](name, stamp, is_earlier)
  elseif not is_earlier then
    note_own(bufnr)
  end
  check_when_unmodified(bufnr)
end

--- Have the unsaved changes of a buffer count as based on the present file: `:write` does not ask about it.
---@param bufnr integer
function M.acknowledge(bufnr)
  file_edit.acknowledge(bufnr)
  disk.mark_read(bufnr)
end

-- Have Neovim read a file again that a plugin makes the text of.
---@return 'busy'|'followed'|''
local function reread(bufnr, stamp)
  if not moment.may_change(bufnr) then
    return 'busy'
  end
  local before = disk_report.before(bufnr)
  disk.reread(bufnr)
  disk.mark_read(bufnr, stamp)
  if not disk_report.followed(bufnr, before) then
    return ''
  end
  written.report(bufnr)
  return 'followed'
end

-- Replace the buffer's text with that on disk, and reapply unsaved changes.
---@return string? notice
local function apply(write, text)
  local bufnr, saved = write.bufnr, write.saved.lines
  if not vim.bo[bufnr].modified then
    return file_edit.adopt(bufnr, text)
  elseif not saved then
    return 'has unsaved changes to an older text, which are kept as they are'
  end
  local theirs = file_edit.in_buffer(text.lines)
  local lines, has_conflict = rebase.merge(saved, lines_of(bufnr), theirs)
  file_edit.adopt(bufnr, text, lines)
  return has_conflict and 'your unsaved changes to the same lines are one undo away' or nil
end

-- Update the buffer from the disk, if the file still has the stamp.
---@type fun(write: claude_ide.ExpectedWrite, stamp: string): 'busy'|'followed'|''
local function update(write, stamp)
  local bufnr = write.bufnr
  local text = file_edit.read(bufnr)
  if disk.stamp_of(bufnr) ~= stamp then
    return 'busy'
  end
  forget(write)
  if not text then
    return ''
  end
  local before = write.is_unannounced and disk_report.before(bufnr)
  local ok, notice = pcall(apply, write, text)
  if notice then
    local name = vim.fs.basename(api.nvim_buf_get_name(bufnr))
    local words = ok and notice or ('cannot be reloaded: %s'):format(notice)
    message.show(('%s: %s'):format(name, words), 'warn')
  end
  if not ok or not write.saved.lines then
    return ''
  end
  disk.mark_read(bufnr, stamp)
  if disk.stamp_of(bufnr) ~= stamp then
    -- It has been written again meanwhile, which Neovim regards as the same write.
    disk.remember_conflict(bufnr)
  end
  if not before then
    vim.fn['claude_ide#agent_writes#Take'](api.nvim_buf_get_name(bufnr))
  end
  if not before or disk_report.followed(bufnr, before) then
    written.report(bufnr)
  end
  return 'followed'
end

-- Whether a file has changed of which no write is expected. Neovim must not reload the buffer meanwhile.
---@return claude_ide.ExpectedWrite? write nil if it has not
local function notice(bufnr, stamp)
  local write = take_control(bufnr, { stamp = '', lines = lines_of(bufnr) })
  write.is_unannounced = true
  if disk.is_in_conflict(bufnr) or disk.has_unread_change(bufnr) then
    return write
  end
  forget(write)
  note_own(bufnr, stamp)
end

-- Have a buffer follow its file, which is no longer being written if it still has the stamp `settled`. After
-- a write that was not announced it does if that is Claude's, or 'autoread' is on.
---@param bufnr integer loaded
---@param settled? string
---@return 'busy'|'followed'|''
local function follow(bufnr, settled)
  local write, is_modified = expected[bufnr], vim.bo[bufnr].modified
  local is_followed = disk.is_autoread(bufnr)
    or vim.fn['claude_ide#agent_writes#Announced'](api.nvim_buf_get_name(bufnr)) ~= ''
  local known = write and write.saved.stamp or disk.read_stamp(bufnr)
  local stamp = (write or is_followed and file.path(bufnr)) and new_stamp(bufnr, known)
  if not stamp or not write and disk.size(stamp) > LARGEST_BYTES then
    return ''
  elseif settled and stamp ~= settled then
    return 'busy'
  elseif not settled and not write and (is_modified or moment.is_in_use(bufnr)) then
    return ''
  elseif is_modified and not (write and not write.is_unannounced) then
    keep(bufnr, write)
    return ''
  elseif not write and file_edit.is_translated(bufnr) then
    return settled and reread(bufnr, stamp) or ''
  end
  write = write or notice(bufnr, stamp)
  if not write then
    return ''
  elseif not moment.may_change(bufnr) or (not settled and disk.size(stamp) == 0) then
    return 'busy'
  end
  return update(write, stamp)
end

--- Have buffers follow their files, which have changed and are no longer being written. The host calls this.
---@param files { [1]: integer, [2]: string }[] buffers, and the stamps of their files
---@return ('busy'|'followed'|'')[] states 'busy': call again later
function M.changed_in(files)
  return vim.tbl_map(function(each)
    local bufnr, settled = unpack(each)
    if not api.nvim_buf_is_loaded(bufnr) then
      return ''
    elseif not moment.is_possible() then
      return 'busy'
    end
    local ok, state = pcall(follow, bufnr, settled)
    if not ok then
      message.show(tostring(state), 'error')
    end
    return ok and state or ''
  end, files)
end

--- Update one buffer now, if its file has been written.
---@param bufnr integer
---@return boolean is_changed
function M.sync_one(bufnr)
  return api.nvim_buf_is_loaded(bufnr) and moment.is_possible() and follow(bufnr) == 'followed'
end

--- Update all loaded buffers whose files have been written, now.
---@return integer[] bufnrs of those that have changed
function M.sync()
  return vim.tbl_filter(M.sync_one, api.nvim_list_bufs())
end

-- Writes that the user has accepted.

-- Another program may have written the file before the write was expected: then the host has to look again.
local function expire(write)
  local bufnr, left = write.bufnr, write.deadline - vim.uv.now()
  if expected[bufnr] ~= write then
    return
  elseif api.nvim_buf_is_loaded(bufnr) and (left > 0 or new_stamp(bufnr, write.saved.stamp)) then
    vim.defer_fn(function()
      expire(write)
    end, math.max(left, BUSY))
  else
    forget(write)
    watch.look_again(bufnr)
  end
end

local function expect(path, earlier)
  local bufnr = buffers.loaded(path)
  if not bufnr or file_edit.is_translated(bufnr) then
    return
  end
  local write = expected[bufnr] or take_control(bufnr, saved_of(bufnr, earlier))
  write.is_unannounced = nil
  -- Another program may have written the file just before: then the agent may refuse to write.
  write.deadline = vim.uv.now() + (M.is_behind(bufnr) and REFUSED_WITHIN or M.comes_within)
  expire(write)
  return write
end

--- Expect a write to a file that the user has accepted: its buffer, if loaded, is updated then, and unsaved
--- changes are reapplied.
---@param path string
---@param earlier? claude_ide.SavedText an earlier state of the file
function M.expect(path, earlier)
  expect(path, earlier)
end

--- Follow such a write that may already have happened, or is about to.
---@param path string
---@param saved claude_ide.SavedText the state of the file before
function M.follow(path, saved)
  local write = expect(path, saved)
  if write and saved.stamp ~= disk.stamp_of(write.bufnr) then
    -- An unmodified buffer still has that text.
    local is_kept = not saved.lines and not vim.bo[write.bufnr].modified
    local lines = is_kept and lines_of(write.bufnr) or saved.lines
    write.saved = { stamp = saved.stamp, lines = lines }
    watch.look_again(write.bufnr)
  end
end

return M
