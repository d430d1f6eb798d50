--- Rows pinned to the top right corner of a transcript.
local chat_page = require('claude_ide.chat.page')
local float = require('claude_ide.window.float')
local window_close = require('claude_ide.window.close')
local window_looks = require('claude_ide.window.looks')

local M = {}

local api = vim.api
local augroup = api.nvim_create_augroup('claude_ide_chat_window_pin', { clear = true })

local WIDEST, HIGHEST = 0.6, 0.5 -- shares of the transcript
local NARROWEST = 12

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
function M.close(chat)
  if is_open(chat) then
    pcall(window_close.window, chat.pin)
  end
  chat.pin = nil
end

-- The rows as lines with marks, each between two blanks.
local function composed(rows)
  local lines, marks = {}, {}
  for row, chunks in ipairs(rows) do
    local text = ' '
    for _, chunk in ipairs(chunks) do
      table.insert(marks, { row - 1, #text, #text + #chunk[1], chunk[2] })
      text = text .. chunk[1]
    end
    lines[row] = text .. ' '
  end
  return lines, marks
end

local function show(chat, win)
  -- It must not cover a request, nor what the user reads.
  local is_wanted = #chat.pinned > 0 and chat.requests == 0 and not chat.is_reading
  if not is_wanted or math.floor(api.nvim_win_get_width(win) * WIDEST) < NARROWEST then
    return M.close(chat)
  end
  local lines, marks = composed(chat.pinned)
  local place = config(win, float.widest(lines), #lines)
  if not is_open(chat) then
    local options = vim.tbl_extend('error', place, { noautocmd = true })
    chat.pin = api.nvim_open_win(chat_page.buffer(), false, options)
    local looks = { wrap = false, winhighlight = 'NormalFloat:ClaudeChatTodo', winbar = '' }
    window_looks.set(chat.pin, looks)
  end
  chat_page.draw(api.nvim_win_get_buf(chat.pin), lines, marks)
  api.nvim_win_set_config(chat.pin, place)
end

--- Show the pinned rows over the transcript's present window, if that is in the current tab page.
---@param chat claude_ide.Chat
function M.update(chat)
  local view = chat.view
  local win = view and view.windows.transcript
  if not view or not win or not api.nvim_win_is_valid(win) then
    M.close(chat)
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
    M.update(chat)
  end
end

--- Hide the pinned rows while the user reads: from when they move up in the transcript until they return
--- to its end, or leave it.
---@param chat claude_ide.Chat
function M.watch(chat)
  api.nvim_create_autocmd({ 'CursorMoved', 'WinEnter', 'WinLeave' }, {
    group = augroup,
    buffer = chat.transcript,
    callback = vim.schedule_wrap(function()
      follow_user(chat)
    end),
  })
end

return M
