--- Lists with keys, such as that of the sessions, in a split or a float. The host owns their content and
--- handles the keys.
local channel = require('claude_ide.channel')
local chat_keys = require('claude_ide.chat.keys')
local float = require('claude_ide.window.float')
local highlights = require('claude_ide.highlights')
local message = require('claude_ide.messages.message')
local placement = require('claude_ide.chat.placement')
local plain = require('claude_ide.messages.plain')
local scratch = require('claude_ide.window.scratch')
local window_close = require('claude_ide.window.close')
local window_looks = require('claude_ide.window.looks')
local winbar = require('claude_ide.window.winbar')

local M = {}

local api = vim.api
local augroup = api.nvim_create_augroup('claude_ide_chat_list', { clear = true })
local namespace = api.nvim_create_namespace('claude_ide_chat_list')

---@class claude_ide.ListItem
---@field id string empty for a line without keys
---@field lines string[]
---@field lacks string[] names of the keys that do nothing with it
---@field marks any[] `{ line, column, end_column, group }`, lines relative to the item

---@class claude_ide.ListLook
---@field title string
---@field keys { key: string, name: string, desc: string, plug?: string }[] `plug`: the name of the map
---@field filetype? string of a float, which closes when the user leaves it; without one it is a split

---@class claude_ide.List
---@field bufnr integer
---@field look claude_ide.ListLook
---@field items claude_ide.ListItem[]
---@field ids string[] by row
---@field is_fitted? boolean whether the window has the height that its first items need

local lists = {} ---@type table<string, claude_ide.List> by name

local MOST_HEIGHT = 0.4
local LEAST_HEIGHT = 3

local function is_open(list)
  return list ~= nil and api.nvim_buf_is_valid(list.bufnr)
end

local function window_of(list)
  return vim.fn.win_findbuf(list.bufnr)[1]
end

local function emit(name, key, id)
  if channel.id then
    channel.emit('chat_list', { list = name, key = key, id = id })
  end
end

local function press(name, key)
  local list = lists[name]
  emit(name, key, list.ids[api.nvim_win_get_cursor(0)[1]] or '')
end

-- The names of the keys that do nothing with the item under the cursor, as `chat_keys` knows them.
local function lacks_here(list, name)
  local id = list.ids[api.nvim_win_get_cursor(0)[1]]
  local item = vim.iter(list.items):find(function(each)
    return each.id == id
  end)
  return vim.tbl_map(function(key)
    return name .. '-' .. key
  end, item and item.lacks or {})
end

local function define_keys(list, name)
  local keys, add = chat_keys.list()
  for _, key in ipairs(list.look.keys) do
    local lhs = key.key == '<CR>' and { '<CR>', '<2-LeftMouse>' } or { key.key }
    add('n', lhs, key.plug or ('%s-%s'):format(name, key.name), key.desc, function()
      press(name, key.key)
    end, { shown = { key.key } })
  end
  if list.look.filetype then
    add('n', { 'q', '<Esc>' }, 'close-' .. name:match('^%a+'), 'Close the list', function()
      M.close(name)
    end)
    return chat_keys.define(list.bufnr, keys)
  end
  add('n', { 'g?' }, name .. '-keys', 'Show these keys', function()
    local all = vim.list_extend({ { modes = 'n', keys = { 'q' }, desc = 'Close' } }, keys)
    chat_keys.show(all, lacks_here(list, name))
  end)
  chat_keys.define(list.bufnr, keys)
end

-- Whether a key does something with any item.
local function is_useful(list, key)
  return #list.items == 0
    or vim.iter(list.items):any(function(item)
      return not vim.list_contains(item.lacks, key.name)
    end)
end

-- The keys at the right, as many as there is room for.
local function set_winbar(list)
  local win = window_of(list)
  if not win or list.look.filetype then
    return
  end
  local bar = winbar.part((' %s '):format(list.look.title), 'Title') .. '%<%='
  for _, key in ipairs(list.look.keys) do
    if is_useful(list, key) then
      bar = bar .. winbar.part(key.key, 'ClaudeChatKey') .. winbar.part(' ' .. key.name .. '  ')
    end
  end
  vim.wo[win].winbar = bar
end

local function float_config(list, width, height)
  local keys = {}
  for _, key in ipairs(list.look.keys) do
    if is_useful(list, key) then
      table.insert(keys, ('%s %s'):format(key.key, key.name))
    end
  end
  local footer = (' %s · q close '):format(table.concat(keys, ' · '))
  local geometry = float.centred(math.max(width, api.nvim_strwidth(footer)), height)
  return vim.tbl_extend('error', geometry, {
    title = message.fit((' %s '):format(list.look.title), geometry.width),
    title_pos = 'center',
    footer = message.fit(footer, geometry.width),
    footer_pos = 'center',
    -- Above a chat that floats.
    zindex = 60,
  })
end

local function open_float(list)
  vim.bo[list.bufnr].bufhidden, vim.bo[list.bufnr].undolevels = 'wipe', -1
  local win = float.open(list.bufnr, float_config(list, 1, 1))
  window_looks.set(win, { winfixbuf = true })
  api.nvim_create_autocmd('WinLeave', {
    group = augroup,
    buffer = list.bufnr,
    once = true,
    -- Not at once: Neovim is about to leave the window, which must exist until then.
    callback = vim.schedule_wrap(function()
      pcall(window_close.buffer, list.bufnr)
    end),
  })
  float.follow_screen(win, function()
    local lines = api.nvim_buf_get_lines(list.bufnr, 0, -1, false)
    api.nvim_win_set_config(win, float_config(list, float.widest(lines), #lines))
  end)
end

local function set_options(win)
  local options = { number = false, relativenumber = false, signcolumn = 'no', foldcolumn = '0' }
  options = vim.tbl_extend('error', options, { wrap = false, cursorline = true, list = false })
  window_looks.set(win, options)
end

local function create(name, look)
  highlights.define()
  local list = { look = look, items = {}, ids = {} }
  if look.filetype then
    list.bufnr = api.nvim_create_buf(false, true)
    open_float(list)
  else
    -- Not the title, which changes while the list is open.
    list.bufnr = scratch.open('Chat', name, '')
  end
  local bufnr = list.bufnr
  lists[name] = list
  set_options(api.nvim_get_current_win())
  define_keys(list, name)
  api.nvim_create_autocmd('BufWipeout', {
    group = augroup,
    buffer = bufnr,
    once = true,
    callback = function()
      if lists[name] == list then
        lists[name] = nil
        emit(name, 'closed', '')
      end
    end,
  })
  -- A user's autocommand may fail.
  pcall(function()
    vim.bo[bufnr].filetype = look.filetype or 'claude-list'
  end)
end

--- Open a list, or enter the window of an open one.
---@param name string the list that its keys belong to
---@param look claude_ide.ListLook
function M.open(name, look)
  local list = lists[name]
  local win = is_open(list) and window_of(list)
  if win then
    list.look = look
    api.nvim_set_current_win(win)
  else
    create(name, look)
  end
  set_winbar(lists[name])
end

local function fit(list)
  local win = window_of(list)
  if win and list.look.filetype then
    -- It only grows: a list that changes its width with each number would be restless.
    local lines = api.nvim_buf_get_lines(list.bufnr, 0, -1, false)
    local width = math.max(float.widest(lines), api.nvim_win_get_width(win))
    local height = math.max(#lines, api.nvim_win_get_height(win))
    return api.nvim_win_set_config(win, float_config(list, width, height))
  end
  local most = math.max(LEAST_HEIGHT, math.floor(vim.o.lines * MOST_HEIGHT))
  -- Only once: then the height is the user's.
  if win and not list.is_fitted then
    list.is_fitted = true
    placement.neighbour_changes(win)
    api.nvim_win_set_height(win, math.max(LEAST_HEIGHT, math.min(#list.ids + 1, most)))
  end
end

-- The rows to which the cursors of windows belong after a change: the same items, if they remain.
local function cursors(list)
  local found = {}
  for _, win in ipairs(vim.fn.win_findbuf(list.bufnr)) do
    local row = api.nvim_win_get_cursor(win)[1]
    found[win] = { row = row, id = list.ids[row] }
  end
  return found
end

local function row_of(list, id)
  for row, each in ipairs(list.ids) do
    if id and id ~= '' and each == id then
      return row
    end
  end
end

local function draw(list, items)
  local lines, ids, marks = {}, {}, {}
  for _, item in ipairs(items) do
    for _, mark in ipairs(item.marks) do
      marks[#marks + 1] = { #lines + mark[1], mark[2], mark[3], mark[4] }
    end
    for _, line in ipairs(item.lines) do
      lines[#lines + 1], ids[#ids + 1] = plain.harmless(line), item.id
    end
  end
  local before = cursors(list)
  api.nvim_buf_clear_namespace(list.bufnr, namespace, 0, -1)
  vim.bo[list.bufnr].modifiable = true
  api.nvim_buf_set_lines(list.bufnr, 0, -1, false, lines)
  vim.bo[list.bufnr].modifiable = false
  list.items, list.ids = items, ids
  for _, mark in ipairs(marks) do
    local options = { end_col = mark[3], hl_group = mark[4], strict = false }
    api.nvim_buf_set_extmark(list.bufnr, namespace, mark[1], mark[2], options)
  end
  for win, cursor in pairs(before) do
    local row = row_of(list, cursor.id) or math.min(cursor.row, math.max(1, #lines))
    api.nvim_win_set_cursor(win, { row, 0 })
  end
end

--- Show the items of an open list. The cursor stays on its item.
---@param name string
---@param title string
---@param items claude_ide.ListItem[]
---@return boolean is_shown false if the list is closed, or cannot be changed at the moment
function M.show(name, title, items)
  local list = lists[name]
  if not is_open(list) then
    return false
  end
  local is_changed = not vim.deep_equal(items, list.items)
  if is_changed and not pcall(draw, list, items) then
    return false
  end
  if is_changed or title ~= list.look.title then
    list.look.title = title
    set_winbar(list)
  end
  fit(list)
  return true
end

--- Close a list, and return the user to where they came from.
---@param name string
function M.close(name)
  local list = lists[name]
  if is_open(list) then
    window_close.buffer(list.bufnr)
  end
end

return M
