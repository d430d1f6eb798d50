--- The panels of the chats, as the host asks for them.
local chat_bar = require('claude_ide.chat.window.bar')
local chat_busy = require('claude_ide.chat.busy')
local chat_focus = require('claude_ide.chat.window.focus')
local chat_pin = require('claude_ide.chat.window.pin')
local chat_prompt = require('claude_ide.chat.prompt')
local chat_sight = require('claude_ide.chat.transcript.sight')
local chat_state = require('claude_ide.chat.state')
local chat_strays = require('claude_ide.chat.strays')
local chat_transcript = require('claude_ide.chat.transcript')
local chat_transcript_keys = require('claude_ide.chat.transcript.keys')
local chat_view = require('claude_ide.chat.placement')
local highlights = require('claude_ide.highlights')
local kept = require('claude_ide.file.kept')
local message = require('claude_ide.say.message')
local moment = require('claude_ide.when.moment')
local quiet = require('claude_ide.say.quiet')
local window_close = require('claude_ide.window.close')

local M = {}

local api = vim.api

local function bring(chat)
  if chat_state.get(chat.id) ~= chat then
    return
  end
  chat_state.use(chat)
  chat.is_wanted = true
  if chat.view and (chat_view.is_here(chat) or chat.options.side == 'tab') then
    chat_focus.enter_prompt(chat.view)
  else
    chat_view.show(chat)
  end
end

-- A prompt that was not sent is nowhere else.
local function keep_unsent(chat)
  local is_loaded = api.nvim_buf_is_loaded(chat.prompt)
  local lines = is_loaded and api.nvim_buf_get_lines(chat.prompt, 0, -1, false) or chat.unsent
  local text = table.concat(lines or {}, '\n')
  if text:find('%S') then
    message.show(kept.keep('prompt', text, 'your text is'), 'warn')
  end
end

---@param chat claude_ide.Chat
local function finish(chat)
  keep_unsent(chat)
  chat_busy.stop(chat)
  chat_state.remove(chat)
  chat_view.take_down(chat)
  quiet.run(function()
    vim.iter({ chat.transcript, chat.prompt }):each(window_close.buffer)
  end)
end

local function reload(chat, bufnr, lines)
  if bufnr == chat.transcript then
    chat_transcript.put(chat, lines)
  else
    api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  end
end

-- Without its buffers a chat has ended. `:edit` only loads one again, and from nowhere.
local function on_unload(chat, bufnr)
  if vim.v.exiting ~= vim.NIL or not api.nvim_buf_is_loaded(bufnr) then
    return
  end
  local lines = api.nvim_buf_get_lines(bufnr, 0, -1, false)
  chat.unsent = bufnr == chat.prompt and lines or chat.unsent
  vim.schedule(function()
    if chat_state.get(chat.id) ~= chat then
      return
    elseif api.nvim_buf_is_loaded(bufnr) then
      return reload(chat, bufnr, lines)
    end
    chat_state.tell(chat, 'closed')
    finish(chat)
  end)
end

local function create(id, options)
  highlights.define()
  chat_view.watch()
  chat_strays.watch()
  ---@type claude_ide.Chat
  local chat = {
    id = id,
    options = options,
    tabpage = api.nvim_get_current_tabpage(),
    is_wanted = false,
    is_shown = false,
    is_orphan = false,
    is_starting = false,
    used = 0,
    cursors = {},
    bars = {},
    pinned = {},
  }
  quiet.run(function()
    chat.transcript = chat_transcript.create(chat)
    chat.prompt = chat_prompt.create(chat)
    api.nvim_buf_set_name(chat.transcript, ('claude-chat://%d'):format(chat.transcript))
  end)
  chat_transcript_keys.define(chat, M)
  for bufnr, filetype in pairs({
    [chat.transcript] = 'claude-chat',
    [chat.prompt] = 'claude-prompt',
  }) do
    api.nvim_create_autocmd({ 'BufUnload', 'BufWipeout' }, {
      buffer = bufnr,
      callback = function()
        on_unload(chat, bufnr)
      end,
    })
    -- An autocommand of the user's may fail.
    pcall(quiet.run, function()
      vim.bo[bufnr].filetype = filetype
    end)
  end
  chat_state.add(chat)
  return chat
end

local function ensure(id, options)
  local chat = chat_state.get(id)
  if not chat then
    return create(id, options)
  end
  local is_moved = chat.view and options.side ~= chat.options.side
  chat.options = options
  if is_moved then
    chat_view.take_down(chat)
  end
  return chat
end

--- Make the panel of a chat, or show it, and take the user into its prompt.
---@param id integer
---@param options claude_ide.ChatOptions
function M.open(id, options)
  local chat = ensure(id, options)
  moment.when_unprompted(function()
    bring(chat)
  end)
end

--- Show the panel of a chat in the current tabpage, or hide it there.
---@param id integer
---@param options claude_ide.ChatOptions
---@return 'shown'|'hidden'
function M.toggle(id, options)
  local chat = chat_state.get(id)
  if not chat or not (chat.is_wanted and chat_view.is_here(chat)) then
    M.open(id, options)
    return 'shown'
  end
  M.hide(id)
  return 'hidden'
end

--- Hide the panel; the chat goes on.
---@param id integer
function M.hide(id)
  local chat = chat_state.get(id)
  if chat then
    moment.when_unprompted(function()
      chat_view.hide(chat)
    end)
  end
end

--- Take the user into the prompt, which is shown if need be.
---@param id integer
function M.write(id)
  local chat = chat_state.get(id)
  if chat then
    bring(chat)
  end
end

local function lead(chat, part)
  if chat_state.get(chat.id) ~= chat or not chat_view.is_here(chat) then
    return
  end
  local current = api.nvim_get_current_win()
  local is_there = api.nvim_win_get_buf(current) == chat.transcript
  local win = is_there and current or chat.view.windows.transcript
  api.nvim_set_current_win(win)
  chat_sight.lead(chat, part, win)
end

--- Lead the user to the beginning of a part of the transcript, which is shown if need be.
---@param id integer
---@param part integer
function M.lead(id, part)
  local chat = chat_state.get(id)
  if not chat then
    return
  end
  moment.when_unprompted(function()
    if not chat_view.is_here(chat) then
      bring(chat)
    end
    -- The prompt would go on with Insert mode.
    vim.cmd.stopinsert()
    chat_focus.leave_mode(function()
      lead(chat, part)
    end)
  end)
end

--- The chat that a command means: this tabpage's, else the one used last.
---@return { chat: integer, revival?: table }|false
function M.here()
  local chats = chat_state.list()
  local here = vim.iter(chats):find(function(chat)
    return chat.tabpage == api.nvim_get_current_tabpage()
  end)
  local chat = here or chats[1]
  return chat and { chat = chat.id, revival = chat_state.revival(chat) } or false
end

--- Take a chat away.
---@param id integer
---@param after? fun() called when it has gone
function M.close(id, after)
  local chat = chat_state.get(id)
  if not chat then
    return
  end
  local has_user = chat.view and chat_focus.is_in(chat.view, api.nvim_get_current_win())
  local when = has_user and moment.when_ended or moment.when_possible
  when(function()
    finish(chat)
    if after then
      after()
    end
  end, function(reason)
    message.show(('the chat cannot be closed: %s'):format(reason), 'error')
  end)
end

---@alias claude_ide.Chunks { [1]: string, [2]: string }[] text and highlight group

--- Set the winbars, and show whether the agent is at work.
---@param id integer
---@param bars table<'transcript'|'prompt', { left: claude_ide.Chunks, right: claude_ide.Chunks }>
---@param work claude_ide.ChatWork
function M.bar(id, bars, work)
  local chat = chat_state.get(id)
  if chat then
    chat_bar.set(chat, bars)
    chat_busy.set(chat, work)
  end
end

--- Pin rows to the transcript's top right corner; none to take them away.
---@param id integer
---@param rows claude_ide.Chunks[]
function M.pin(id, rows)
  local chat = chat_state.get(id)
  if chat then
    chat.pinned = rows
    chat_pin.update(chat)
  end
end

return M
