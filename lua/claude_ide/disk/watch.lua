--- A watch on the files of loaded buffers. It names each buffer whose file may have changed; what to
--- do about that is decided elsewhere (`disk/change.lua`).
local file = require('claude_ide.file.path')
local folders = require('claude_ide.disk.folders')
local slices = require('claude_ide.when.slices')

local M = {}

local uv = vim.uv
local MOST_ROUNDS = 4 -- of libuv's loop: one may go to what it has read before
-- Elsewhere what happens is reported some time later.
local IS_EXACT = vim.fn.has('linux') == 1
local LOADED = { 'BufReadPost', 'BufNewFile', 'BufWritePost', 'BufFilePost' }

---@class claude_ide.Spot
---@field folder string
---@field name string

local spots = {} ---@type table<integer, claude_ide.Spot[]> where each buffer's file is
local touched = {} ---@type table<integer, true>
local suspects = {} ---@type table<integer, true> to be looked at
local linked = {} ---@type table<integer, true> their files have other names, too
local has_begun = false -- what was loaded before is watched
local is_reporting = false
local report ---@type fun(bufnr: integer)?

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
  for bufnr in pairs(bufnrs) do
    touched[bufnr], suspects[bufnr] = true, true
    if not is_reporting then
      is_reporting = true
      vim.schedule(report_all)
    end
  end
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
    folders.remove(one.folder, one.name, bufnr)
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
    folders.add(one.folder, one.name, bufnr)
  end
  spots[bufnr] = present
  if path and present then
    suspects[bufnr] = true
    linked[bufnr] = is_linked(path, present) or nil
  end
end

-- Have libuv read what the kernel has reported by now, without handling any other event.
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

--- The buffers whose files may have changed before this moment and have not been looked at since.
---@return table<integer, true>? suspects nil where that is not known
function M.suspects()
  if not (IS_EXACT and has_begun and hear()) then
    return nil
  end
  folders.renew()
  return vim.tbl_extend('force', folders.polled_buffers(), linked, suspects)
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
      has_begun = report == on_touched
    end)
  end)
end

--- Watch nothing any more.
function M.stop()
  report = nil
  vim.api.nvim_create_augroup('claude_ide_disk_watch', { clear = true })
  folders.stop()
  spots, touched, suspects, linked = {}, {}, {}, {}
  has_begun = false
end

return M
