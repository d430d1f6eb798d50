--- Tells the host which files to watch (`disk_watch.py`): those of loaded buffers.
local channel = require('claude_ide.channel')
local disk = require('claude_ide.file.disk')
local file = require('claude_ide.file.path')

local M = {}

local api = vim.api

local LOADED = { 'BufReadPost', 'BufNewFile', 'BufFilePost', 'BufUnload' }

local wanted = {} ---@type table<string, true> who wants the watch
local unreported = {} ---@type table<integer, true> buffers that the host does not know, or should forget

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

--- Tell the host of all loaded buffers: it knows none yet.
function M.report_all()
  for _, bufnr in ipairs(next(wanted) and api.nvim_list_bufs() or {}) do
    if api.nvim_buf_is_loaded(bufnr) and file.path(bufnr) then
      M.look_again(bufnr)
    end
  end
end

--- Update buffers after writes to their files, as long as `who` or another part wants it.
---@param who 'server'|'chats'
---@param on boolean
function M.watch(who, on)
  local was_on = next(wanted) ~= nil
  wanted[who] = on or nil
  if was_on == (next(wanted) ~= nil) then
    return
  end
  local group = api.nvim_create_augroup('claude_ide_disk_change', { clear = true })
  if was_on then
    return channel.emit('files_unwatched', {})
  end
  api.nvim_create_autocmd(LOADED, {
    group = group,
    callback = function(event)
      M.look_again(event.buf)
    end,
  })
  M.report_all()
end

return M
