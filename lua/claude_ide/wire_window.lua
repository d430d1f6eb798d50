--- `:ClaudeWire`: the messages between Neovim and its clients, each a line that unfolds to show it whole.
local channel = require('claude_ide.channel')
local chat_page = require('claude_ide.chat.page')
local highlights = require('claude_ide.highlights')
local label = require('claude_ide.window.label')
local plain = require('claude_ide.messages.plain')
local quiet = require('claude_ide.messages.quiet')
local winbar = require('claude_ide.window.winbar')
local window_looks = require('claude_ide.window.looks')

local M = {}

local augroup = vim.api.nvim_create_augroup('claude_ide_wire_window', { clear = true })

local api, fn = vim.api, vim.fn
local namespace = api.nvim_create_namespace('claude_ide_wire')

local EMPTY = 'No message yet: they appear here as they are sent'
local INDENT = '  '
-- Of the parts of a message's line: its time and size, its direction, its client.
local GROUPS = { 'ClaudeChatMeta', 'ClaudeChatKey', 'ClaudeChatTool' }
local SHARE = 0.3 -- of the screen's height

-- A message begins with its time, and the lines of its text are indented.
local FOLD_EXPRESSION = [[getline(v:lnum)[0]==' '?1:'>1']]

---@class claude_ide.WireItem
---@field parts string[] of its line
---@field lines string[] its whole text

local wire ---@type { bufnr: integer }?

local function window()
  return wire and api.nvim_buf_is_valid(wire.bufnr) and fn.win_findbuf(wire.bufnr)[1] or nil
end

local function set_options(win)
  window_looks.set(win, window_looks.OF_LISTS)
  window_looks.set(win, {
    fillchars = 'fold: ',
    foldenable = true,
    foldexpr = FOLD_EXPRESSION,
    foldlevel = 0,
    foldmethod = 'expr',
    foldminlines = 0,
    foldtext = '',
    winfixbuf = false,
    winfixheight = true,
  })
  vim.wo[win].winbar = winbar.part(' Wire ', 'Title')
    .. '%<%='
    .. winbar.part('<CR>', 'ClaudeChatKey')
    .. winbar.part(' unfold  ')
    .. winbar.part('g?', 'ClaudeChatKey')
    .. winbar.part(' keys  ')
end

local function define_keys(bufnr)
  local toggle, shown = '<Cmd>silent! normal! za<CR>', { '<CR>', 'za' }
  local whole, all = 'Show the whole message, or hide it', 'Show all messages whole, or hide them'
  chat_page.define(bufnr, {
    { 'n', { '<CR>', '<2-LeftMouse>' }, 'wire-unfold', whole, toggle, shown = shown },
    { 'n', {}, 'wire-all', all, 'zR', shown = { 'zR', 'zM' } },
    { 'n', { 'q' }, 'wire-close', 'Close, and end the recording', '<Cmd>close<CR>' },
  }, 'wire-keys')
end

local function create()
  local bufnr = api.nvim_create_buf(false, true)
  wire = { bufnr = bufnr }
  api.nvim_buf_set_lines(bufnr, 0, -1, false, { EMPTY })
  label.give(bufnr, 'claude-wire', 'Claude wire')
  vim.bo[bufnr].bufhidden, vim.bo[bufnr].undolevels = 'wipe', -1
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].filetype = 'claude-wire'
  define_keys(bufnr)
  api.nvim_create_autocmd('BufWipeout', {
    group = augroup,
    buffer = bufnr,
    once = true,
    callback = function()
      if wire and wire.bufnr == bufnr then
        wire = nil
        channel.emit('wire_closed', {})
      end
    end,
  })
  return bufnr
end

--- Open the window below, without entering it. If it is open, enter it; it then loses its messages unless
--- they are still recorded.
---@param is_recording boolean
function M.open(is_recording)
  local win = window()
  if win and is_recording then
    return api.nvim_set_current_win(win)
  end
  local old = win and wire and wire.bufnr
  highlights.define()
  local bufnr = create()
  if old then
    -- Its host has ended; the buffer is wiped.
    return api.nvim_win_set_buf(win, bufnr)
  end
  quiet.run(function()
    local height = math.max(3, math.floor(vim.o.lines * SHARE))
    win = api.nvim_open_win(bufnr, false, { split = 'below', win = -1, height = height })
  end)
  set_options(win)
end

local function mark(row, parts)
  local column = 0
  for index, group in ipairs(GROUPS) do
    local stop = column + #parts[index]
    local options = { end_col = stop, hl_group = group, strict = false }
    api.nvim_buf_set_extmark(wire.bufnr, namespace, row, column, options)
    column = stop
  end
end

-- The blanks between the parts stay.
local function one_line(text)
  return plain.harmless((text:gsub('\n', ' ')))
end

local function add(items)
  local row = api.nvim_buf_line_count(wire.bufnr)
  local lines, heads = {}, {}
  for _, item in ipairs(items) do
    local parts = vim.tbl_map(one_line, item.parts)
    heads[#heads + 1] = { row = row + #lines, parts = parts }
    lines[#lines + 1] = table.concat(parts)
    for _, line in ipairs(item.lines) do
      lines[#lines + 1] = INDENT .. plain.harmless(line)
    end
  end
  api.nvim_buf_set_lines(wire.bufnr, row, -1, false, lines)
  for _, head in ipairs(heads) do
    mark(head.row, head.parts)
  end
end

-- The windows at the end, where the last message is not unfolded: they stay at the end.
local function following()
  local last = api.nvim_buf_line_count(wire.bufnr)
  return vim.tbl_filter(function(win)
    return api.nvim_win_call(win, function()
      local closed = fn.foldclosedend('.')
      return (closed == -1 and fn.line('.') or closed) == last
    end)
  end, fn.win_findbuf(wire.bufnr))
end

--- Append messages to an open window.
---@param items claude_ide.WireItem[]
---@param dropped integer how many lines at the beginning are no longer kept
---@return 'closed'|'busy'|'done' result "busy" if the text cannot be changed at the moment
function M.append(items, dropped)
  if not window() then
    return 'closed'
  end
  local wins = following()
  vim.bo[wire.bufnr].modifiable = true
  local ok = pcall(function()
    add(items)
    api.nvim_buf_set_lines(wire.bufnr, 0, dropped, false, {})
  end)
  vim.bo[wire.bufnr].modifiable = false
  if not ok then
    return 'busy'
  end
  for _, win in ipairs(wins) do
    api.nvim_win_set_cursor(win, { api.nvim_buf_line_count(wire.bufnr), 0 })
  end
  return 'done'
end

return M
