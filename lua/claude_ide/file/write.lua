--- Writes buffers to their files as the user would, but never overwrites changes of another program.
local changed = require('claude_ide.file.changed')
local file = require('claude_ide.file.path')
local message = require('claude_ide.messages.message')
local reason = require('claude_ide.messages.reason')
local stamp = require('claude_ide.file.stamp')

local M = {}

local augroup = vim.api.nvim_create_augroup('claude_ide_file_write', { clear = true })

local LARGEST = 64 * 1024 * 1024 -- bytes
local CHANGED = '%s has changed on disk since Neovim read it; it was not written.'

---@class claude_ide.KnownState
---@field time string of the file's last change
---@field is_read boolean whether Neovim has read or written the file in this state

---@type table<integer, claude_ide.KnownState>
local states = {}
local conflicts = {} ---@type table<integer, true> buffers whose unsaved changes conflict with the disk
local is_watching = false

local function stat_of(bufnr)
  return vim.uv.fs_stat(vim.api.nvim_buf_get_name(bufnr))
end

local function remember(bufnr, is_read)
  local time = stamp.time_of_buffer(bufnr)
  states[bufnr] = time and { time = time, is_read = is_read }
end

--- Record that a buffer holds the text of its file, although Neovim has not read it.
---@param bufnr integer
function M.mark_read(bufnr)
  conflicts[bufnr] = nil
  -- Without the watch, later reads and writes would go unnoticed.
  if is_watching then
    remember(bufnr, true)
  end
end

--- Track the state of each file that Neovim has last read or written.
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

--- Whether the file of an unmodified buffer has changed since Neovim's last check. Only for buffers that
--- Neovim does not reload automatically. An empty buffer may be one of a file that did not exist: Neovim
--- would ask the user about that, without an autocommand, so only the size of the file is examined.
---@param bufnr integer
---@return boolean
function M.has_unread_change(bufnr)
  local stat = stat_of(bufnr)
  if not stat or stat.type ~= 'file' then
    return false
  elseif is_empty(bufnr) then
    return stat.size > 0
  end
  return changed.probe(bufnr) ~= nil
end

--- Whether reading the file of a buffer would block Neovim for seconds.
---@param bufnr integer
---@return boolean
function M.is_too_large(bufnr)
  local stat = stat_of(bufnr)
  return stat ~= nil and stat.size > LARGEST
end

--- Record that a buffer has unsaved changes that are not based on the current text of its file.
---@param bufnr integer
function M.remember_conflict(bufnr)
  conflicts[bufnr] = true
  vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufWritePost', 'BufUnload' }, {
    group = augroup,
    buffer = bufnr,
    once = true,
    callback = function()
      conflicts[bufnr] = nil
    end,
  })
end

--- Whether such a conflict has been noticed.
---@param bufnr integer
---@return boolean
function M.is_in_conflict(bufnr)
  return conflicts[bufnr] == true
end

--- Whether another program has written the file of a buffer with unsaved changes. True only once per
--- write; `is_in_conflict` stays true.
---@param bufnr integer
---@return boolean
function M.notice_conflict(bufnr)
  local is_new = changed.probe(bufnr) ~= nil
  if is_new then
    M.remember_conflict(bufnr)
  end
  return is_new
end

--- Whether the time of a buffer's file differs from when Neovim last read or wrote it.
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

--- Whether another program has written the file of a buffer since Neovim last read or wrote it.
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

-- Another program may write the file while autocommands, such as a formatter, run before the write: then
-- `:write` would ask the user, too. Neovim runs autocommands in the order of their definition.
---@return integer autocommand the last one before the write; its error cancels the write
---@return fun(): boolean is_overtaken
local function guard(bufnr)
  local path = vim.api.nvim_buf_get_name(bufnr)
  local before, target, is_overtaken = stamp.time_of_buffer(bufnr), file.real(path), false
  local id = vim.api.nvim_create_autocmd('BufWritePre', {
    group = augroup,
    buffer = bufnr,
    callback = function()
      local now = stamp.time_of_buffer(bufnr)
      is_overtaken = now ~= nil and now ~= before or file.real(path) ~= target
      if is_overtaken then
        error('the file has changed', 0)
      end
    end,
  })
  return id, function()
    return is_overtaken
  end
end

-- With 'confirm', an error of `:write` would become a dialog.
---@return boolean ok
---@return any err
local function write_without_dialog(bufnr)
  local confirm = vim.o.confirm
  vim.o.confirm = false
  local ok, err = pcall(vim.api.nvim_buf_call, bufnr, function()
    vim.cmd.write({ mods = { silent = true } })
  end)
  vim.o.confirm = confirm
  return ok, err
end

--- Write a loaded buffer if it has unsaved changes or its file does not exist.
---@param bufnr integer
---@return string? refusal one sentence
---@return boolean? is_damaged whether the write has failed after it had changed the file
function M.write(bufnr)
  local path = vim.api.nvim_buf_get_name(bufnr)
  local was_modified = vim.bo[bufnr].modified
  local stat = vim.uv.fs_stat(path)
  if not was_modified and stat then
    return nil
  elseif stat and stat.type ~= 'file' then
    -- Writing to a pipe might never end.
    return ('%s: no longer a regular file; it was not written.'):format(path)
  end
  local refusal = CHANGED:format(path)
  -- `:write` would ask "really write?", and the keys that the user is typing would answer it.
  if M.has_changed(bufnr) then
    return refusal
  end
  local id, is_overtaken = guard(bufnr)
  local before = stamp.of(path)
  local was_listed = vim.bo[bufnr].buflisted
  local ok, err = write_without_dialog(bufnr)
  pcall(vim.api.nvim_del_autocmd, id)
  -- A language server that formats before the write lists the buffer.
  if vim.api.nvim_buf_is_valid(bufnr) then
    vim.bo[bufnr].buflisted = was_listed
  end
  if is_overtaken() then
    return refusal
  end
  -- An error in an autocommand after the write does not undo it.
  local is_written = ok or (was_modified and not vim.bo[bufnr].modified)
  if is_written then
    return nil
  end
  return reason.of(err), stamp.of(path) ~= before
end

return M
