--- The panel on the screen: shown, and hidden without a trace in the surrounding windows.
local autocommands = require('claude_ide.messages.autocommands')
local chat_bar = require('claude_ide.chat.window.bar')
local chat_follow = require('claude_ide.chat.window.follow')
local chat_state = require('claude_ide.chat.state')
local chat_windows = require('claude_ide.chat.window')
local float = require('claude_ide.window.float')
local label = require('claude_ide.window.label')
local location = require('claude_ide.window.location')
local message = require('claude_ide.messages.message')
local protected_windows = require('claude_ide.file.protected_windows')
local visit = require('claude_ide.window.visit')
local window_close = require('claude_ide.window.close')
local window_shape = require('claude_ide.window.shape')

local M = {}

local api = vim.api

---@class claude_ide.ChatView: claude_ide.Visit
---@field chat claude_ide.Chat
---@field windows claude_ide.ChatWindows
---@field tabpage integer
---@field insert? integer[] the cursor in the user's window, if they were in Insert mode there
---@field sizes? claude_ide.ChatSizes
---@field was_user_in? boolean whether the user was in one of its windows when that was closed

---@class claude_ide.ChatCursor
---@field view vim.fn.winsaveview.ret
---@field is_last boolean whether it was on the last line

---@class claude_ide.ChatPlace
---@field shown boolean whether it is on the screen, in any tab page
---@field width? integer columns for a row of the transcript; while that is hidden, those that it had
---@field columns integer of the screen

--- Report to the host where a chat is, if that has changed.
---@param chat claude_ide.Chat
---@param is_new? boolean whether the host is a new one
function M.report(chat, is_new)
  local win = chat.view and chat.view.windows.transcript
  local info = win and api.nvim_win_is_valid(win) and vim.fn.getwininfo(win)[1]
  local place = {
    shown = #vim.fn.win_findbuf(chat.transcript) + #vim.fn.win_findbuf(chat.prompt) > 0,
    width = info and info.width - info.textoff or chat.place.width,
    columns = vim.o.columns,
  }
  if is_new or not vim.deep_equal(place, chat.place) then
    chat.place = place
    chat_state.emit(chat, 'placed', place)
  end
end

-- Save the cursors of windows.
---@param windows table<'transcript'|'prompt', integer>
local function save_cursors(chat, windows)
  for name, win in pairs(windows) do
    if api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win) == chat[name] then
      local last = api.nvim_buf_line_count(chat[name])
      chat.cursors[name] = {
        view = api.nvim_win_call(win, vim.fn.winsaveview),
        is_last = api.nvim_win_get_cursor(win)[1] == last,
      }
    end
  end
end

-- Restore the cursors of windows. One that was at the end of the transcript goes to its end.
---@param windows table<'transcript'|'prompt', integer>
local function restore_cursors(chat, windows)
  for name, win in pairs(windows) do
    local cursor = chat.cursors[name]
    if cursor and not (name == 'transcript' and cursor.is_last) then
      api.nvim_win_call(win, function()
        vim.fn.winrestview(cursor.view)
      end)
    else
      chat_follow.go_to_end(win)
    end
  end
end

-- If the window that the user came from is gone, they will return to another one.
local function prepare_leaving(view)
  location.cancel_insert()
  local win = not api.nvim_win_is_valid(view.destination.win) and chat_windows.other(view)
  if win then
    view.destination = { tabpage = api.nvim_get_current_tabpage(), win = win, terminal = false }
  end
end

---@class claude_ide.ChatVisitOwner: claude_ide.VisitOwner
local owner = { has = chat_windows.has }

---@param view claude_ide.ChatView
function owner.open(view)
  local chat = view.chat
  view.windows = chat_windows.open(chat)
  view.tabpage = api.nvim_win_get_tabpage(view.windows.transcript)
  view.own_tabpage = view.tabpage ~= view.shape.tabpage and view.tabpage or nil
  restore_cursors(chat, view.windows)
  chat.view, chat.tabpage = view, view.tabpage
  chat_bar.apply(chat)
  chat_windows.enter_prompt(view)
  -- Entering the prompt may have passed through the transcript.
  view.destination = view.origin
end

-- The windows of the panel, and those that the user has split off. One of its own may show another buffer,
-- which has yet to move away (`file/protected_windows.lua`).
---@param view claude_ide.ChatView
function owner.close(view)
  local wins = vim.tbl_values(view.windows)
  vim.list_extend(wins, vim.fn.win_findbuf(view.chat.prompt))
  vim.list_extend(wins, vim.fn.win_findbuf(view.chat.transcript))
  for _, win in ipairs(wins) do
    if api.nvim_win_is_valid(win) then
      window_close.window(win)
    end
  end
end

---@param view claude_ide.ChatView
function owner.has_user(view)
  return view.was_user_in or chat_windows.has(view, api.nvim_get_current_win())
end

--- Close the windows of a chat immediately, in whatever mode the user is.
---@param chat claude_ide.Chat
function M.close(chat)
  local view = chat.view
  if not view then
    return
  end
  chat.view = nil
  chat_bar.unpin(chat)
  save_cursors(chat, view.windows)
  if visit.has_user(view) then
    prepare_leaving(view)
  end
  local insert = visit.close(view) and view.insert
  if insert and api.nvim_get_current_win() == view.destination.win then
    vim.cmd(insert[2] >= #vim.fn.getline(insert[1]) and 'startinsert!' or 'startinsert')
  end
  M.report(chat)
end

--- Hide a chat. If the user is in it, their mode ends first, so that it does not continue elsewhere.
---@param chat claude_ide.Chat
function M.hide(chat)
  local view = chat.view
  chat.is_wanted = false
  if view and chat_windows.has(view, api.nvim_get_current_win()) then
    location.leave_mode(function()
      if not chat.is_wanted then
        M.close(chat)
      end
    end)
  else
    M.close(chat)
  end
end

--- Hide a chat if it floats: it would cover what the user has gone to.
---@type fun(id: integer)
M.hide_float = chat_state.of_id(function(chat)
  if chat.options.side == 'float' then
    M.hide(chat)
  end
end)

--- Whether a chat is shown in the current tab page.
---@type fun(chat: claude_ide.Chat): boolean
function M.is_here(chat)
  return chat.view ~= nil and chat.view.tabpage == api.nvim_get_current_tabpage()
end

-- Call a function with the panel of each chat that is on the screen, in any tab page.
---@param fn fun(view: claude_ide.ChatView, chat: claude_ide.Chat)
local function each_view(fn)
  for _, chat in ipairs(chat_state.list()) do
    if chat.view then
      fn(chat.view, chat)
    end
  end
end

--- Show a chat in the current tab page, which has room for only one panel, and enter its prompt.
---@param chat claude_ide.Chat
function M.show(chat)
  local had_user = false
  each_view(function(view, other)
    if other ~= chat and M.is_here(other) then
      had_user = had_user or chat_windows.has(view, api.nvim_get_current_win())
      M.close(other)
    end
  end)
  M.close(chat)
  local is_inserting = not had_user and vim.fn.mode():find('^[iR]') ~= nil
  local insert = is_inserting and api.nvim_win_get_cursor(0) or nil
  local ok, opened = pcall(visit.open, owner, { chat = chat, windows = {}, insert = insert })
  if not ok then
    chat.view = nil
    return message.show('not enough room for the chat', 'warn')
  end
  chat_windows.take_sizes(opened --[[@as claude_ide.ChatView]])
  chat_bar.pin(chat)
  M.report(chat)
end

-- `:only` in one window of the panel closes the other one, which then opens again. Otherwise the panel is
-- hidden when the user closes one of its windows.
local function after_close(chat, view)
  if chat.view ~= view then
    return
  end
  local remaining = vim.tbl_filter(api.nvim_win_is_valid, vim.tbl_values(view.windows))
  if
    not view.was_user_in
    and #remaining == 1
    and not chat_windows.other(view)
    and api.nvim_get_current_win() == remaining[1]
  then
    chat_windows.complete(chat, view.windows)
    chat_windows.take_sizes(view)
    restore_cursors(chat, view.windows)
    chat_bar.apply(chat)
    chat_bar.pin(chat)
  else
    M.hide(chat)
  end
end

local function on_win_closed(event)
  local win = assert(tonumber(event.match)) --[[@as integer]]
  each_view(function(view, chat)
    if chat_windows.has(view, win) then
      save_cursors(chat, view.windows)
      -- Neovim may then equalize the sizes of the other windows.
      window_shape.check(view.shape)
      view.was_user_in = view.was_user_in or api.nvim_get_current_win() == win
      vim.schedule(function()
        after_close(chat, view)
      end)
    end
  end)
  vim.schedule(function()
    vim.iter(chat_state.list()):each(M.report)
  end)
end

-- Whether a buffer is one of a chat, which never moves to a window for files.
local function is_of_chat(bufnr)
  return chat_state.of_buffer(bufnr) ~= nil
end

-- `:quit!` would unload the buffer unless another window shows it.
local function on_quit(event)
  if is_of_chat(event.buf) then
    local keeper = float.hidden(event.buf)
    vim.schedule(function()
      pcall(window_close.window, keeper)
    end)
  end
end

-- The user returns to the window that they came from last.
local function on_win_enter()
  local win = api.nvim_get_current_win()
  local previous = vim.fn.win_getid(vim.fn.winnr('#'))
  each_view(function(view, chat)
    if chat_windows.has(view, win) then
      chat_state.mark_used(chat)
      local is_elsewhere = previous ~= 0 and not chat_windows.has(view, previous)
      if is_elsewhere and previous ~= view.destination.win then
        view.destination = { tabpage = view.tabpage, win = previous, terminal = false }
        view.insert = nil
      end
    end
  end)
end

-- The screen, a window or the tab page has changed.
local function update()
  each_view(function(view, chat)
    if M.is_here(chat) then
      chat_windows.keep_sizes(view)
    end
    chat_bar.pin(chat)
    chat_bar.apply(chat)
  end)
  vim.iter(chat_state.list()):each(M.report)
end

--- Note that another window opens, closes, or is resized by us: the panels keep their sizes.
---@param win integer
function M.neighbour_changes(win)
  each_view(function(view)
    if chat_windows.mark_disturbed(view, win) then
      vim.schedule(update)
    end
  end)
end

---@param apply fun(chat: claude_ide.Chat, name: 'transcript'|'prompt', win: integer): any
local function with_chat(apply)
  return function(win)
    for _, chat in ipairs(chat_state.list()) do
      for name, own in pairs(chat.view and chat.view.windows or {}) do
        if own == win then
          return apply(chat, name, win)
        end
      end
    end
  end
end

-- Protect the panel's windows from now on: a file that is opened in one moves to a window for files.
local function protect()
  protected_windows.protect({
    name = 'the chat',
    buffer_of = with_chat(function(chat, name)
      return chat[name]
    end),
    is_own = is_of_chat,
    leaving = with_chat(function(chat, name, win)
      save_cursors(chat, { [name] = win })
    end),
    restored = with_chat(function(chat, name, win)
      restore_cursors(chat, { [name] = win })
    end),
    followed = with_chat(function(chat)
      M.hide_float(chat.id)
    end),
  })
end

--- Follow what the user does with the windows, and protect them, from now on.
function M.watch()
  protect()
  -- A session may have been loaded before the plugin.
  label.clear_leftovers()
  local on = autocommands.group('claude_ide_chat_view')
  on('WinClosed', nil, on_win_closed)
  on('WinEnter', nil, on_win_enter)
  on('QuitPre', nil, on_quit)
  on('VimResized', nil, function()
    each_view(function(view, chat)
      chat_windows.fit(view.windows, chat.options)
    end)
    update()
  end)
  on({ 'WinNew', 'WinClosed' }, nil, function(event)
    M.neighbour_changes(tonumber(event.match) --[[@as integer?]] or api.nvim_get_current_win())
  end)
  on({ 'WinResized', 'TabEnter' }, nil, update)
end

return M
