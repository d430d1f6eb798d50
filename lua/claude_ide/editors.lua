--- The open files, of which the host makes an IDE's list of editor tabs (`editor/events.py`): reported when
--- they change.
local channel = require('claude_ide.channel')
local debounce = require('claude_ide.timing.debounce')
local file = require('claude_ide.file.path')
local privacy = require('claude_ide.privacy')
local recent = require('claude_ide.window.recent')

local M = {}

local api = vim.api

local INTERVAL = 100 -- milliseconds
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
-- One Vimscript expression for all buffers: from Lua, options of buffers other than the current one take
-- twice as long. Without getbufinfo(), which lists every sign and every variable of each buffer.
local FACTS = [[map(filter([%s], 'buflisted(v:val)'), "[v:val, getbufvar(v:val, '&modified'), ]]
  .. [[getbufvar(v:val, '&buftype'), getbufvar(v:val, '&filetype')]")]]

local last ---@type table?
local is_watching = false

-- The empty buffer that Neovim starts with does not count as open.
local function is_open(name, is_modified, buftype, filetype)
  local is_untitled = name == '' and buftype == '' and is_modified
  return is_untitled or file.is_held(name, buftype, filetype)
end

-- The open ones among buffers, the most recently used one first, without those that stay in the editor
-- (`privacy`): number, name, 'filetype' and 'modified' of each.
---@type fun(among: integer[]): any[][]
local function open_among(among)
  local found, bufnrs = {}, {}
  for _, facts in ipairs(api.nvim_eval(FACTS:format(table.concat(among, ',')))) do
    local bufnr, changed, buftype, filetype = unpack(facts)
    local name, is_modified = api.nvim_buf_get_name(bufnr), changed == 1
    local is_shared = is_open(name, is_modified, buftype, filetype) and not privacy.of_buffer(bufnr)
    if not found[bufnr] and is_shared then
      bufnrs[#bufnrs + 1] = bufnr
      found[bufnr] = { bufnr, name, filetype, is_modified }
    end
  end
  return vim.tbl_map(function(bufnr)
    return found[bufnr]
  end, recent.sort(bufnrs))
end

-- The buffer that the user works on. The current buffer may be a different one: a terminal or a file tree
-- next to it.
local function active()
  return open_among(vim.fn.tabpagebuflist())[1] or {}
end

-- Where each visible buffer is: in the current tabpage if possible, else in the first one. By buffer: whether
-- that is the current one, the tabpage's number from 0, the window's number.
---@return table<integer, { [1]: boolean, [2]: integer, [3]: integer }>
local function locations()
  local shown, here = {}, api.nvim_get_current_tabpage()
  for index, tabpage in ipairs(api.nvim_list_tabpages()) do
    for column, win in ipairs(api.nvim_tabpage_list_wins(tabpage)) do
      local bufnr = api.nvim_win_get_buf(win)
      if not shown[bufnr] or (tabpage == here and not shown[bufnr][1]) then
        shown[bufnr] = { tabpage == here, index - 1, column }
      end
    end
  end
  return shown
end

--- `EditorsChanged` of the port: all open files. It takes a millisecond for 100 of them, and includes changes
--- that caused no event.
---@return table
function M.all()
  local shown, editors = locations(), open_among(api.nvim_list_bufs())
  for _, editor in ipairs(editors) do
    editor[#editor + 1] = api.nvim_buf_line_count(editor[1])
    vim.list_extend(editor, shown[editor[1]] or {})
  end
  return { editors = editors, folders = vim.fn['claude_ide#places#Folders'](), active = active()[1] }
end

--- The path of the file that the user works on.
---@return string?
function M.current()
  local name = active()[2]
  return name ~= '' and name or nil
end

local function report()
  local now = M.all()
  if not vim.deep_equal(now, last) then
    last = now
    channel.emit('editors_changed', now)
  end
end

--- Emit `editors_changed` with all open files whenever one of them has changed.
---@param on boolean
function M.watch(on)
  local group = api.nvim_create_augroup('claude_ide_buffers', { clear = true })
  last, is_watching = nil, on
  if on then
    local changed = debounce.new(INTERVAL, report).soon
    api.nvim_create_autocmd(EVENTS, { group = group, callback = changed })
  end
end

privacy.subscribe(function()
  if is_watching then
    report()
  end
end)

return M
