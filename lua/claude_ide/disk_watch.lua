--- A watch on the folders of loaded files. It names each buffer whose file may have changed; what to
--- do about that is decided elsewhere (`disk_change.lua`).
local file = require('claude_ide.file')
local log = require('claude_ide.log')
local slices = require('claude_ide.slices')

local M = {}

local uv = vim.uv
local MOST_FOLDERS = 512
local MOST_POLLED = 256 -- files
local POLL = 2000 -- milliseconds
local LOADED = { 'BufReadPost', 'BufNewFile', 'BufWritePost', 'BufFilePost' }
-- By their `statfs` types: what another machine writes there, this one's kernel does not report.
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
---@field name string its last part, by which libuv reports what happens to the folder itself
---@field files table<string, table<integer, true>> buffers by the names of files
---@field handle? uv.uv_fs_event_t
---@field at? string what is watched: while the folder does not exist, the nearest one above it
---@field ino? integer of the folder that is watched
---@field is_polled? boolean
---@field stamps table<string, string> of polled files, by name

---@class claude_ide.Spot
---@field folder string
---@field name string

local folders = {} ---@type table<string, claude_ide.WatchedFolder>
local spots = {} ---@type table<integer, claude_ide.Spot[]> where each buffer's file is
local touched = {} ---@type table<integer, true>
local is_reporting = false
local is_polling = false
local report ---@type fun(bufnr: integer)?
local refusal ---@type string? why a folder could not be watched

local function report_all()
  is_reporting = false
  local bufnrs = vim.tbl_keys(touched)
  touched = {}
  for _, bufnr in ipairs(bufnrs) do
    -- What a link leads to may be another file by now.
    if spots[bufnr] and #spots[bufnr] > 1 then
      M.add(bufnr)
    end
    if report and spots[bufnr] then
      report(bufnr)
    end
  end
end

-- Also called where Neovim's functions may not be.
local function touch(bufnrs)
  for bufnr in pairs(bufnrs or {}) do
    touched[bufnr] = true
    if not is_reporting then
      is_reporting = true
      vim.schedule(report_all)
    end
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
  -- Asynchronously: a drive that is away does not answer.
  uv.fs_stat(vim.fs.joinpath(folder.path, name), function(_, stat)
    local stamp = file.stamp(stat)
    if folder.stamps[name] and folder.stamps[name] ~= stamp then
      touch(folder.files[name])
    end
    folder.stamps[name] = stamp
  end)
end

local function poll()
  is_polling = report ~= nil and has_polled()
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

-- Without a watch the files are looked at now and then.
local function do_without(folder, reason)
  if refusal ~= reason then
    refusal = reason
    log.write('warn', ('%s is not watched: %s'):format(folder.path, reason))
  end
  poll_folder(folder)
end

local function existing(path)
  local stat = uv.fs_stat(path)
  while not (stat and stat.type == 'directory') and vim.fs.dirname(path) ~= path do
    path = vim.fs.dirname(path)
    stat = uv.fs_stat(path)
  end
  return path, stat and stat.ino
end

local watch

-- The folder itself may have gone, come, or made room for another one.
local function renew(folder)
  if folders[folder.path] ~= folder then
    return
  end
  local at, ino = existing(folder.path)
  if at ~= folder.at or ino ~= folder.ino then
    watch(folder)
    touch_all(folder)
  end
end

local function listener(folder)
  local function check()
    renew(folder)
  end
  return function(failed, name)
    if failed or folder.at ~= folder.path or name == folder.name then
      vim.schedule(check)
    end
    if not name then
      touch_all(folder)
    elseif folder.at == folder.path then
      touch(folder.files[name])
    end
  end
end

---@param folder claude_ide.WatchedFolder
watch = function(folder)
  close(folder)
  local handle, reason = uv.new_fs_event()
  local at, ino = existing(folder.path)
  local ok, failed = nil, reason
  if handle then
    ok, failed = handle:start(at, {}, listener(folder))
  end
  if not ok then
    if handle then
      handle:close()
    end
    return do_without(folder, tostring(failed))
  end
  folder.handle, folder.at, folder.ino = handle, at, ino
  if is_remote(at) then
    poll_folder(folder)
  end
end

local function folder_of(path)
  local known = folders[path]
  if known then
    return known
  end
  local folder = { path = path, name = vim.fs.basename(path), files = {}, stamps = {} }
  local is_bounded = vim.tbl_count(folders) < MOST_FOLDERS
  folders[path] = folder
  if is_bounded then
    watch(folder)
  else
    do_without(folder, ('%d other folders are'):format(MOST_FOLDERS))
  end
  return folder
end

local function spot(path)
  local folder = vim.fs.dirname(path)
  return { folder = uv.fs_realpath(folder) or folder, name = vim.fs.basename(path) }
end

-- Where a file can change: at its own name, and where that is a link, at the file it leads to.
---@return claude_ide.Spot[]
local function spots_of(path)
  local own = spot(path)
  local target = uv.fs_realpath(path)
  local is_link = target and target ~= vim.fs.joinpath(own.folder, own.name)
  return is_link and { own, spot(target) } or { own }
end

--- A buffer's file is no longer watched.
---@param bufnr integer
function M.remove(bufnr)
  for _, one in ipairs(spots[bufnr] or {}) do
    local folder = folders[one.folder]
    local bufnrs = folder and folder.files[one.name]
    if folder and bufnrs then
      bufnrs[bufnr] = nil
      folder.files[one.name] = next(bufnrs) and bufnrs or nil
    end
    if folder and not next(folder.files) then
      close(folder)
      folders[one.folder] = nil
    end
  end
  spots[bufnr] = nil
end

--- Watch a buffer's file, wherever it is now.
---@param bufnr integer
function M.add(bufnr)
  local path = vim.api.nvim_buf_is_loaded(bufnr) and file.path(bufnr) or nil
  local present = path and spots_of(path)
  if vim.deep_equal(spots[bufnr], present) then
    return
  end
  M.remove(bufnr)
  for _, one in ipairs(present or {}) do
    local files = folder_of(one.folder).files
    files[one.name] = files[one.name] or {}
    files[one.name][bufnr] = true
  end
  spots[bufnr] = present
end

--- Watch the files of all loaded buffers; `on_touched` is called with each buffer whose file may have
--- changed.
---@param on_touched fun(bufnr: integer)
function M.start(on_touched)
  M.stop()
  report = on_touched
  local group = vim.api.nvim_create_augroup('claude_ide_disk_watch', { clear = true })
  vim.api.nvim_create_autocmd(LOADED, {
    group = group,
    callback = function(event)
      M.add(event.buf)
    end,
  })
  vim.api.nvim_create_autocmd('BufUnload', {
    group = group,
    callback = function(event)
      M.remove(event.buf)
    end,
  })
  vim.schedule(function()
    slices.each(vim.api.nvim_list_bufs(), function(bufnr)
      if report == on_touched then
        M.add(bufnr)
      end
    end)
  end)
end

--- Watch nothing any more.
function M.stop()
  report, refusal = nil, nil
  vim.api.nvim_create_augroup('claude_ide_disk_watch', { clear = true })
  for _, folder in pairs(folders) do
    close(folder)
  end
  folders, spots, touched = {}, {}, {}
end

---@class claude_ide.WatchState
---@field folders integer how many are watched
---@field polled integer how many are looked at now and then
---@field refusal? string why one could not be watched

--- What is watched, for `:checkhealth`.
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
