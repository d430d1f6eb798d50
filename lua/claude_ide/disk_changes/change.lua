--- Tells the host which files to watch (`disk_watch.py`): those of loaded buffers.
local channel = require('claude_ide.channel')
local disk = require('claude_ide.file.disk')
local file = require('claude_ide.file.path')

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
    table.insert(files, { bufnr = bufnr, path = path, stamp = disk.read_stamp(bufnr) })
  end
  unreported = {}
  if is_on and #files > 0 then
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
  for _, bufnr in ipairs(is_on and vim.api.nvim_list_bufs() or {}) do
    if vim.api.nvim_buf_is_loaded(bufnr) and file.path(bufnr) then
      M.look_again(bufnr)
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
        M.look_again(event.buf)
      end,
    })
    M.report_all()
  else
    channel.emit('files_unwatched', {})
  end
end

return M
