--- The open files, in the form of an IDE's list of editor tabs.
local file = require('claude_ide.file.path')
local privacy = require('claude_ide.privacy')
local recent = require('claude_ide.window.recent')

local M = {}

local api = vim.api

---@class claude_ide.Editor
---@field uri string
---@field fileName string absolute path
---@field label string
---@field languageId string
---@field isActive boolean whether it is the file that the user works on
---@field isPinned boolean
---@field isPreview boolean
---@field isDirty boolean
---@field isUntitled boolean
---@field isGroupActive boolean whether the current tabpage shows it
---@field groupIndex integer 0-based number of the tabpage that shows it; 0 if none does
---@field viewColumn? integer number of a window that shows it
---@field lineCount integer 0 if the buffer is not loaded

---@class claude_ide.Snapshot
---@field editors claude_ide.Editor[]
---@field paths string[]
---@field folders string[]
---@field current? string path of the file that the user works on

-- The other spellings of each buffer's name, computed once.
local spellings = {} ---@type table<integer, { name: string, uri: string, label: string }>

---@class claude_ide.OpenBuffer
---@field bufnr integer
---@field name string empty for a buffer without a name
---@field filetype string
---@field modified boolean

-- One Vimscript expression for all buffers: from Lua, options of buffers other than the current one take
-- twice as long. Without getbufinfo(), which lists every sign and every variable of each buffer.
local FACTS = [[map(filter([%s], 'buflisted(v:val)'), "[v:val, getbufvar(v:val, '&modified'), ]]
  .. [[getbufvar(v:val, '&buftype'), getbufvar(v:val, '&filetype')]")]]

-- The empty buffer that Neovim starts with does not count as open.
local function is_open(name, is_modified, buftype, filetype)
  local is_untitled = name == '' and buftype == '' and is_modified
  return is_untitled or file.is_held(name, buftype, filetype)
end

--- The open buffers, the most recently used one first, without those that stay in the editor (`privacy`).
---@param among? integer[] only those among these buffers
---@return claude_ide.OpenBuffer[]
function M.buffers(among)
  local listed = FACTS:format(table.concat(among or api.nvim_list_bufs(), ','))
  local found, bufnrs = {}, {}
  for _, facts in ipairs(api.nvim_eval(listed)) do
    local bufnr, changed, buftype, filetype = unpack(facts)
    local name = api.nvim_buf_get_name(bufnr)
    if
      not found[bufnr]
      and is_open(name, changed == 1, buftype, filetype)
      and not privacy.of_buffer(bufnr)
    then
      bufnrs[#bufnrs + 1] = bufnr
      found[bufnr] = { bufnr = bufnr, name = name, filetype = filetype, modified = changed == 1 }
    end
  end
  return vim.tbl_map(function(bufnr)
    return found[bufnr]
  end, recent.sort(bufnrs))
end

--- The buffer that the user works on. The current buffer may be a different one: a terminal or a file
--- tree next to it.
---@return claude_ide.OpenBuffer?
function M.active()
  return M.buffers(vim.fn.tabpagebuflist())[1]
end

---@class claude_ide.EditorLocation
---@field group integer number of the tabpage, 0-based
---@field column integer number of the window
---@field is_here boolean whether it is in the current tabpage

--- The location of each visible buffer: in the current tabpage if possible, else in the first one.
---@return table<integer, claude_ide.EditorLocation> by buffer
function M.locations()
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
---@param location? claude_ide.EditorLocation nil if it is not shown
---@param is_active boolean
---@return claude_ide.Editor
function M.describe(buffer, location, is_active)
  local is_new = buffer.name == ''
  local name = is_new and ('Untitled-%d'):format(buffer.bufnr) or buffer.name
  local known = spellings[buffer.bufnr]
  if not known or known.name ~= name then
    local uri = is_new and 'untitled:' .. name or vim.uri_from_fname(name)
    known = { name = name, uri = uri, label = vim.fs.basename(name) }
    spellings[buffer.bufnr] = known
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
    isGroupActive = location ~= nil and location.is_here,
    groupIndex = location and location.group or 0,
    viewColumn = location and location.column,
    lineCount = api.nvim_buf_line_count(buffer.bufnr),
  }
end

local function number_of(buffer)
  return buffer and buffer.bufnr
end

---@param buffer? claude_ide.OpenBuffer
---@return string?
function M.path_of(buffer)
  return buffer and buffer.name ~= '' and buffer.name or nil
end

local function describe_all(buffers, active)
  local shown = M.locations()
  return vim.tbl_map(function(buffer)
    return M.describe(buffer, shown[buffer.bufnr], buffer.bufnr == active)
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

--- The open files, the most recently used one first.
---@return claude_ide.Editor[]
function M.editors()
  return describe_all(M.buffers(), number_of(M.active()))
end

--- Absolute paths of the open files, the most recently used one first.
---@return string[]
function M.paths()
  return names(M.buffers())
end

--- The path of the file that the user works on.
---@return string?
function M.current()
  return M.path_of(M.active())
end

--- A snapshot with these buffers as the open ones.
---@param buffers claude_ide.OpenBuffer[]
---@return claude_ide.Snapshot
function M.snapshot_of(buffers)
  local active = M.active()
  return {
    editors = describe_all(buffers, number_of(active)),
    paths = names(buffers),
    folders = file.folders(),
    current = M.path_of(active),
  }
end

--- A snapshot of all open files, from which the host answers while Neovim is busy.
---@return claude_ide.Snapshot
function M.snapshot()
  return M.snapshot_of(M.buffers())
end

--- Drop the computed spellings of names.
function M.forget()
  spellings = {}
end

return M
