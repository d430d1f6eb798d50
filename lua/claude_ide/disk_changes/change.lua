--- Reacts to a change on disk, which the host has noticed: the buffer is updated, or a message says why not.
--- Also tells the host which files to watch (`disk_watch.py`).
local channel = require('claude_ide.channel')
local disk_report = require('claude_ide.disk_changes.report')
local file = require('claude_ide.file.path')
local file_write = require('claude_ide.file.write')
local message = require('claude_ide.messages.message')
local moment = require('claude_ide.timing.moment')
local reload = require('claude_ide.disk_changes.reload')

local M = {}

local LOADED = { 'BufReadPost', 'BufNewFile', 'BufFilePost', 'BufUnload' }

local wanted = {} ---@type table<string, true> who wants the watch
local is_on = false
local unreported = {} ---@type table<integer, true> buffers that the host does not know, or should forget

-- Tell the host of the buffers that have been loaded, renamed or unloaded in the meantime.
local function report_files()
  local files = {}
  for bufnr in pairs(unreported) do
    local path = vim.api.nvim_buf_is_loaded(bufnr) and file.path(bufnr) or ''
    table.insert(files, { bufnr = bufnr, path = path })
  end
  unreported = {}
  if is_on and #files > 0 then
    channel.emit('files_loaded', { files = files })
  end
end

local function report_soon(bufnr)
  if not next(unreported) then
    vim.schedule(report_files)
  end
  unreported[bufnr] = true
end

-- Once the user has undone their changes, the buffer can be updated.
local function check_when_unmodified(bufnr)
  local group = vim.api.nvim_create_augroup('claude_ide_disk_change_' .. bufnr, { clear = true })
  vim.api.nvim_create_autocmd({ 'BufModifiedSet', 'BufUnload' }, {
    group = group,
    buffer = bufnr,
    callback = function(event)
      if event.event == 'BufUnload' or not file_write.is_in_conflict(bufnr) then
        vim.api.nvim_del_augroup_by_id(group)
      elseif not vim.bo[bufnr].modified then
        vim.api.nvim_del_augroup_by_id(group)
        reload.mark_unknown(bufnr)
        report_soon(bufnr)
      end
    end,
  })
end

local function keep(bufnr, path)
  if file_write.notice_conflict(bufnr) then
    disk_report.kept(path)
  end
  reload.mark_known(bufnr)
  check_when_unmodified(bufnr)
end

---@return 'busy'|'followed'|''
local function check(bufnr)
  local path = is_on and vim.api.nvim_buf_is_loaded(bufnr) and file.path(bufnr) or nil
  if not path then
    return ''
  elseif reload.is_expected(bufnr) or not moment.is_possible() then
    return 'busy'
  elseif not reload.is_followed(bufnr) then
    return ''
  elseif vim.bo[bufnr].modified then
    keep(bufnr, path)
    return ''
  end
  return reload.notice(bufnr) and 'followed' or ''
end

--- Check buffers whose files may have changed. The host calls this.
---@param bufnrs integer[]
---@return ('busy'|'followed'|'')[] states 'busy': ask again later; 'followed': the buffer will be updated
function M.changed_in(bufnrs)
  return vim.tbl_map(function(bufnr)
    local ok, state = pcall(check, bufnr)
    if not ok then
      message.show(tostring(state), 'error')
    end
    return ok and state or ''
  end, bufnrs)
end

--- Whether a loaded buffer does not hold the last write to its file: it is not updated yet, or it has
--- unsaved changes to an earlier text.
---@param bufnr integer
---@return boolean
function M.is_behind(bufnr)
  return file_write.is_in_conflict(bufnr)
    or (reload.unknown_stamp(bufnr) ~= nil and file_write.has_other_time(bufnr))
end

--- Tell the host of all loaded buffers: it knows none yet.
function M.report_all()
  for _, bufnr in ipairs(is_on and vim.api.nvim_list_bufs() or {}) do
    if vim.api.nvim_buf_is_loaded(bufnr) and file.path(bufnr) then
      report_soon(bufnr)
    end
  end
end

--- Update buffers after writes to their files, as long as `who` or another part wants it.
---@param who 'server'|'chats'
---@param on boolean
function M.watch(who, on)
  wanted[who] = on or nil
  on = next(wanted) ~= nil
  if on == is_on then
    return
  end
  is_on = on
  local group = vim.api.nvim_create_augroup('claude_ide_disk_change', { clear = true })
  if on then
    vim.api.nvim_create_autocmd(LOADED, {
      group = group,
      callback = function(event)
        report_soon(event.buf)
      end,
    })
    M.report_all()
  else
    channel.emit('files_unwatched', {})
  end
end

return M
