--- The files that are open, as an editor with tabs would list them, and reporting their changes.
local channel = require('claude_ide.channel')
local file = require('claude_ide.file.path')
local folders = require('claude_ide.file.folders')
local throttle = require('claude_ide.when.throttle')
local usage = require('claude_ide.window.recent')

local M = {}

local api = vim.api

local INTERVAL = 100
-- Up to so many are sent as a whole with each change: that takes less than a millisecond, and mends
-- what has changed without an event. Beyond that, only those that have changed are looked at.
local MOST_WHOLE = 100
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
  'FileChangedShellPost',
  'FileType',
  'TabClosed',
  'TabEnter',
  'WinEnter',
}

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

---@class claude_ide.EditorsChange
---@field changed claude_ide.Editor[] new ones included
---@field gone string[] what they were called
---@field front string[] those that were used since the last report, the one used last first
---@field folders string[]
---@field current? string

-- How the name of each buffer is spelled in other ways, found out once.
local spelled = {} ---@type table<integer, { name: string, uri: string, label: string }>

---@class claude_ide.OpenBuffer
---@field bufnr integer
---@field name string empty for text without a name
---@field filetype string
---@field modified boolean

-- One expression for all: the options of a buffer that is not the current one take twice as long from
-- Lua. In Vimscript, because getbufinfo() holds every buffer's variables.
local FACTS = [[map(%s, "[v:val.bufnr, v:val.lastused, v:val.changed, ]]
  .. [[getbufvar(v:val.bufnr, '&buftype'), getbufvar(v:val.bufnr, '&filetype')]")]]
local ALL = "getbufinfo({'buflisted': 1})"
local SOME = [[filter(map([%s], "get(getbufinfo(v:val), 0, {})"), "get(v:val, 'listed')")]]

-- The empty buffer that Neovim starts with is nothing that anybody has opened.
local function is_open(name, is_modified, buftype, filetype)
  local is_untitled = name == '' and buftype == '' and is_modified
  return is_untitled or file.is_held(name, buftype, filetype)
end

-- Those of some buffers that are open, or of all; the one used last comes first.
---@param among? integer[]
---@return claude_ide.OpenBuffer[]
local function open_buffers(among)
  local source = among and SOME:format(table.concat(among, ',')) or ALL
  local found, bufnrs, seconds = {}, {}, {}
  for _, facts in ipairs(api.nvim_eval(FACTS:format(source))) do
    local bufnr, last_used, changed, buftype, filetype = unpack(facts)
    local name = api.nvim_buf_get_name(bufnr)
    if not found[bufnr] and is_open(name, changed == 1, buftype, filetype) then
      bufnrs[#bufnrs + 1], seconds[bufnr] = bufnr, last_used
      found[bufnr] = { bufnr = bufnr, name = name, filetype = filetype, modified = changed == 1 }
    end
  end
  return vim.tbl_map(function(bufnr)
    return found[bufnr]
  end, usage.sort(bufnrs, seconds))
end

-- What the user works on: it need not be the current buffer, which may be a terminal or a file tree
-- beside it.
---@return claude_ide.OpenBuffer?
local function find_active()
  return open_buffers(vim.fn.tabpagebuflist())[1]
end

-- Where each buffer is shown: in the current tabpage if it is, else in the first that does.
local function places()
  local shown = {}
  local here = api.nvim_get_current_tabpage()
  for index, tabpage in ipairs(api.nvim_list_tabpages()) do
    for column, win in ipairs(api.nvim_tabpage_list_wins(tabpage)) do
      local bufnr = api.nvim_win_get_buf(win)
      if not shown[bufnr] or (tabpage == here and not shown[bufnr].is_here) then
        shown[bufnr] = { group = index - 1, column = column, is_here = tabpage == here }
      end
    end
  end
  return shown
end

---@param buffer claude_ide.OpenBuffer
---@return claude_ide.Editor
local function describe(buffer, place, is_active)
  local is_new = buffer.name == ''
  local name = is_new and ('Untitled-%d'):format(buffer.bufnr) or buffer.name
  local known = spelled[buffer.bufnr]
  if not known or known.name ~= name then
    local uri = is_new and 'untitled:' .. name or vim.uri_from_fname(name)
    known = { name = name, uri = uri, label = vim.fs.basename(name) }
    spelled[buffer.bufnr] = known
  end
  return {
    uri = known.uri,
    fileName = name,
    label = known.label,
    languageId = buffer.filetype,
    isActive = is_active,
    isPinned = false,
    isPreview = false,
    isDirty = buffer.modified,
    isUntitled = is_new,
    isGroupActive = place ~= nil and place.is_here,
    groupIndex = place and place.group or 0,
    viewColumn = place and place.column,
    lineCount = api.nvim_buf_line_count(buffer.bufnr),
  }
end

local function number_of(buffer)
  return buffer and buffer.bufnr
end

local function path_of(buffer)
  return buffer and buffer.name ~= '' and buffer.name or nil
end

local function describe_all(buffers, active)
  local shown = places()
  return vim.tbl_map(function(buffer)
    return describe(buffer, shown[buffer.bufnr], buffer.bufnr == active)
  end, buffers)
end

local function names(buffers)
  local found = {}
  for _, buffer in ipairs(buffers) do
    if buffer.name ~= '' then
      found[#found + 1] = buffer.name
    end
  end
  return found
end

--- What is open, as an editor with tabs would say it; what was used last comes first.
---@return claude_ide.Editor[]
function M.editors()
  return describe_all(open_buffers(), number_of(find_active()))
end

--- Absolute paths of the files that are open, the one used last first.
---@return string[]
function M.paths()
  return names(open_buffers())
end

--- The path of the file that the user works on.
---@return string?
function M.current()
  return path_of(find_active())
end

local function whole(buffers)
  local active = find_active()
  return {
    editors = describe_all(buffers, number_of(active)),
    paths = names(buffers),
    folders = folders.all(),
    current = path_of(active),
  }
end

--- All of it at one instant, for answers while Neovim is busy.
---@return claude_ide.Snapshot
function M.snapshot()
  return whole(open_buffers())
end

-- What has been reported, by the numbers of buffers, and how many that are.
local reported = {} ---@type table<integer, claude_ide.Editor>
local count = 0
local last ---@type table? what was reported last
-- Since the last report.
local touched = {} ---@type table<integer, true> what may have changed
local entered = {} ---@type table<integer, true>
-- At the last report.
local shown_before = {} ---@type table<integer, any>
local highest = 0 -- number of a buffer

local function settle()
  touched, entered = {}, {}
  shown_before, highest = places(), vim.fn.bufnr('$')
end

local function report_whole()
  local buffers = open_buffers()
  local snapshot = whole(buffers)
  reported, count = {}, #buffers
  for index, buffer in ipairs(buffers) do
    reported[buffer.bufnr] = snapshot.editors[index]
  end
  settle()
  return snapshot
end

-- Whatever is or was shown may have changed, and a buffer with a higher number than any before is new.
local function suspects(shown)
  local bufnrs = vim.tbl_extend('keep', touched, shown, shown_before)
  for bufnr = highest + 1, vim.fn.bufnr('$') do
    bufnrs[bufnr] = true
  end
  return vim.tbl_keys(bufnrs)
end

---@param bufnr integer
---@param now? claude_ide.Editor
---@param change claude_ide.EditorsChange
local function compare(bufnr, now, change)
  local before = reported[bufnr]
  if before and (not now or now.fileName ~= before.fileName) then
    table.insert(change.gone, before.fileName)
  end
  if now and not vim.deep_equal(now, before) then
    table.insert(change.changed, now)
  end
  reported[bufnr] = now
  count = count + (now and 1 or 0) - (before and 1 or 0)
end

local function in_front()
  entered[api.nvim_get_current_buf()] = true
  local bufnrs = vim.tbl_filter(function(bufnr)
    return reported[bufnr] ~= nil
  end, vim.tbl_keys(entered))
  return vim.tbl_map(function(bufnr)
    return reported[bufnr].fileName
  end, usage.sort(bufnrs))
end

---@return claude_ide.EditorsChange
local function report_change()
  local active, shown = find_active(), places()
  local change = { changed = {}, gone = {}, folders = folders.all(), current = path_of(active) }
  local bufnrs = suspects(shown)
  local editors = {}
  for _, buffer in ipairs(open_buffers(bufnrs)) do
    local bufnr = buffer.bufnr
    editors[bufnr] = describe(buffer, shown[bufnr], bufnr == number_of(active))
  end
  for _, bufnr in ipairs(bufnrs) do
    compare(bufnr, editors[bufnr], change)
  end
  change.front = in_front()
  settle()
  return change
end

local function report_if_new(event, report, now, has_moved)
  if has_moved or not vim.deep_equal(now, last) then
    last = now
    channel.emit(event, report)
  end
end

local function look()
  if count <= MOST_WHOLE then
    local snapshot = report_whole()
    return report_if_new('editors_changed', snapshot, snapshot, false)
  end
  local change = report_change()
  local now = { front = change.front[1], folders = change.folders, current = change.current }
  local has_moved = #change.changed > 0 or #change.gone > 0 or #change.front > 1
  report_if_new('some_editors_changed', change, now, has_moved)
end

--- The snapshot that the changes reported from now on are changes of.
---@return claude_ide.Snapshot
function M.begin()
  return report_whole()
end

--- Emit `editors_changed` with a snapshot each time that it has changed; while very many files are
--- open `some_editors_changed`, with the changes only.
---@param on boolean
function M.watch(on)
  local group = api.nvim_create_augroup('claude_ide_buffers', { clear = true })
  reported, count, last, spelled = {}, 0, nil, {}
  if not on then
    return
  end
  settle()
  local changed = throttle.new(INTERVAL, look)
  api.nvim_create_autocmd(EVENTS, {
    group = group,
    callback = function(event)
      touched[event.buf] = true
      if event.event == 'BufEnter' then
        entered[event.buf] = true
      end
      changed()
    end,
  })
end

return M
