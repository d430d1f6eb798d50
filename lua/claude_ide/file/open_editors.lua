--- The files that are open, as an editor with tabs would list them.
local file = require('claude_ide.file.path')
local folders = require('claude_ide.file.folders')
local usage = require('claude_ide.window.recent')

local M = {}

local api = vim.api

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

--- Those of some buffers that are open, or of all; the one used last comes first.
---@param among? integer[]
---@return claude_ide.OpenBuffer[]
function M.buffers(among)
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

--- What the user works on: it need not be the current buffer, which may be a terminal or a file tree
--- beside it.
---@return claude_ide.OpenBuffer?
function M.active()
  return M.buffers(vim.fn.tabpagebuflist())[1]
end

---@class claude_ide.EditorPlace
---@field group integer number of the tabpage, 0-based
---@field column integer number of the window
---@field is_here boolean whether that is in the current tabpage

--- Where each buffer is shown: in the current tabpage if it is, else in the first that does.
---@return table<integer, claude_ide.EditorPlace> by buffer
function M.places()
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
---@param place? claude_ide.EditorPlace where it is shown
---@param is_active boolean
---@return claude_ide.Editor
function M.describe(buffer, place, is_active)
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

---@param buffer? claude_ide.OpenBuffer
---@return string?
function M.path_of(buffer)
  return buffer and buffer.name ~= '' and buffer.name or nil
end

local function describe_all(buffers, active)
  local shown = M.places()
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

--- What is open, as an editor with tabs would say it; what was used last comes first.
---@return claude_ide.Editor[]
function M.editors()
  return describe_all(M.buffers(), number_of(M.active()))
end

--- Absolute paths of the files that are open, the one used last first.
---@return string[]
function M.paths()
  return names(M.buffers())
end

--- The path of the file that the user works on.
---@return string?
function M.current()
  return M.path_of(M.active())
end

--- What is known of open buffers at this instant.
---@param buffers claude_ide.OpenBuffer[]
---@return claude_ide.Snapshot
function M.whole(buffers)
  local active = M.active()
  return {
    editors = describe_all(buffers, number_of(active)),
    paths = names(buffers),
    folders = folders.all(),
    current = M.path_of(active),
  }
end

--- All of it at one instant, for answers while Neovim is busy.
---@return claude_ide.Snapshot
function M.snapshot()
  return M.whole(M.buffers())
end

--- Forget how names are spelled.
function M.forget()
  spelled = {}
end

return M
