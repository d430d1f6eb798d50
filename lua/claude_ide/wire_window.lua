--- `:ClaudeWire`: the messages between Neovim and its clients, each a line that unfolds to show it whole. The
--- host composes the lines (`wire_view.py`).
local autocommands = require('claude_ide.messages.autocommands')
local channel = require('claude_ide.channel')
local chat_page = require('claude_ide.chat.page')
local highlights = require('claude_ide.highlights')
local label = require('claude_ide.window.label')
local quiet = require('claude_ide.messages.quiet')
local winbar = require('claude_ide.window.winbar')
local window_looks = require('claude_ide.window.looks')

local M = {}

local api, fn = vim.api, vim.fn
local on = autocommands.group('claude_ide_wire_window')
local namespace = api.nvim_create_namespace('claude_ide_wire')

local EMPTY = 'No message yet: they appear here as they are sent'
-- Of the parts of a message's line: its time and size, its direction, its client.
local GROUPS = { 'ClaudeChatMeta', 'ClaudeChatKey', 'ClaudeChatTool' }
local SHARE = 0.3 -- of the screen's height

-- A message begins with its time, and the lines of its text are indented.
local OPTIONS = {
  fillchars = 'fold: ',
  foldenable = true,
  foldexpr = [[getline(v:lnum)[0]==' '?1:'>1']],
  foldlevel = 0,
  foldmethod = 'expr',
  foldminlines = 0,
  foldtext = '',
  winbar = winbar.part(' Wire ', 'Title')
    .. '%<%='
    .. winbar.part('<CR>', 'ClaudeChatKey')
    .. winbar.part(' unfold  ')
    .. winbar.part('g?', 'ClaudeChatKey')
    .. winbar.part(' keys  '),
  winfixbuf = false,
  winfixheight = true,
}

local wire = -1 -- the buffer

local function define_keys()
  local toggle, shown = '<Cmd>silent! normal! za<CR>', { '<CR>', 'za' }
  local whole, all = 'Show the whole message, or hide it', 'Show all messages whole, or hide them'
  chat_page.define(wire, {
    { 'n', { '<CR>', '<2-LeftMouse>' }, 'wire-unfold', whole, toggle, shown = shown },
    { 'n', {}, 'wire-all', all, 'zR', shown = { 'zR', 'zM' } },
    { 'n', { 'q' }, 'wire-close', 'Close, and end the recording', '<Cmd>close<CR>' },
  }, 'wire-keys')
end

-- Return false if the text cannot be changed at the moment.
local function change(first, last, lines)
  vim.bo[wire].modifiable = true
  local ok = pcall(api.nvim_buf_set_lines, wire, first, last, false, lines)
  vim.bo[wire].modifiable = false
  return ok
end

local function create()
  wire = api.nvim_create_buf(false, true)
  label.give(wire, 'claude-wire', 'Claude wire')
  vim.bo[wire].bufhidden, vim.bo[wire].undolevels = 'wipe', -1
  vim.bo[wire].filetype = 'claude-wire'
  define_keys()
  on('BufWipeout', wire, function()
    channel.emit('wire_closed', {})
  end)
end

--- Open the window below, without entering it. If it is open, enter it; it loses its messages instead if they
--- are no longer recorded, because its host has ended.
---@param is_recording boolean
function M.open(is_recording)
  local win = fn.win_findbuf(wire)[1]
  if win and is_recording then
    return api.nvim_set_current_win(win)
  elseif not win then
    highlights.define()
    create()
    quiet.run(function()
      local height = math.max(3, math.floor(vim.o.lines * SHARE))
      win = api.nvim_open_win(wire, false, { split = 'below', win = -1, height = height })
    end)
    window_looks.set(win, window_looks.OF_LISTS)
    window_looks.set(win, OPTIONS)
  end
  change(0, -1, { EMPTY })
end

-- The windows at the end, where the last message is not unfolded: they stay at the end.
local function following()
  local last = api.nvim_buf_line_count(wire)
  return vim.tbl_filter(function(win)
    return api.nvim_win_call(win, function()
      local closed = fn.foldclosedend('.')
      return (closed == -1 and fn.line('.') or closed) == last
    end)
  end, fn.win_findbuf(wire))
end

--- Append messages to an open window.
---@param lines string[]
---@param heads integer[][] of each message: the index of its line, and the bytes at which its first parts end
---@param dropped integer how many lines at the beginning are no longer kept
---@return 'closed'|'busy'|'done' result "busy" if the text cannot be changed at the moment
function M.append(lines, heads, dropped)
  local wins = fn.win_findbuf(wire)[1] and following()
  local first = wins and api.nvim_buf_line_count(wire)
  if not wins then
    return 'closed'
  elseif not change(first, -1, lines) then
    return 'busy'
  end
  for _, head in ipairs(heads) do
    for index, group in ipairs(GROUPS) do
      local column = index > 1 and head[index] or 0
      local options = { end_col = head[index + 1], hl_group = group }
      api.nvim_buf_set_extmark(wire, namespace, first + head[1], column, options)
    end
  end
  change(0, dropped, {})
  for _, win in ipairs(wins) do
    api.nvim_win_set_cursor(win, { api.nvim_buf_line_count(wire), 0 })
  end
  return 'done'
end

return M
