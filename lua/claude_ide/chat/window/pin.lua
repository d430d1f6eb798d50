--- Rows pinned to the top right corner of a transcript.
local chat_rows = require('claude_ide.chat.rows')
local window_close = require('claude_ide.window.close')

local M = {}

local api = vim.api

local WIDEST, HIGHEST = 0.6, 0.5 -- shares of the transcript
local NARROWEST = 12

local function config(win, width, height)
  local room = api.nvim_win_get_width(win)
  return {
    relative = 'win',
    win = win,
    anchor = 'NE',
    row = 0,
    col = room,
    width = math.min(width, math.floor(room * WIDEST)),
    height = math.max(1, math.min(height, math.floor(api.nvim_win_get_height(win) * HIGHEST))),
    focusable = false,
    style = 'minimal',
    border = 'none',
    zindex = 45,
  }
end

local function open(wanted)
  local bufnr = api.nvim_create_buf(false, true)
  vim.bo[bufnr].bufhidden, vim.bo[bufnr].undolevels = 'wipe', -1
  local pin = api.nvim_open_win(bufnr, false, vim.tbl_extend('error', wanted, { noautocmd = true }))
  local options = { wrap = false, winhighlight = 'NormalFloat:ClaudeChatTodo', winbar = '' }
  for name, value in pairs(options) do
    api.nvim_set_option_value(name, value, { win = pin, scope = 'local' })
  end
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

local function show(chat, win)
  local room = api.nvim_win_get_width(win)
  -- It must not cover a request.
  local is_wanted = #chat.pinned > 0 and (chat.requests or 0) == 0
  if not is_wanted or math.floor(room * WIDEST) < NARROWEST then
    return M.close(chat)
  end
  if not is_open(chat) then
    chat.pin = open(config(win, 1, 1))
  end
  local width = chat_rows.write(api.nvim_win_get_buf(chat.pin), chat.pinned)
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

return M
