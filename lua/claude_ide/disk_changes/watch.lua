--- Tells the host which files to watch (`editor/disk.py`): those of loaded buffers.
local autocommands = require('claude_ide.messages.autocommands')
local channel = require('claude_ide.channel')
local disk = require('claude_ide.file.disk')
local file = require('claude_ide.file.path')
local message = require('claude_ide.messages.message')

local M = {}

local api = vim.api

local LOADED = { 'BufReadPost', 'BufNewFile', 'BufFilePost', 'BufUnload' }

local INTERRUPT = "if v:lua.require'claude_ide.disk_changes.watch'.postpones(str2nr(expand('<abuf>')), "
  .. "expand('<amatch>')) | call interrupt() | endif"

local wanted = {} ---@type table<string, true> who wants the watch
local unreported = {} ---@type table<integer, true> buffers that the host does not know, or should forget
local postponed = {} ---@type table<integer, string> stamps by buffer: writes that were in the way

-- Tell the host of the buffers that have been loaded, renamed or unloaded in the meantime.
local function report_files()
  local files = {}
  for bufnr in pairs(unreported) do
    local path = api.nvim_buf_is_loaded(bufnr) and file.path(bufnr) or ''
    table.insert(files, { bufnr = bufnr, path = path, stamp = disk.read_stamp(bufnr) })
  end
  unreported = {}
  if next(wanted) and #files > 0 then
    channel.emit('files_loaded', { files = files })
  end
end

--- Have the host look at a buffer's file as if it had just been loaded.
---@param bufnr integer
function M.look_again(bufnr)
  if not next(unreported) then
    vim.schedule(report_files)
  end
  unreported[bufnr] = true
end

-- Whether another program has just written a buffer's file, and the host has not judged that yet.
local function is_unjudged(bufnr, name)
  return disk.has_other_time(bufnr)
    and disk.stamp(name) ~= disk.MISSING
    and (vim.fn['claude_ide#agent_writes#IsUnjudged'](name) == 1 or not disk.is_in_conflict(bufnr))
    and (disk.is_autoread(bufnr) or vim.fn['claude_ide#agent_writes#Announced'](name) ~= '')
end

--- Whether the user's `:write` is cancelled: Neovim would ask about a write that may be merged in an instant.
--- Only for an autocommand.
---@param bufnr integer
---@param path string that is written
---@return boolean
function M.postpones(bufnr, path)
  local name = api.nvim_buf_get_name(bufnr)
  local stamp = disk.stamp(name)
  if
    vim.v.cmdbang == 1
    or vim.fn.fnamemodify(path, ':p') ~= name -- `:write other.txt`
    or postponed[bufnr] == stamp
    or disk.is_writing(bufnr)
    or not is_unjudged(bufnr, name)
  then
    return false
  end
  postponed[bufnr] = stamp
  M.look_again(bufnr)
  vim.schedule(function()
    local words = '%s was not written: it has just changed on disk; :w again'
    message.show(words:format(vim.fs.basename(name)), 'warn')
  end)
  return true
end

-- Keep a write by an autocommand for leaving Insert mode from the file for a moment: if that is not nested,
-- it runs no `BufWritePre`, and Neovim would ask, or write over what the host is about to merge.
local function hold(bufnr, on_event)
  local buffer, name = vim.bo[bufnr], api.nvim_buf_get_name(bufnr)
  if buffer.modified and not buffer.readonly and is_unjudged(bufnr, name) then
    local function free()
      pcall(api.nvim_set_option_value, 'readonly', false, { buf = bufnr })
    end
    buffer.readonly = true
    M.look_again(bufnr)
    -- The last of these autocommands. CTRL-C runs none.
    on_event('InsertLeave', bufnr, free, { once = true })
    vim.schedule(free)
  end
end

--- Tell the host of all loaded buffers: it knows none yet.
function M.report_all()
  for _, bufnr in ipairs(next(wanted) and api.nvim_list_bufs() or {}) do
    if api.nvim_buf_is_loaded(bufnr) and file.path(bufnr) then
      M.look_again(bufnr)
    end
  end
end

--- Update buffers after writes to their files, as long as `who` or another part wants it.
---@type fun(who: 'server'|'chats', on: boolean)
function M.watch(who, on)
  local was_on = next(wanted) ~= nil
  wanted[who] = on or nil
  if was_on == (next(wanted) ~= nil) then
    return
  end
  local on_event, group = autocommands.group('claude_ide_disk_change')
  if was_on then
    return channel.emit('files_unwatched', {})
  end
  on_event(LOADED, nil, function(event)
    M.look_again(event.buf)
  end)
  on_event('InsertLeavePre', nil, function(event)
    hold(event.buf, on_event)
  end)
  -- An error, such as of an interrupted Lua, would be several lines, which the user has to confirm.
  api.nvim_create_autocmd('BufWritePre', { group = group, command = INTERRUPT })
  M.report_all()
end

return M
