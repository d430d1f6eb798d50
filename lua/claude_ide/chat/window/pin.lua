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

local function open(wanted)
  local pin = api.nvim_open_win(
    chat_page.buffer(),
    false,
    vim.tbl_extend('error', wanted, { noautocmd = true })
  )
  window_looks.set(pin, { wrap = false, winhighlight = 'NormalFloat:ClaudeChatTodo', winbar = '' })
  return pin
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

-- Replace the text of a buffer with rows, each between two blanks.
---@param bufnr integer
---@param rows claude_ide.Chunks[]
---@return integer width of the widest row, in columns
local function write(bufnr, rows)
  local lines, marks = {}, {}
  for row, chunks in ipairs(rows) do
    local text = ' '
    for _, chunk in ipairs(chunks) do
      table.insert(marks, { row - 1, #text, #text + #chunk[1], chunk[2] })
      text = text .. chunk[1]
    end
    lines[row] = text .. ' '
  end
  chat_page.draw(bufnr, lines, marks)
  return float.widest(lines)
end

local function show(chat, win)
  local room = api.nvim_win_get_width(win)
  -- It must not cover a request, nor what the user reads.
  local is_wanted = #chat.pinned > 0 and chat.requests == 0 and not chat.is_reading
  if not is_wanted or math.floor(room * WIDEST) < NARROWEST then
    return M.close(chat)
  end
  if not is_open(chat) then
    chat.pin = open(config(win, 1, 1))
  end
  local width = write(api.nvim_win_get_buf(chat.pin), chat.pinned)
  api.nvim_win_set_config(chat.pin, config(win, width, #chat.pinned))
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

local function is_reading(chat)
  local win = api.nvim_get_current_win()
  return chat.view ~= nil
    and chat.view.windows.transcript == win
    and api.nvim_win_get_cursor(win)[1] < api.nvim_buf_line_count(chat.transcript)
end

local function follow_user(chat)
  local was_reading = chat.is_reading or false
  chat.is_reading = is_reading(chat)
  if chat.is_reading ~= was_reading then
    M.update(chat)
  end
end

--- Hide the pinned rows while the user reads: from when they move up in the transcript until they return
--- to its end, or leave it.
---@param chat claude_ide.Chat
function M.watch(chat)
  api.nvim_create_autocmd({ 'CursorMoved', 'WinEnter' }, {
    group = augroup,
    buffer = chat.transcript,
    callback = function()
      follow_user(chat)
    end,
  })
  api.nvim_create_autocmd('WinLeave', {
    group = augroup,
    buffer = chat.transcript,
    callback = vim.schedule_wrap(function()
      follow_user(chat)
    end),
  })
end

return M
