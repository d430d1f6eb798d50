--- Folders with watched files: libuv watches each folder, or its files are polled.
local file_stamp = require('claude_ide.file.stamp')
local log = require('claude_ide.say.log')

local M = {}

local uv = vim.uv
local MOST_FOLDERS = 512
local MOST_POLLED = 256 -- files
local MOST_TRIES = 5
local POLL = 2000 -- milliseconds
-- `statfs` types of file systems whose changes by other machines the kernel does not report.
local REMOTE = {
  [0x6969] = true, -- NFS
  [0x517b] = true, -- SMB
  [0xff534d42] = true, -- CIFS
  [0xfe534d42] = true, -- SMB 2
  [0x01021997] = true, -- 9P, as WSL mounts Windows' drives
  [0x65735546] = true, -- FUSE, as sshfs
  [0x00c36400] = true, -- Ceph
  [0x5346414f] = true, -- AFS
}

---@class claude_ide.WatchedFolder
---@field path string
---@field name string last part of `at`; libuv reports events of that folder itself by this name
---@field files table<string, table<integer, true>> buffers by the names of files
---@field handle? uv.uv_fs_event_t
---@field at? string the watched folder: `path`, or its nearest existing parent
---@field ino? integer inode of `at`
---@field is_polled? boolean
---@field stamps table<string, string> of polled files, by name
---@field early table<string, true> names that were reported before a buffer was added for them

local folders = {} ---@type table<string, claude_ide.WatchedFolder>
local is_watching = false
local is_complete = false -- whether all buffers that were already loaded have been added
local on_touched ---@type fun(bufnrs: table<integer, true>) must not call Neovim's functions
local is_polling = false
local refusal ---@type string? why a folder could not be watched

-- The result of a poll may arrive after `stop`.
local function touch(bufnrs)
  if is_watching and bufnrs then
    on_touched(bufnrs)
  end
end

local function touch_all(folder)
  for _, bufnrs in pairs(folder.files) do
    touch(bufnrs)
  end
end

local function close(folder)
  if folder.handle and not folder.handle:is_closing() then
    folder.handle:close()
  end
  folder.handle, folder.at, folder.ino = nil, nil, nil
end

local function has_polled()
  return vim.iter(pairs(folders)):any(function(_, folder)
    return folder.is_polled
  end)
end

local function poll_file(folder, name)
  -- Asynchronous, because a disconnected drive does not answer.
  uv.fs_stat(vim.fs.joinpath(folder.path, name), function(_, stat)
    local stamp = file_stamp.of_stat(stat)
    if folder.stamps[name] and folder.stamps[name] ~= stamp then
      touch(folder.files[name])
    end
    folder.stamps[name] = stamp
  end)
end

local function poll()
  is_polling = is_watching and has_polled()
  if not is_polling then
    return
  end
  vim.defer_fn(poll, POLL)
  local remaining = MOST_POLLED
  for _, folder in pairs(folders) do
    for name in pairs(folder.is_polled and folder.files or {}) do
      if remaining > 0 then
        poll_file(folder, name)
      end
      remaining = remaining - 1
    end
  end
end

local function poll_folder(folder)
  folder.is_polled = true
  if not is_polling then
    is_polling = true
    vim.schedule(poll)
  end
end

local function is_remote(path)
  local stat = uv.fs_statfs(path)
  return stat ~= nil and REMOTE[stat.type] == true
end

local function poll_instead(folder, reason)
  if refusal ~= reason then
    refusal = reason
    log.write('warn', ('%s is not watched: %s'):format(folder.path, reason))
  end
  poll_folder(folder)
end

-- The folder itself, or its nearest existing parent.
---@return string path
---@return integer? ino
local function existing(path)
  local stat = uv.fs_stat(path)
  while not (stat and stat.type == 'directory') and vim.fs.dirname(path) ~= path do
    path = vim.fs.dirname(path)
    stat = uv.fs_stat(path)
  end
  return path, stat and stat.ino
end

local watch

-- The watched folder may have been deleted, or replaced by another one, even one with the same inode.
---@param is_gone boolean whether the watched folder itself has reported an event
local function renew(folder, is_gone)
  local at, ino = existing(folder.path)
  is_gone = is_gone or at ~= folder.at or ino ~= folder.ino
  if folders[folder.path] == folder and is_gone then
    watch(folder)
    touch_all(folder)
  end
end

local function listener(folder)
  return function(failed, name)
    -- Events of the folder itself have its own name.
    local is_gone = failed ~= nil or name == folder.name
    if is_gone or folder.at ~= folder.path then
      vim.schedule(function()
        renew(folder, is_gone)
      end)
    end
    if is_gone or not name then
      touch_all(folder)
    elseif folder.at == folder.path then
      touch(folder.files[name])
      -- Adding the first file starts the watch of the folder; the other files are added a moment later.
      folder.early[name] = not is_complete or nil
    end
  end
end

-- Start to watch an existing folder on behalf of this one.
---@return string? reason why it cannot be watched
local function open(folder, at, ino)
  close(folder)
  local handle, reason = uv.new_fs_event()
  if not handle then
    return reason
  end
  folder.handle, folder.at, folder.ino, folder.name = handle, at, ino, vim.fs.basename(at)
  local ok, refused = handle:start(at, {}, listener(folder))
  if not ok then
    close(folder)
    return refused
  end
end

-- A folder may be created or deleted while we look for it.
watch = function(folder)
  local reason
  for _ = 1, MOST_TRIES do
    local at, ino = existing(folder.path)
    reason = open(folder, at, ino)
    if not reason and existing(folder.path) == at then
      return is_remote(at) and poll_folder(folder)
    end
  end
  poll_instead(folder, reason or 'it comes and goes')
end

local function folder_of(path)
  local known = folders[path]
  if known then
    return known
  end
  local folder = { path = path, name = '', files = {}, stamps = {}, early = {} }
  local is_bounded = vim.tbl_count(folders) < MOST_FOLDERS
  folders[path] = folder
  if is_bounded then
    watch(folder)
  else
    poll_instead(folder, ('%d other folders are'):format(MOST_FOLDERS))
  end
  return folder
end

--- Watch a file on behalf of a buffer.
---@param path string of the folder
---@param name string
---@param bufnr integer
function M.add(path, name, bufnr)
  local folder = folder_of(path)
  folder.files[name] = folder.files[name] or {}
  folder.files[name][bufnr] = true
  if folder.early[name] then
    touch({ [bufnr] = true })
  end
end

--- Record that all buffers that were loaded before the watch began have been added.
function M.complete()
  is_complete = true
  for _, folder in pairs(folders) do
    folder.early = {}
  end
end

--- Stop watching a file on behalf of a buffer.
---@param path string of the folder
---@param name string
---@param bufnr integer
function M.remove(path, name, bufnr)
  local folder = folders[path]
  local bufnrs = folder and folder.files[name]
  if not folder then
    return
  elseif bufnrs then
    bufnrs[bufnr] = nil
    folder.files[name] = next(bufnrs) and bufnrs or nil
  end
  if not next(folder.files) then
    close(folder)
    folders[path] = nil
  end
end

--- Find the folders again, since the rename of a parent folder causes no event.
function M.renew()
  for _, folder in pairs(folders) do
    local _ = folder.is_polled or renew(folder, false)
  end
end

--- The buffers whose files are polled.
---@return table<integer, true>
function M.polled_buffers()
  local found = {}
  for _, folder in pairs(folders) do
    for _, bufnrs in pairs(folder.is_polled and folder.files or {}) do
      found = vim.tbl_extend('force', found, bufnrs)
    end
  end
  return found
end

--- Call `fn` with the buffers of each file that may have changed, until `stop`.
---@param fn fun(bufnrs: table<integer, true>) must not call Neovim's functions
function M.start(fn)
  is_watching, is_complete, on_touched = true, false, fn
end

--- Stop watching everything.
function M.stop()
  vim.iter(vim.tbl_values(folders)):each(close)
  is_watching, folders, refusal = false, {}, nil
end

---@class claude_ide.WatchState
---@field folders integer number of watched folders
---@field polled integer number of polled folders
---@field refusal? string why a folder could not be watched

--- The state of the watch, for `:checkhealth`.
---@return claude_ide.WatchState
function M.state()
  local state = { folders = 0, polled = 0, refusal = refusal }
  for _, folder in pairs(folders) do
    state.folders = state.folders + (folder.handle and 1 or 0)
    state.polled = state.polled + (folder.is_polled and 1 or 0)
  end
  return state
end

return M
