--- Writing a buffer to its file: as the user would, but never past what somebody else has written.
local changed = require('claude_ide.file.changed')
local message = require('claude_ide.say.message')
local reason = require('claude_ide.say.reason')
local stamp = require('claude_ide.file.stamp')

local M = {}

local LARGEST = 64 * 1024 * 1024 -- bytes

---@class claude_ide.KnownState
---@field time string of the file's last change
---@field is_read boolean whether Neovim has read or written that very state

---@type table<integer, claude_ide.KnownState>
local states = {}
local conflicts = {} ---@type table<integer, true> buffers of files that somebody else has written
local is_watching = false

local function stat_of(bufnr)
  return vim.uv.fs_stat(vim.api.nvim_buf_get_name(bufnr))
end

local function remember(bufnr, is_read)
  local time = stamp.time_of_buffer(bufnr)
  states[bufnr] = time and { time = time, is_read = is_read }
end

--- A buffer holds what its file does now, though no `:edit` has read it.
---@param bufnr integer
function M.has_read(bufnr)
  conflicts[bufnr] = nil
  -- Unwatched, a later read or write would not be noticed.
  if is_watching then
    remember(bufnr, true)
  end
end

--- Remember from now on in which state Neovim knows each file.
---@param on boolean
function M.watch(on)
  local group = vim.api.nvim_create_augroup('claude_ide_disk', { clear = true })
  states, is_watching = {}, on
  if not on then
    return
  end
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) then
      remember(bufnr, false)
    end
  end
  vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufWritePost' }, {
    group = group,
    callback = function(event)
      remember(event.buf, true)
    end,
  })
  vim.api.nvim_create_autocmd({ 'BufUnload', 'BufFilePost' }, {
    group = group,
    callback = function(event)
      states[event.buf] = nil
    end,
  })
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
  return changed.probe(bufnr) ~= nil
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
  local is_new = changed.probe(bufnr) ~= nil
  if is_new then
    M.remember_conflict(bufnr)
  end
  return is_new
end

--- Whether the file of a buffer has another time than when Neovim last read or wrote it.
---@param bufnr integer
---@return boolean
function M.has_other_time(bufnr)
  local known = states[bufnr]
  return known ~= nil and known.time ~= (stamp.time_of_buffer(bufnr) or known.time)
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
  local time, known = stamp.time_of_buffer(bufnr), states[bufnr]
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
    return ('%s: no longer a regular file; it was not written.'):format(path)
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
