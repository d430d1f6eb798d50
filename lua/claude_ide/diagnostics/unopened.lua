--- Loads unopened files for some minutes, so that language servers and linters check them.
local autocommands = require('claude_ide.messages.autocommands')
local borrowed_buffer = require('claude_ide.file.borrowed_buffer')
local buffers = require('claude_ide.file.buffers')
local file_load = require('claude_ide.file.load')
local file_path = require('claude_ide.file.path')
local moment = require('claude_ide.timing.moment')
local published = require('claude_ide.diagnostics.published')
local quiet = require('claude_ide.messages.quiet')
local window_close = require('claude_ide.window.close')
local written = require('claude_ide.diagnostics.written')

local M = {}

local api = vim.api

local MOST = 20
-- Reading and checking a larger file would block Neovim.
local LARGEST_BYTES = 2000000
local HEAD_BYTES = 8000 -- that are searched for a NUL
-- After the last request for a file.
local STAYS_MS = 180000
local LOOK_MS = 10000

---@class claude_ide.Unopened
---@field bufnr integer
---@field is_known boolean whether the buffer existed before
---@field until_ms number time of libuv at which it expires

---@type table<integer, claude_ide.Unopened>
local loaded = {}
local on, group = autocommands.group('claude_ide_unopened')

-- Prevent questions about a file that the user has not opened: from other editors, because of a swap
-- file, and from Neovim, after a change on disk.
local function isolate(bufnr)
  vim.bo[bufnr].swapfile = false
  vim.bo[bufnr].autoread = true
end

-- If the buffer is still loaded, this creates its swap file.
local function restore_options(bufnr)
  if not api.nvim_buf_is_valid(bufnr) then
    return
  end
  vim.bo[bufnr].autoread = nil
  local id = on('SwapExists', nil, function()
    vim.v.swapchoice = vim.v.swapchoice == '' and 'e' or vim.v.swapchoice
  end)
  pcall(quiet.run, function()
    vim.bo[bufnr].swapfile = vim.go.swapfile
  end)
  pcall(api.nvim_del_autocmd, id)
end

local function forget(bufnr)
  loaded[bufnr] = nil
  pcall(api.nvim_clear_autocmds, { group = group, buffer = bufnr })
  restore_options(bufnr)
end

-- The user has opened the buffer: from now on it is an ordinary one.
local function hand_over(bufnr)
  vim.bo[bufnr].buflisted = true
  forget(bufnr)
end

local function is_tiled(win)
  return api.nvim_win_get_config(win).relative == '' and not vim.wo[win].previewwindow
end

--- Whether the user has opened a buffer: it is listed, changed or shown.
---@type fun(bufnr: integer): boolean
function M.is_opened(bufnr)
  return vim.bo[bufnr].buflisted
    or vim.bo[bufnr].modified
    or (
      not borrowed_buffer.is_borrowed(bufnr)
      and vim.iter(vim.fn.win_findbuf(bufnr)):any(is_tiled)
    )
end

-- Nothing happens to a file in use: this is called again.
local function unload(file)
  local bufnr = file.bufnr
  if api.nvim_buf_is_loaded(bufnr) then
    if M.is_opened(bufnr) then
      return hand_over(bufnr)
    elseif #vim.fn.win_findbuf(bufnr) > 0 or not moment.is_possible() then
      return
    end
    pcall(quiet.run, function()
      window_close.temporary(bufnr, file.is_known)
    end)
  end
  if not api.nvim_buf_is_loaded(bufnr) then
    forget(bufnr)
  end
end

local function unload_in_time(file)
  vim.defer_fn(function()
    if loaded[file.bufnr] == file then
      if vim.uv.now() >= file.until_ms or not api.nvim_buf_is_loaded(file.bufnr) then
        unload(file)
      end
      unload_in_time(file)
    end
  end, LOOK_MS)
end

local function make_room()
  local files = vim.tbl_values(loaded)
  table.sort(files, function(a, b)
    return a.until_ms < b.until_ms
  end)
  for index = 1, #files - MOST do
    unload(files[index])
  end
end

local function keep(bufnr, is_known)
  local file = { bufnr = bufnr, is_known = is_known, until_ms = vim.uv.now() + STAYS_MS }
  loaded[bufnr] = file
  api.nvim_clear_autocmds({ group = group, buffer = bufnr })
  local function check()
    if loaded[bufnr] and api.nvim_buf_is_loaded(bufnr) and M.is_opened(bufnr) then
      hand_over(bufnr)
    end
  end
  -- Scheduled, because `is_opened` must see the final state of the windows and the buffer's options.
  on('BufWinEnter', bufnr, vim.schedule_wrap(check))
  on('FileChangedShell', bufnr, function()
    if vim.v.fcs_reason == 'deleted' then
      vim.v.fcs_choice = ''
      file.until_ms = 0
    end
  end)
  make_room()
  unload_in_time(file)
end

-- Why a file must not be loaded, if so.
local function obstacle(path)
  local size = assert(vim.uv.fs_stat(path)).size
  local reason = file_path.needs_plugin(path)
  if reason then
    return reason
  elseif size > LARGEST_BYTES then
    return ('it has %d bytes, more than %d'):format(size, LARGEST_BYTES)
  elseif vim.fn.readblob(path, 0, HEAD_BYTES):find('\0', 1, true) then
    return 'it is not a text file'
  elseif not moment.is_possible() then
    return 'Neovim cannot load it at the moment'
  end
end

local function load(path, found)
  local bufnr = found and found.bufnr or vim.fn.bufadd(path)
  isolate(bufnr)
  local _, err = file_load.hidden(bufnr)
  if not err then
    keep(bufnr, found ~= nil)
    written.report_load(bufnr)
    return { bufnr = bufnr, is_cold = true }
  elseif found then
    restore_options(bufnr)
  else
    pcall(window_close.buffer, bufnr)
  end
  return { error = ('%s: %s'):format(path, err) }
end

--- Load a file, unless it is loaded, without showing or listing it. It stays loaded for some minutes.
---@param path string
---@return table `LoadedFile` of the port, or { error }
function M.load(path)
  local absolute, refusal = file_path.existing(path)
  if not absolute then
    return { error = refusal }
  end
  local found = buffers.find(absolute)
  if not (found and found.loaded) then
    local reason = obstacle(absolute)
    return reason and { obstacle = reason } or load(absolute, found)
  end
  -- A diff shows it.
  local is_kept, is_known = borrowed_buffer.keep(found.bufnr)
  if is_kept then
    isolate(found.bufnr)
    keep(found.bufnr, is_known)
    written.report_load(found.bufnr)
    return { bufnr = found.bufnr, is_cold = true }
  end
  if loaded[found.bufnr] then
    loaded[found.bufnr].until_ms = vim.uv.now() + STAYS_MS
  end
  local is_checked = next(published.sets(found.bufnr)) ~= nil
  return { bufnr = found.bufnr, is_cold = false, is_checked = is_checked }
end

--- Unload all files that the user has not opened.
function M.release()
  for _, file in ipairs(vim.tbl_values(loaded)) do
    file.until_ms = 0
    unload(file)
  end
end

return M
