--- `:ClaudeChat tasks`: the tasks in the background of a chat, in a float; and their number, for the status
--- line.
local chat_counts = require('claude_ide.chat.counts')
local chat_keys = require('claude_ide.chat.keys')
local chat_offer = require('claude_ide.chat.offer')
local chat_rows = require('claude_ide.chat.rows')
local chat_state = require('claude_ide.chat.state')
local float = require('claude_ide.window.float')
local message = require('claude_ide.say.message')
local window_close = require('claude_ide.window.close')
local window_looks = require('claude_ide.window.looks')

local M = {}

local api = vim.api
local augroup = api.nvim_create_augroup('claude_ide_chat_tasks', { clear = true })

local TITLE = ' Tasks '
local KEYS = { '<CR> output', 'x stop', 'q close' }

---@class claude_ide.ChatTask
---@field id string
---@field chunks claude_ide.Chunks

---@class claude_ide.ChatTaskList
---@field chat integer
---@field bufnr integer
---@field win integer
---@field tasks claude_ide.ChatTask[] by row

local list ---@type claude_ide.ChatTaskList? the one that is open
local counts = chat_counts.new('ClaudeChatTasks')

local function is_open(id)
  return list ~= nil and list.chat == id and api.nvim_win_is_valid(list.win)
end

local function emit(id, event, fields)
  local chat = chat_state.get(id)
  if chat then
    chat_state.emit(chat, event, fields)
  end
end

-- The keys that the agent of a chat supports.
local function keys_of(id)
  local chat = chat_state.get(id)
  local keys = vim.tbl_filter(function(key)
    return key ~= 'x stop' or not (chat and chat_offer.lacks(chat, 'stop-task'))
  end, KEYS)
  return (' %s '):format(table.concat(keys, ' · '))
end

local function config(id, width, height)
  local keys = keys_of(id)
  local geometry = float.centred(math.max(width, api.nvim_strwidth(keys)), height)
  return vim.tbl_extend('error', geometry, {
    title = message.fit(TITLE, geometry.width),
    title_pos = 'center',
    footer = message.fit(keys, geometry.width),
    footer_pos = 'center',
    -- Above a chat that floats.
    zindex = 60,
  })
end

---@param open claude_ide.ChatTaskList
---@return claude_ide.ChatTask?
local function task_here(open)
  return open.tasks[api.nvim_win_get_cursor(open.win)[1]]
end

local function close(open)
  if list == open then
    list = nil
    emit(open.chat, 'tasks_closed')
  end
  pcall(window_close.window, open.win)
end

local function fill(open, tasks)
  local rows = vim.tbl_map(function(task)
    return task.chunks
  end, tasks)
  vim.bo[open.bufnr].modifiable = true
  local width = chat_rows.write(open.bufnr, rows)
  vim.bo[open.bufnr].modifiable = false
  open.tasks = tasks
  return width
end

-- The cursor stays on its task, which may have moved.
local function refill(open, tasks)
  local current = task_here(open)
  local width = fill(open, tasks)
  for row, task in ipairs(tasks) do
    if current and task.id == current.id then
      api.nvim_win_set_cursor(open.win, { row, 0 })
    end
  end
  -- It only grows, because a list that changes its width with each number would be restless.
  local widest = math.max(width, api.nvim_win_get_width(open.win))
  local highest = math.max(#tasks, api.nvim_win_get_height(open.win))
  api.nvim_win_set_config(open.win, config(open.chat, widest, highest))
end

local function define_keys(open)
  local keys, add = chat_keys.list()
  add('n', { '<CR>', '<2-LeftMouse>' }, 'task-output', "Show the task's output", function()
    local task = task_here(open)
    close(open)
    if task then
      emit(open.chat, 'task_output', { task = task.id })
    end
  end, { shown = { '<CR>' } })
  add('n', { 'x' }, 'stop-task', 'Stop the task', function()
    local task = task_here(open)
    if task then
      emit(open.chat, 'stop_task', { task = task.id })
    end
  end)
  add('n', { 'q', '<Esc>' }, 'close-tasks', 'Close the list', function()
    close(open)
  end)
  chat_keys.define(open.bufnr, keys)
end

local function watch(open)
  api.nvim_create_autocmd('WinLeave', {
    group = augroup,
    buffer = open.bufnr,
    once = true,
    callback = function()
      close(open)
    end,
  })
  float.follow_screen(open.win, function()
    local lines = api.nvim_buf_get_lines(open.bufnr, 0, -1, false)
    local fitted = config(open.chat, float.widest(lines), #open.tasks)
    api.nvim_win_set_config(open.win, fitted)
  end)
end

--- Show the tasks of a chat, until the user leaves the list.
---@param id integer chat
---@param tasks claude_ide.ChatTask[]
function M.show(id, tasks)
  if is_open(id) then
    return M.draw(id, tasks)
  end
  local bufnr = api.nvim_create_buf(false, true)
  vim.bo[bufnr].bufhidden, vim.bo[bufnr].undolevels = 'wipe', -1
  local open = { chat = id, bufnr = bufnr, tasks = tasks, win = -1 }
  local width = fill(open, tasks)
  open.win = float.open(bufnr, config(id, width, #tasks))
  list = open
  window_looks.set(open.win, { wrap = false, cursorline = true, winfixbuf = true })
  define_keys(open)
  watch(open)
  pcall(function()
    vim.bo[bufnr].filetype = 'claude-tasks'
  end)
end

--- Update the list.
---@param id integer chat
---@param tasks claude_ide.ChatTask[]
---@return boolean is_open whether the list is still on screen
function M.draw(id, tasks)
  if list and is_open(id) then
    refill(list, tasks)
    return true
  end
  return false
end

--- Set the number of a chat's tasks that run in the background.
---@param id integer chat
---@param count integer
function M.set_count(id, count)
  chat_counts.set(counts, id, count)
end

--- Close the list of a chat that has ended, or whose host has, and forget its tasks.
---@param id integer chat
function M.forget(id)
  if list and list.chat == id then
    close(list)
  end
  M.set_count(id, 0)
end

---@return integer count in all chats
function M.count()
  return chat_counts.sum(counts)
end

return M
