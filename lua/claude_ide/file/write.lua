--- Writing a buffer to its file: as the user would, but never past what somebody else has written.
local message = require('claude_ide.say.message')
local reason = require('claude_ide.say.reason')

local M = {}

local LARGEST = 64 * 1024 * 1024 -- bytes

---@class claude_ide.Stamp
---@field time string of the file's last change
---@field is_read boolean whether Neovim has read or written that very state

---@type table<integer, claude_ide.Stamp>
local stamps = {}
local conflicts = {} ---@type table<integer, true> buffers of files that somebody else has written
local is_watching = false

local function stat_of(bufnr)
  return vim.uv.fs_stat(vim.api.nvim_buf_get_name(bufnr))
end

local function time_of(bufnr)
  local stat = stat_of(bufnr)
  return stat and ('%d.%d'):format(stat.mtime.sec, stat.mtime.nsec)
end

local function stamp(bufnr, is_read)
  local time = time_of(bufnr)
  stamps[bufnr] = time and { time = time, is_read = is_read }
end

--- A buffer holds what its file does now, though no `:edit` has read it.
---@param bufnr integer
function M.has_read(bufnr)
  conflicts[bufnr] = nil
  -- Unwatched, a later read or write would not be noticed.
  if is_watching then
    stamp(bufnr, true)
  end
end

--- Remember from now on in which state Neovim knows each file.
---@param on boolean
function M.watch(on)
  local group = vim.api.nvim_create_augroup('claude_ide_disk', { clear = true })
  stamps, is_watching = {}, on
  if not on then
    return
  end
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) then
      stamp(bufnr, false)
    end
  end
  vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufWritePost' }, {
    group = group,
    callback = function(event)
      stamp(event.buf, true)
    end,
  })
  vim.api.nvim_create_autocmd({ 'BufUnload', 'BufFilePost' }, {
    group = group,
    callback = function(event)
      stamps[event.buf] = nil
    end,
  })
end

--- Ask Neovim whether the file of a buffer that it would not read by itself has changed, and keep it
--- from asking the user. It says so only once.
---@param bufnr integer
---@return string? reason `v:fcs_reason`; nil where nothing, or only the file's time, has changed
function M.probe(bufnr)
  local found
  local id = vim.api.nvim_create_autocmd('FileChangedShell', {
    buffer = bufnr,
    callback = function()
      found = vim.v.fcs_reason
      -- It gives no warning if only the time has changed, and `:write` then knows it.
      vim.v.fcs_choice = found == 'time' and 'ask' or ''
    end,
  })
  vim.cmd.checktime({ args = { tostring(bufnr) }, mods = { silent = true } })
  vim.api.nvim_del_autocmd(id)
  return found ~= 'time' and found or nil
end

local function is_empty(bufnr)
  return vim.api.nvim_buf_line_count(bufnr) == 1
    and vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)[1] == ''
end

--- Whether the file of an unmodified buffer that does not read it by itself has changed since Neovim
--- last looked. Without a line, the buffer may be one of a file that did not exist: Neovim asks about
--- that and runs no autocommand.
---@param bufnr integer
---@return boolean
function M.has_news(bufnr)
  local stat = stat_of(bufnr)
  if not stat or stat.type ~= 'file' then
    return false
  elseif is_empty(bufnr) then
    return stat.size > 0
  end
  return M.probe(bufnr) ~= nil
end

--- Whether Neovim would be busy for seconds reading the file of a buffer.
---@param bufnr integer
---@return boolean
function M.is_too_large(bufnr)
  local stat = stat_of(bufnr)
  return stat ~= nil and stat.size > LARGEST
end

--- A buffer keeps unsaved changes to another text than its file now holds.
---@param bufnr integer
function M.remember_conflict(bufnr)
  conflicts[bufnr] = true
  vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufWritePost', 'BufUnload' }, {
    buffer = bufnr,
    once = true,
    callback = function()
      conflicts[bufnr] = nil
    end,
  })
end

--- Whether it does, as far as that has been noticed.
---@param bufnr integer
---@return boolean
function M.is_in_conflict(bufnr)
  return conflicts[bufnr] == true
end

--- Whether the file of a buffer with unsaved changes has been written by somebody else. It says so
--- only once; `is_in_conflict` remembers it.
---@param bufnr integer
---@return boolean
function M.notice_conflict(bufnr)
  local is_new = M.probe(bufnr) ~= nil
  if is_new then
    M.remember_conflict(bufnr)
  end
  return is_new
end

--- Whether the file of a buffer has another time than when Neovim last read or wrote it.
---@param bufnr integer
---@return boolean
function M.has_other_time(bufnr)
  local known = stamps[bufnr]
  return known ~= nil and known.time ~= (time_of(bufnr) or known.time)
end

local function warn_of_conflict(bufnr)
  local is_new = M.notice_conflict(bufnr)
  if is_new then
    local name = vim.fs.basename(vim.api.nvim_buf_get_name(bufnr))
    message.show(('%s has changed on disk, too; `:w` asks'):format(name), 'warn')
  end
  return is_new
end

--- Whether somebody else has written the file of a buffer since Neovim has read or written it.
---@param bufnr integer
---@return boolean
function M.has_changed(bufnr)
  local time, known = time_of(bufnr), stamps[bufnr]
  if not time then
    return false
  elseif conflicts[bufnr] then
    return true
  end
  if known and (known.is_read or known.time ~= time) then
    return known.time ~= time
  end
  return warn_of_conflict(bufnr)
end

--- Write a loaded buffer if it has anything to write.
---@param bufnr integer
---@return string? refusal one sentence
function M.write(bufnr)
  local path = vim.api.nvim_buf_get_name(bufnr)
  local was_modified = vim.bo[bufnr].modified
  local stat = vim.uv.fs_stat(path)
  if not was_modified and stat then
    return nil
  elseif stat and stat.type ~= 'file' then
    -- Writing to a pipe would not end.
    return ('%s: not a regular file any more; it was not written.'):format(path)
  end
  -- `:write` would ask "really write?", and the answer be whatever the user is typing.
  if M.has_changed(bufnr) then
    return ('%s has changed on disk since Neovim read it; it was not written.'):format(path)
  end
  -- With 'confirm' a refusal would be a dialog.
  local confirm = vim.o.confirm
  vim.o.confirm = false
  local ok, err = pcall(vim.api.nvim_buf_call, bufnr, function()
    vim.cmd.write({ mods = { silent = true } })
  end)
  vim.o.confirm = confirm
  -- What fails in an autocommand after the write does not undo it.
  local is_written = ok or (was_modified and not vim.bo[bufnr].modified)
  return not is_written and reason.of(err) or nil
end

return M
