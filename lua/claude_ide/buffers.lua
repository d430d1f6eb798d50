--- The files that are open in Neovim: which, in what state, and their text.
local buffer_text = require('claude_ide.buffer_text')
local channel = require('claude_ide.channel')
local disk = require('claude_ide.disk')
local file = require('claude_ide.file')
local path_gate = require('claude_ide.path_gate')
local throttle = require('claude_ide.throttle')
local usage = require('claude_ide.usage')
local written = require('claude_ide.written')

local M = {}

local INTERVAL = 100
local EVENTS = {
  'BufAdd',
  'BufDelete',
  'BufEnter',
  'BufFilePost',
  'BufModifiedSet',
  'BufReadPost',
  'BufWipeout',
  'BufWritePost',
  'DirChanged',
  'FileType',
  'TabClosed',
  'TabEnter',
  'WinEnter',
}

---@class claude_ide.Buffer
---@field bufnr integer
---@field loaded boolean
---@field modified boolean
---@field listed boolean

---@class claude_ide.Editor
---@field uri string
---@field fileName string absolute path
---@field label string
---@field languageId string
---@field isActive boolean whether it is what the user works on
---@field isPinned boolean
---@field isPreview boolean
---@field isDirty boolean
---@field isUntitled boolean
---@field isGroupActive boolean whether the current tabpage shows it
---@field groupIndex integer 0-based number of the tabpage that shows it, 0 when none does
---@field viewColumn? integer number of a window that shows it
---@field lineCount integer 0 for a buffer that is not loaded

---@class claude_ide.Snapshot
---@field editors claude_ide.Editor[]
---@field paths string[]
---@field folders string[]
---@field current? string path of the file that the user works on

-- A file that is yet to be written has no real path, but its folder may have.
local function real(path)
  local found = vim.uv.fs_realpath(path)
  if found then
    return found
  end
  local folder = vim.uv.fs_realpath(vim.fs.dirname(path))
  return folder and vim.fs.joinpath(folder, vim.fs.basename(path)) or path
end

local function number(path, is_real)
  local names = {}
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    names[bufnr] = file.path(bufnr)
    if names[bufnr] == path then
      return bufnr
    end
  end
  local wanted = is_real and path or real(path)
  for bufnr, name in vim.spairs(names) do
    if real(name) == wanted then
      return bufnr
    end
  end
end

--- The buffer of a file, whichever way either of them spells its path.
---
--- Raises an error when no file can have such a path.
---@param path string
---@param is_real? boolean the caller has followed its links: none is followed here
---@return claude_ide.Buffer?
function M.find(path, is_real)
  local bufnr = number(path_gate.absolute(path), is_real == true)
  return bufnr
    and {
      bufnr = bufnr,
      loaded = vim.api.nvim_buf_is_loaded(bufnr),
      modified = vim.bo[bufnr].modified,
      listed = vim.bo[bufnr].buflisted,
    }
end

local function is_file(bufnr)
  return vim.bo[bufnr].buflisted and file.path(bufnr) ~= nil
end

-- The empty buffer that Neovim starts with is nothing that anybody has opened.
local function is_untitled(bufnr)
  local options = vim.bo[bufnr]
  return options.buflisted
    and options.buftype == ''
    and options.modified
    and vim.api.nvim_buf_get_name(bufnr) == ''
end

-- What is open, the one used last first, and what of it the user works on: it need not be the
-- current buffer, which may be a terminal or a file tree beside it.
---@return integer[] bufnrs
---@return integer? active
local function survey()
  local bufnrs = usage.sort(vim.tbl_filter(function(bufnr)
    return is_file(bufnr) or is_untitled(bufnr)
  end, vim.api.nvim_list_bufs()))
  local visible = vim.fn.tabpagebuflist()
  local active = vim.iter(bufnrs):find(function(bufnr)
    return vim.list_contains(visible, bufnr)
  end)
  return bufnrs, active
end

-- Where each buffer is shown: in the current tabpage if it is, else in the first that does.
local function places()
  local shown = {}
  local here = vim.api.nvim_get_current_tabpage()
  for index, tabpage in ipairs(vim.api.nvim_list_tabpages()) do
    for column, win in ipairs(vim.api.nvim_tabpage_list_wins(tabpage)) do
      local bufnr = vim.api.nvim_win_get_buf(win)
      if not shown[bufnr] or (tabpage == here and not shown[bufnr].is_here) then
        shown[bufnr] = { group = index - 1, column = column, is_here = tabpage == here }
      end
    end
  end
  return shown
end

local function describe(bufnr, place, is_active)
  local path = vim.api.nvim_buf_get_name(bufnr)
  local is_new = path == ''
  local name = is_new and ('Untitled-%d'):format(bufnr) or path
  return {
    uri = is_new and 'untitled:' .. name or vim.uri_from_fname(path),
    fileName = name,
    label = vim.fs.basename(name),
    languageId = vim.bo[bufnr].filetype,
    isActive = is_active,
    isPinned = false,
    isPreview = false,
    isDirty = vim.bo[bufnr].modified,
    isUntitled = is_new,
    isGroupActive = place ~= nil and place.is_here,
    groupIndex = place and place.group or 0,
    viewColumn = place and place.column,
    lineCount = vim.api.nvim_buf_line_count(bufnr),
  }
end

local function describe_all(bufnrs, active)
  local shown = places()
  return vim.tbl_map(function(bufnr)
    return describe(bufnr, shown[bufnr], bufnr == active)
  end, bufnrs)
end

local function names(bufnrs)
  return vim.tbl_filter(function(name)
    return name ~= ''
  end, vim.tbl_map(vim.api.nvim_buf_get_name, bufnrs))
end

--- What is open, as an editor with tabs would say it; what was used last comes first.
---@return claude_ide.Editor[]
function M.editors()
  return describe_all(survey())
end

--- Absolute paths of the files that are open, the one used last first.
---@return string[]
function M.paths()
  return names((survey()))
end

---@param path string
---@return { isOpen: boolean, isDirty?: boolean, isUntitled?: boolean }
function M.dirty(path)
  local buffer = M.find(path)
  if not buffer or not (buffer.loaded or buffer.listed) then
    return { isOpen = false }
  end
  return { isOpen = true, isDirty = buffer.modified, isUntitled = false }
end

--- What `:write` would put on disk; nil when the file is not loaded.
---@param path string
---@param is_real? boolean as in `find`
---@return string?
function M.text(path, is_real)
  local buffer = M.find(path, is_real)
  return buffer and buffer.loaded and buffer_text.get(buffer.bufnr) or nil
end

--- Write a file as the user would with `:write`, their autocommands included.
---@param path string
---@return { saved?: true, error?: string }
function M.save(path)
  local buffer = M.find(path)
  if not buffer or not buffer.loaded then
    return { error = ('%s is not open in Neovim.'):format(path) }
  end
  local refusal = disk.write(buffer.bufnr)
  return refusal and { error = refusal } or { saved = true }
end

--- The working folder where the user is: the window's, else the tabpage's, else the global one.
---@return string
function M.folder()
  return vim.fn.getcwd()
end

--- Neovim's working folders: the global one, then those of tabpages and windows.
---@return string[]
function M.folders()
  local folders = { vim.fn.getcwd(-1, -1) }
  local function add(folder)
    if not vim.list_contains(folders, folder) then
      table.insert(folders, folder)
    end
  end
  for tab = 1, vim.fn.tabpagenr('$') do
    add(vim.fn.getcwd(-1, tab))
    for win = 1, vim.fn.tabpagewinnr(tab, '$') do
      add(vim.fn.getcwd(win, tab))
    end
  end
  return folders
end

--- The path of the file that the user works on.
---@return string?
function M.current()
  local _, active = survey()
  return active and file.path(active) or nil
end

--- All of it at one instant, for answers while Neovim is busy.
---@return claude_ide.Snapshot
function M.snapshot()
  local bufnrs, active = survey()
  return {
    editors = describe_all(bufnrs, active),
    paths = names(bufnrs),
    folders = M.folders(),
    current = active and file.path(active),
  }
end

--- Emit `editors_changed` with a snapshot each time that it has changed.
---@param on boolean
function M.watch(on)
  local group = vim.api.nvim_create_augroup('claude_ide_buffers', { clear = true })
  disk.watch(on)
  written.watch(on)
  usage.watch(on)
  if not on then
    return
  end
  local last
  local changed = throttle.new(INTERVAL, function()
    local snapshot = M.snapshot()
    if not vim.deep_equal(snapshot, last) then
      last = snapshot
      channel.emit('editors_changed', snapshot)
    end
  end)
  vim.api.nvim_create_autocmd(EVENTS, { group = group, callback = changed })
end

return M
