--- Reports whether the user is in Neovim, and at which windows of agents; and calls them. The host decides
--- when (`editor/attention.py`).
local autocommands = require('claude_ide.messages.autocommands')
local channel = require('claude_ide.channel')
local message = require('claude_ide.messages.message')

local M = {}

local api = vim.api

local WINDOWS =
  { 'BufEnter', 'BufFilePost', 'BufWinEnter', 'FileType', 'TabEnter', 'WinClosed', 'WinEnter' }

local is_focused = true
local is_due = false
local last ---@type table? `Looked` of the port

-- The place of a window, which is none of an agent's if it is empty.
---@type fun(win: integer): string
local function place_of(win)
  local bufnr = api.nvim_win_get_buf(win)
  local launch = vim.b[bufnr].claude_ide_launch or ''
  local chats = package.loaded['claude_ide.chat.state']
  local chat = chats and chats.of_buffer(bufnr)
  local diffs = package.loaded['claude_ide.diff']
  local diff = diffs and diffs.in_window(win)
  return launch ~= '' and launch
    or chat and 'chat.' .. chat
    or diff and 'diff.' .. diff
    or api.nvim_buf_get_name(bufnr):match('claude%-plan%f[:/]')
    or ''
end

local function report()
  local shown = {}
  for _, win in ipairs(api.nvim_tabpage_list_wins(0)) do
    local place = place_of(win)
    if place ~= '' then
      table.insert(shown, place)
    end
  end
  local here = place_of(api.nvim_get_current_win())
  local now = { is_focused = is_focused, here = here, shown = shown }
  if not vim.deep_equal(now, last) then
    last = now
    channel.emit('looked', now)
  end
end

-- Not at once: what a window shows is known when all that opens it has run.
local function report_soon()
  if not is_due then
    is_due = true
    vim.schedule(function()
      is_due = false
      report()
    end)
  end
end

--- A host has started, which knows nothing yet.
function M.watch()
  last = nil
  local on = autocommands.group('claude_ide_attention')
  on(WINDOWS, nil, report_soon)
  -- Its windows open without events.
  on('User', { 'ClaudeDiffOpened', 'ClaudeDiffClosed' }, report_soon)
  on({ 'FocusGained', 'FocusLost' }, nil, function(event)
    is_focused = event.event == 'FocusGained'
    report_soon()
  end)
  report_soon()
end

-- Write what the user's terminal understands.
local function write(sequence)
  if api.nvim_ui_send then
    api.nvim_ui_send(sequence)
  else
    io.stdout:write(sequence)
  end
end

--- Called by the host: show one line, and have the terminal notify the user.
---@param text string
---@param ring string written to the terminal; empty for silence
function M.call(text, ring)
  message.show(text, 'info')
  if ring ~= '' then
    write(ring)
  end
end

return M
