--- What is over the text of a panel: the winbars, and rows pinned to the top right corner of the transcript.
local autocommands = require('claude_ide.messages.autocommands')
local chat_page = require('claude_ide.chat.page')
local float = require('claude_ide.window.float')
local plain = require('claude_ide.messages.plain')
local winbar = require('claude_ide.window.winbar')
local window_close = require('claude_ide.window.close')
local window_looks = require('claude_ide.window.looks')

local M = {}

local api = vim.api
local on = autocommands.group('claude_ide_chat_window_bar')

local WIDEST, HIGHEST = 0.6, 0.5 -- shares of the transcript that the pinned rows may have
local NARROWEST = 12

-- The transcript's bar while the host does not answer.
---@type claude_ide.ChatBar
local SILENT = {
  left = { { 'not answering', 'ClaudeChatError' } },
  right = { { 'R', 'ClaudeChatKey' }, { ' restarts it', 'ClaudeChatMeta' } },
}

---@alias claude_ide.ChatBar { left?: claude_ide.Chunks, right?: claude_ide.Chunks }

local function text(chunks)
  return vim
    .iter(chunks)
    :map(function(chunk)
      return winbar.part(chunk[1], chunk[2])
    end)
    :join('')
end

-- Without the last group of chunks; blank chunks separate the groups.
local function shortened(chunks)
  for index = #chunks, 1, -1 do
    if chunks[index][1]:find('^ +$') then
      return vim.list_slice(chunks, 1, index - 1)
    end
  end
  return {}
end

-- Shorten the right side first: the left side shows the current state, which matters more.
local function fitted(bar, width)
  local left, right = bar.left or {}, bar.right or {}
  while #right > 0 and winbar.width(left) + winbar.width(right) + 2 > width do
    right = shortened(right)
  end
  return left, right
end

local function line(bar, width)
  local left, right = fitted(bar, width)
  -- If the bar is still too long, Neovim cuts it after the first chunk. The gap would have the highlight of
  -- the last chunk, such as an underline.
  local first = text({ left[1] })
  return first .. '%<' .. text(vim.list_slice(left, 2)) .. '%*%=' .. text(right)
end

-- What is shown if another plugin owns the winbar: a row in the prompt, where the user looks and where it
-- covers nothing.
local function substitute(chat, bar)
  return {
    below = chat.prompt,
    chunks = function(width)
      local left, right = fitted(bar, width)
      local row = { { ' ', '' } }
      for _, chunk in ipairs(vim.list_extend({ unpack(left) }, { { '  ' }, unpack(right) })) do
        row[#row + 1] = { plain.harmless(chunk[1]), winbar.group(chunk[2]) }
      end
      return { row }
    end,
  }
end

--- Show the winbars in the panel's windows.
---@param chat claude_ide.Chat
function M.apply(chat)
  for name, win in pairs(chat.view and chat.view.windows or {}) do
    -- A window of one line has no room for a bar. A window may also show another buffer, which has yet to
    -- move away (`file/protected_windows.lua`).
    if
      api.nvim_win_is_valid(win)
      and api.nvim_win_get_buf(win) == chat[name]
      and api.nvim_win_get_height(win) > 1
    then
      -- A title until there is a bar: without any, the text would jump when the bar appears.
      local title = { left = { { (' %s '):format(chat.options.title) } } }
      local is_silent = chat.is_silent and name == 'transcript'
      local given = is_silent and SILENT or chat.bars[name] or title
      local bar = line(given, api.nvim_win_get_width(win))
      winbar.set(win, bar, substitute(chat, given))
    end
  end
end

-- How the float is placed in the corner of a transcript's window, if that has room for it.
local function config(win, width, height)
  local room = api.nvim_win_get_width(win)
  local highest = math.max(1, math.floor(api.nvim_win_get_height(win) * HIGHEST))
  return {
    relative = 'win',
    win = win,
    anchor = 'NE',
    row = 0,
    col = room,
    width = math.min(width, math.floor(room * WIDEST)),
    height = math.min(height, highest),
    focusable = false,
    style = 'minimal',
    border = 'none',
    zindex = 45,
  }
end

local function is_open(chat)
  return chat.pin ~= nil and api.nvim_win_is_valid(chat.pin)
end

--- Close the window of the pinned rows.
---@param chat claude_ide.Chat
function M.unpin(chat)
  if is_open(chat) then
    pcall(window_close.window, chat.pin)
  end
  chat.pin = nil
end

local function show(chat, win)
  -- It must not cover a request, nor what the user reads.
  local lines = chat.pinned.lines
  local is_wanted = #lines > 0 and chat.requests == 0 and not chat.is_reading
  if not is_wanted or math.floor(api.nvim_win_get_width(win) * WIDEST) < NARROWEST then
    return M.unpin(chat)
  end
  local place = config(win, float.widest(lines), #lines)
  if not is_open(chat) then
    local options = vim.tbl_extend('error', place, { noautocmd = true })
    chat.pin = api.nvim_open_win(chat_page.buffer(), false, options)
    local looks = { wrap = false, winhighlight = 'NormalFloat:ClaudeChatTodo', winbar = '' }
    window_looks.set(chat.pin, looks)
  end
  chat_page.draw(api.nvim_win_get_buf(chat.pin), lines, chat.pinned.marks)
  api.nvim_win_set_config(chat.pin, place)
end

--- Show the pinned rows over the transcript's present window, if that is in the current tab page.
---@param chat claude_ide.Chat
function M.pin(chat)
  local view = chat.view
  local win = view and view.windows.transcript
  if not view or not win or not api.nvim_win_is_valid(win) then
    M.unpin(chat)
  elseif view.tabpage == api.nvim_get_current_tabpage() then
    -- It fails while Neovim locks windows; the next update then shows it.
    pcall(show, chat, win)
  end
end

local function follow_user(chat)
  local win = api.nvim_get_current_win()
  local is_reading = chat.view ~= nil
    and chat.view.windows.transcript == win
    and api.nvim_win_get_cursor(win)[1] < api.nvim_buf_line_count(chat.transcript)
  if is_reading ~= (chat.is_reading or false) then
    chat.is_reading = is_reading
    M.pin(chat)
  end
end

--- Hide the pinned rows while the user reads: from when they move up in the transcript until they return
--- to its end, or leave it.
---@param chat claude_ide.Chat
function M.watch(chat)
  local function follow()
    follow_user(chat)
  end
  on({ 'CursorMoved', 'WinEnter', 'WinLeave' }, chat.transcript, vim.schedule_wrap(follow))
end

return M
