--- Lists with keys, such as that of the sessions, in a split. The host owns their content and handles the
--- keys.
local autocommands = require('claude_ide.messages.autocommands')
local channel = require('claude_ide.channel')
local chat_page = require('claude_ide.chat.page')
local highlights = require('claude_ide.highlights')
local placement = require('claude_ide.chat.placement')
local scratch = require('claude_ide.window.scratch')
local window_close = require('claude_ide.window.close')
local window_looks = require('claude_ide.window.looks')
local winbar = require('claude_ide.window.winbar')

local M = {}

local api = vim.api
local on = autocommands.group('claude_ide_chat_list')

---@class claude_ide.ListItem
---@field id string empty for a line without keys
---@field lines string[]
---@field lacks string[] names of the keys that do nothing with it
---@field marks any[] `{ line, column, end_column, group }`, lines relative to the item

---@class claude_ide.List
---@field name string
---@field bufnr integer
---@field look table `ListLook` of the port
---@field items claude_ide.ListItem[]
---@field shown claude_ide.ListItem[] by row
---@field height? integer which its window has got

local lists = {} ---@type table<string, claude_ide.List> by name
local expected = {} ---@type table<string, boolean> by name: whether its window, opened early, is still there

local MOST_HEIGHT = 0.4
local LEAST_HEIGHT = 3

local function window_of(list)
  return list and vim.fn.win_findbuf(list.bufnr)[1]
end

---@param is_seen? boolean whether all of the item is on the screen
local function emit(name, key, id, is_seen)
  if channel.id then
    channel.emit('chat_list', { list = name, key = key, id = id, is_seen = is_seen })
  end
end

local function item_here(list)
  return list.shown[api.nvim_win_get_cursor(0)[1]] or { id = '', lacks = {} }
end

local function is_on_screen(list, item)
  for row = 1, #list.shown do
    if list.shown[row] == item and (row < vim.fn.line('w0') or row > vim.fn.line('w$')) then
      return false
    end
  end
  return true
end

local function define_keys(list)
  local name, keys = list.name, {}
  for _, key in ipairs(list.look.keys) do
    local typed = key.key == '<CR>' and { '<CR>', '<2-LeftMouse>' } or { key.key }
    local plug = key.plug or ('%s-%s'):format(name, key.name)
    local function run()
      local item = item_here(list)
      emit(name, key.key, item.id, is_on_screen(list, item) or nil)
    end
    local function run_or_type()
      return vim.list_contains(item_here(list).lacks, key.name) and key.key or run
    end
    local fn = key.is_usual and run_or_type or run
    local shown = { key.key }
    table.insert(keys, { 'n', typed, plug, key.desc, fn, shown = shown, expr = key.is_usual })
  end
  local function close()
    M.close(name)
  end
  local closing, plug = list.look.closing or { 'q' }, 'close-' .. name:match('^%a+')
  table.insert(keys, { 'n', closing, plug, 'Close the list', close })
  chat_page.define(list.bufnr, keys, name .. '-keys', function()
    return vim.tbl_map(function(key)
      return ('%s-%s'):format(name, key)
    end, item_here(list).lacks)
  end)
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
  local bar = winbar.part((' %s '):format(list.look.title), 'Title') .. '%<%='
  for _, key in ipairs(list.look.keys) do
    if is_useful(list, key) then
      bar = bar .. winbar.part(key.key, 'ClaudeChatKey') .. winbar.part(' ' .. key.name .. '  ')
    end
  end
  if win then
    vim.wo[win].winbar = bar
  end
end

local function create(name, look)
  highlights.define()
  local list = { name = name, look = look, items = {}, shown = {} }
  -- Not the title, which changes while the list is open.
  list.bufnr = scratch.open('Chat', name, '')
  lists[name] = list
  window_looks.set(api.nvim_get_current_win(), window_looks.OF_LISTS)
  define_keys(list)
  on('BufWipeout', list.bufnr, function()
    if lists[name] == list then
      lists[name] = nil
      expected[name] = expected[name] and false
      emit(name, 'closed', '')
    end
  end)
  -- A user's autocommand may fail.
  pcall(function()
    vim.bo[list.bufnr].filetype = look.filetype or 'claude-list'
  end)
end

--- Open the window of a list, or enter it, before the host has answered: what is typed now is meant for it.
---@type fun(name: string, title: string)
function M.expect(name, title)
  local win = window_of(lists[name])
  if win then
    return api.nvim_set_current_win(win)
  end
  create(name, { title = title, keys = {} })
  set_winbar(lists[name])
  expected[name] = true
end

--- The host has ended: close what it has not filled.
function M.host_ended()
  for name, is_there in pairs(expected) do
    if is_there then
      M.close(name)
    end
  end
  expected = {}
end

--- Open a list, or enter the window of an open one.
---@param name string the list that its keys belong to
---@param look table `ListLook` of the port
---@return boolean is_open false if it was expected, and the user has closed it
function M.open(name, look)
  local win, is_there = window_of(lists[name]), expected[name]
  expected[name] = nil
  if is_there == false then
    return false
  elseif win then
    lists[name].look = look
    if is_there then
      define_keys(lists[name])
    else
      api.nvim_set_current_win(win)
    end
  else
    create(name, look)
  end
  set_winbar(lists[name])
  return true
end

-- The window grows with the items, until the user gives it another height.
local function fit(list)
  local win = window_of(list)
  local height = win and api.nvim_win_get_height(win)
  if not win or list.height and list.height ~= height then
    return
  end
  local most = math.max(LEAST_HEIGHT, math.floor(vim.o.lines * MOST_HEIGHT))
  local wanted = math.max(list.height or LEAST_HEIGHT, math.min(#list.shown + 1, most))
  if wanted ~= height then
    placement.neighbour_changes(win)
    api.nvim_win_set_height(win, wanted)
  end
  if #list.shown < wanted then
    -- There is room for what was scrolled away while the window was smaller.
    api.nvim_win_call(win, function()
      vim.fn.winrestview({ topline = 1 })
    end)
  end
  list.height = api.nvim_win_get_height(win)
end

-- The row of an item; nil if it is not shown.
local function row_of(list, id)
  for row, item in ipairs(list.shown) do
    if id ~= '' and item.id == id then
      return row
    end
  end
end

---@param items claude_ide.ListItem[]
local function draw(list, items)
  local lines, shown, marks = {}, {}, {}
  for _, item in ipairs(items) do
    for _, mark in ipairs(item.marks) do
      marks[#marks + 1] = { #lines + mark[1], mark[2], mark[3], mark[4] }
    end
    for _, line in ipairs(item.lines) do
      lines[#lines + 1], shown[#shown + 1] = line, item
    end
  end
  local rows, old = {}, list.shown ---@type table<integer, integer> by window
  local first = #old == 0
    and vim.iter(ipairs(shown)):find(function(_, item)
      return item.id ~= ''
    end)
  for _, win in ipairs(vim.fn.win_findbuf(list.bufnr)) do
    rows[win] = api.nvim_win_get_cursor(win)[1]
  end
  chat_page.draw(list.bufnr, lines, marks)
  list.items, list.shown = items, shown
  for win, row in pairs(rows) do
    local same = first or old[row] and row_of(list, old[row].id)
    api.nvim_win_set_cursor(win, { same or math.min(row, math.max(1, #lines)), 0 })
  end
end

--- Show the items of an open list. The cursor stays on its item, if that remains.
---@param name string
---@param title string
---@param items claude_ide.ListItem[]
---@return boolean is_shown false if the list is closed, or cannot be changed at the moment
function M.show(name, title, items)
  local list = lists[name]
  if not list or not api.nvim_buf_is_valid(list.bufnr) then
    return false
  elseif not vim.deep_equal(items, list.items) and not pcall(draw, list, items) then
    return false
  end
  list.look.title = title
  set_winbar(list)
  fit(list)
  return true
end

--- Close a list, and return the user to where they came from.
---@param name string
function M.close(name)
  if lists[name] then
    window_close.buffer(lists[name].bufnr)
  end
end

return M
