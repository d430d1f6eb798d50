--- A watch on the folders of loaded files. It names each buffer whose file may have changed; what to
--- do about that is decided elsewhere (`disk/change.lua`).
local file = require('claude_ide.file.path')
local file_stamp = require('claude_ide.file.stamp')
local log = require('claude_ide.say.log')
local slices = require('claude_ide.when.slices')

local M = {}

local uv = vim.uv
local MOST_FOLDERS = 512
local MOST_POLLED = 256 -- files
local MOST_TRIES = 5
local POLL = 2000 -- milliseconds
local MOST_ROUNDS = 4 -- of libuv's loop: one may go to what it has read before
-- Elsewhere what happens is reported some time later.
local IS_EXACT = vim.fn.has('linux') == 1
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
---@field name string last part of `at`, by which libuv reports what happens to that folder itself
---@field files table<string, table<integer, true>> buffers by the names of files
---@field handle? uv.uv_fs_event_t
---@field at? string what is watched: while the folder does not exist, the nearest one above it
---@field ino? integer of that
---@field is_polled? boolean
---@field stamps table<string, string> of polled files, by name

---@class claude_ide.Spot
---@field folder string
---@field name string

local folders = {} ---@type table<string, claude_ide.WatchedFolder>
local spots = {} ---@type table<integer, claude_ide.Spot[]> where each buffer's file is
local touched = {} ---@type table<integer, true>
local suspects = {} ---@type table<integer, true> to be looked at
local linked = {} ---@type table<integer, true> their files have other names, too
local has_begun = false -- what was loaded before is watched
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
    touched[bufnr], suspects[bufnr] = true, true
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
    local stamp = file_stamp.of_stat(stat)
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

-- What is watched may have gone, or made room for another folder, which may even have its number.
---@param is_gone boolean whether something has happened to the very folder that is watched
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
    -- What happens to the folder itself has its own name.
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
    end
  end
end

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

-- Folders may come and go while they are looked for.
watch = function(folder)
  local reason
  for _ = 1, MOST_TRIES do
    local at, ino = existing(folder.path)
    reason = open(folder, at, ino)
    if not reason and existing(folder.path) == at then
      return is_remote(at) and poll_folder(folder)
    end
  end
  do_without(folder, reason or 'it comes and goes')
end

local function folder_of(path)
  local known = folders[path]
  if known then
    return known
  end
  local folder = { path = path, name = '', files = {}, stamps = {} }
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

-- The file may be written through another name, or a link come to lead elsewhere.
local function is_linked(path, present)
  local stat = uv.fs_stat(path)
  local has_other_name = #present > 1 or (stat ~= nil and stat.nlink > 1)
  return has_other_name or present[1].folder ~= vim.fs.dirname(path)
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
  spots[bufnr], suspects[bufnr], linked[bufnr] = nil, nil, nil
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
  if path and present then
    suspects[bufnr] = true
    linked[bufnr] = is_linked(path, present) or nil
  end
end

-- Have libuv read what the kernel has reported by now. No event is handled meanwhile.
local function hear()
  local has_heard = false
  local check = assert(uv.new_check())
  check:start(function()
    has_heard = true
  end)
  for _ = 1, MOST_ROUNDS do
    vim.wait(0, function()
      return has_heard
    end, 1, true)
  end
  check:close()
  return has_heard
end

-- Nothing is reported of a folder when one above it gets another name.
local function renew_all()
  for _, folder in pairs(folders) do
    local _ = folder.is_polled or renew(folder, false)
  end
end

local function polled_buffers()
  local found = {}
  for _, folder in pairs(folders) do
    for _, bufnrs in pairs(folder.is_polled and folder.files or {}) do
      found = vim.tbl_extend('force', found, bufnrs)
    end
  end
  return found
end

--- The buffers whose files may have changed before this moment and have not been looked at since.
---@return table<integer, true>? suspects nil where that is not known
function M.suspects()
  if not (IS_EXACT and has_begun and hear()) then
    return nil
  end
  renew_all()
  return vim.tbl_extend('force', polled_buffers(), linked, suspects)
end

--- A buffer holds what its file does, or is not to.
---@param bufnr integer
function M.clear(bufnr)
  suspects[bufnr] = nil
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
    end, function()
      has_begun = report == on_touched
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
  folders, spots, touched, suspects, linked = {}, {}, {}, {}, {}
  has_begun = false
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
