--- Buffers follow what Claude writes to their files, without a question or a warning.
local buffers = require('claude_ide.buffers')
local disk = require('claude_ide.disk')
local disk_edit = require('claude_ide.disk_edit')
local file = require('claude_ide.file')
local message = require('claude_ide.message')
local moment = require('claude_ide.moment')

local M = {}

-- Milliseconds.
local POLL = 50
local PATIENCE = 10000

local MISSING = 'missing'

---@class claude_ide.ExpectedWrite
---@field bufnr integer
---@field stamp string of the file before
---@field changedtick integer of the buffer; another one is the user's doing
---@field deadline number
---@field seen? string the stamp at the last look
---@field autoread? boolean the buffer's own value
---@field autocmd integer

---@type table<integer, claude_ide.ExpectedWrite>
local expected = {}
local timer ---@type uv.uv_timer_t?

--- The state of a buffer's file in which Neovim was found to know it.
---@type table<integer, string>
local known = {}

--- What tells two states of a file apart.
---@param path string
---@return string
function M.stamp(path)
  local stat = vim.uv.fs_stat(path)
  return stat and ('%d.%d %d %d'):format(stat.mtime.sec, stat.mtime.nsec, stat.size, stat.ino)
    or MISSING
end

local function is_untouched(write)
  return vim.api.nvim_buf_get_changedtick(write.bufnr) == write.changedtick
end

-- While a write is expected, whoever notices it first leaves it to us: an autocommand of the user's
-- or the focus coming back may run `:checktime` at any time.
local function keep_quiet(write)
  local options = vim.bo[write.bufnr]
  write.autoread = vim.api.nvim_get_option_value('autoread', { buf = write.bufnr, scope = 'local' })
  options.autoread = false
  write.autocmd = vim.api.nvim_create_autocmd('FileChangedShell', {
    buffer = write.bufnr,
    callback = function()
      -- With changes of the user's own it is a conflict, which is Neovim's to report.
      vim.v.fcs_choice = is_untouched(write) and '' or 'ask'
    end,
  })
end

local function forget(write)
  expected[write.bufnr] = nil
  if vim.api.nvim_buf_is_valid(write.bufnr) then
    vim.api.nvim_del_autocmd(write.autocmd)
    vim.bo[write.bufnr].autoread = write.autoread
  end
end

-- In the buffer that the user types in, the next key may act on what is there.
local function is_in_use(bufnr)
  return bufnr == vim.api.nvim_get_current_buf() and not vim.fn.mode(1):find('^n?t?$')
end

-- Make the buffer hold what is on disk, and return whether it does.
local function take(write)
  local path = vim.api.nvim_buf_get_name(write.bufnr)
  local stamp = M.stamp(path)
  local is_possible = moment.is_possible() and not is_in_use(write.bufnr)
  local text = is_possible and disk_edit.read(write.bufnr)
  if not text then
    return false
  end
  local ok, err = pcall(disk_edit.adopt, write.bufnr, text)
  forget(write)
  if not ok then
    message.show(('cannot reload %s: %s'):format(vim.fs.basename(path), err), 'warn')
  elseif M.stamp(path) ~= stamp then
    M.expect(path, { since = stamp })
  else
    disk.has_read(write.bufnr)
  end
  return ok
end

-- The file's stamp when it is another than before.
local function news(write)
  local stamp = M.stamp(vim.api.nvim_buf_get_name(write.bufnr))
  return stamp ~= write.stamp and stamp ~= MISSING and stamp or nil
end

-- Half a file is not taken: its stamp has to be the same at two looks.
local function look(write)
  if not vim.api.nvim_buf_is_loaded(write.bufnr) or not is_untouched(write) then
    return forget(write)
  end
  local stamp = news(write)
  if stamp and stamp == write.seen and take(write) then
    return
  end
  write.seen = stamp
  if vim.uv.now() > write.deadline and not is_in_use(write.bufnr) then
    forget(write)
  end
end

local function poll()
  for _, write in ipairs(vim.tbl_values(expected)) do
    look(write)
  end
  if next(expected) == nil and timer then
    timer:close()
    timer = nil
  end
end

local function wait_for(write)
  expected[write.bufnr] = write
  keep_quiet(write)
  if not timer then
    timer = assert(vim.uv.new_timer())
    timer:start(POLL, POLL, vim.schedule_wrap(poll))
  end
end

--- Somebody is about to write a file: its buffer, if loaded, is to show it, whatever it holds now.
---@param path string
---@param options? { since?: string } the file's stamp before; default: what it is now
function M.expect(path, options)
  -- There is no buffer for a path that no file can have.
  local ok, buffer = pcall(buffers.find, path)
  if not ok or not buffer or not buffer.loaded then
    return
  end
  local bufnr, since = buffer.bufnr, options and options.since
  local write = expected[bufnr]
  if not write then
    write = {
      bufnr = bufnr,
      stamp = since or M.stamp(vim.api.nvim_buf_get_name(bufnr)),
      changedtick = vim.api.nvim_buf_get_changedtick(bufnr),
    }
    wait_for(write)
  elseif since then
    write.changedtick = vim.api.nvim_buf_get_changedtick(bufnr)
  end
  write.deadline = vim.uv.now() + PATIENCE
end

-- Whether a file has changed since Neovim last looked. Without a line, the buffer may be one of a
-- file that did not exist: Neovim asks about that and tells no autocommand.
local function has_changed(bufnr)
  local stat = vim.uv.fs_stat(vim.api.nvim_buf_get_name(bufnr))
  if not stat or stat.type ~= 'file' then
    return false
  elseif vim.deep_equal(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), { '' }) then
    return stat.size > 0
  end
  local changed = false
  local autocmd = vim.api.nvim_create_autocmd('FileChangedShell', {
    buffer = bufnr,
    callback = function()
      changed = true
    end,
  })
  vim.cmd.checktime({ args = { tostring(bufnr) }, mods = { silent = true } })
  vim.api.nvim_del_autocmd(autocmd)
  return changed
end

-- A write that nobody has announced, to the file of a buffer that holds nothing else.
local function notice(bufnr)
  local path = file.path(bufnr)
  local stamp = path and M.stamp(path)
  if not path or known[bufnr] == stamp or vim.bo[bufnr].modified or is_in_use(bufnr) then
    return nil
  end
  local write = {
    bufnr = bufnr,
    stamp = '',
    changedtick = vim.api.nvim_buf_get_changedtick(bufnr),
    deadline = vim.uv.now() + PATIENCE,
  }
  wait_for(write)
  if has_changed(bufnr) then
    return write
  end
  known[bufnr] = stamp
  forget(write)
end

local function sync(bufnr)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return false
  end
  local write = expected[bufnr] or notice(bufnr)
  return write ~= nil and is_untouched(write) and news(write) ~= nil and take(write)
end

--- Have loaded buffers show now what has been written to their files.
---@return integer[] bufnrs of those that did
function M.sync()
  return moment.is_possible() and vim.tbl_filter(sync, vim.api.nvim_list_bufs()) or {}
end

return M
