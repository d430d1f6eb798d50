--- Watches the files of loaded buffers, and names each buffer whose file may have changed. Reacting to
--- that is up to `disk/change.lua`.
local file = require('claude_ide.file.path')
local folders = require('claude_ide.disk.folders')
local slices = require('claude_ide.when.slices')

local M = {}

local uv = vim.uv
local MOST_ROUNDS = 4 -- of libuv's loop, which may first handle events that it has already read
-- On other systems, events may arrive late.
local IS_EXACT = vim.fn.has('linux') == 1
local LOADED = { 'BufReadPost', 'BufNewFile', 'BufWritePost', 'BufFilePost' }

---@class claude_ide.FileLocation
---@field folder string
---@field name string

local locations = {} ---@type table<integer, claude_ide.FileLocation[]> of each buffer's file
local touched = {} ---@type table<integer, true>
local suspects = {} ---@type table<integer, true> buffers to check
local linked = {} ---@type table<integer, true> buffers whose files have other names, too
local has_begun = false -- whether the buffers that were already loaded are watched
local is_reporting = false
local report ---@type fun(bufnr: integer)?

local function report_all()
  is_reporting = false
  local bufnrs = vim.tbl_keys(touched)
  touched = {}
  for _, bufnr in ipairs(bufnrs) do
    -- A link may lead to another file now.
    if locations[bufnr] and #locations[bufnr] > 1 then
      M.add(bufnr)
    end
    if report and locations[bufnr] then
      report(bufnr)
    end
  end
end

-- Called from libuv's callbacks, too, where most functions of Neovim are not allowed.
local function touch(bufnrs)
  for bufnr in pairs(bufnrs) do
    touched[bufnr], suspects[bufnr] = true, true
    if not is_reporting then
      is_reporting = true
      vim.schedule(report_all)
    end
  end
end

---@return claude_ide.FileLocation
local function location(path)
  local folder = vim.fs.dirname(path)
  return { folder = uv.fs_realpath(folder) or folder, name = vim.fs.basename(path) }
end

-- The locations at which a file can change: its own name and, if that is a link, the target.
---@return claude_ide.FileLocation[]
local function locations_of(path)
  local own = location(path)
  local target = uv.fs_realpath(path)
  local is_link = target and target ~= vim.fs.joinpath(own.folder, own.name)
  return is_link and { own, location(target) } or { own }
end

-- Whether the file can change without an event: through another hard link, or by a change of a link.
local function is_linked(path, present)
  local stat = uv.fs_stat(path)
  local has_other_name = #present > 1 or (stat ~= nil and stat.nlink > 1)
  return has_other_name or present[1].folder ~= vim.fs.dirname(path)
end

--- Stop watching a buffer's file.
---@param bufnr integer
function M.remove(bufnr)
  for _, one in ipairs(locations[bufnr] or {}) do
    folders.remove(one.folder, one.name, bufnr)
  end
  locations[bufnr], suspects[bufnr], linked[bufnr] = nil, nil, nil
end

--- Watch a buffer's file at its current location.
---@param bufnr integer
function M.add(bufnr)
  local path = vim.api.nvim_buf_is_loaded(bufnr) and file.path(bufnr) or nil
  local present = path and locations_of(path)
  if vim.deep_equal(locations[bufnr], present) then
    return
  end
  M.remove(bufnr)
  for _, one in ipairs(present or {}) do
    folders.add(one.folder, one.name, bufnr)
  end
  locations[bufnr] = present
  if path and present then
    suspects[bufnr] = true
    linked[bufnr] = is_linked(path, present) or nil
  end
end

-- Make libuv read the events that the kernel has already reported, without handling any others.
---@return boolean ok
local function drain_events()
  local has_polled = false
  local check = assert(uv.new_check())
  check:start(function()
    has_polled = true
  end)
  for _ = 1, MOST_ROUNDS do
    vim.wait(0, function()
      return has_polled
    end, 1, true)
  end
  check:close()
  return has_polled
end

--- The buffers whose files may have changed since they were last checked.
---@return table<integer, true>? suspects nil if that is not known
function M.suspects()
  if not (IS_EXACT and has_begun and drain_events()) then
    return nil
  end
  folders.renew()
  return vim.tbl_extend('force', folders.polled_buffers(), linked, suspects)
end

--- Remove a buffer from the suspects: it holds the text of its file, or must not be updated.
---@param bufnr integer
function M.clear(bufnr)
  suspects[bufnr] = nil
end

--- Watch the files of all loaded buffers. Call `on_touched` with each buffer whose file may have changed.
---@param on_touched fun(bufnr: integer)
function M.start(on_touched)
  M.stop()
  report = on_touched
  folders.start(touch)
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
      if report == on_touched then
        has_begun = true
        folders.complete()
      end
    end)
  end)
end

--- Stop watching everything.
function M.stop()
  report = nil
  vim.api.nvim_create_augroup('claude_ide_disk_watch', { clear = true })
  folders.stop()
  locations, touched, suspects, linked = {}, {}, {}, {}
  has_begun = false
end

return M
