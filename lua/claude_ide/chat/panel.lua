--- The panels of the chats, for the host.
local chat_bar = require('claude_ide.chat.window.bar')
local chat_windows = require('claude_ide.chat.window')
local chat_list = require('claude_ide.chat.list')
local chat_pin = require('claude_ide.chat.window.pin')
local chat_prompt = require('claude_ide.chat.prompt')
local chat_sent = require('claude_ide.chat.sent')
local chat_parts = require('claude_ide.chat.transcript.parts')
local chat_state = require('claude_ide.chat.state')
local chat_status = require('claude_ide.chat.status')
local chat_transcript = require('claude_ide.chat.transcript')
local chat_transcript_keys = require('claude_ide.chat.transcript.keys')
local chat_placement = require('claude_ide.chat.placement')
local command_buffer = require('claude_ide.file.command_buffer')
local highlights = require('claude_ide.highlights')
local label = require('claude_ide.window.label')
local location = require('claude_ide.window.location')
local message = require('claude_ide.messages.message')
local moment = require('claude_ide.timing.moment')
local quiet = require('claude_ide.messages.quiet')
local window_close = require('claude_ide.window.close')

local M = {}

local api = vim.api
local augroup = api.nvim_create_augroup('claude_ide_chat_panel', { clear = true })

-- A request that is shown only in part: the host shows the rest.
local CUT = 'request:cut'
local UNSEEN = 'not answered yet: read the whole request, then press %s again'

local function show_and_enter(chat)
  if chat_state.get(chat.id) ~= chat then
    return
  end
  chat_state.mark_used(chat)
  chat.is_wanted = true
  if chat.view and (chat_placement.is_here(chat) or chat.options.side == 'tab') then
    chat_windows.enter_prompt(chat.view)
  else
    chat_placement.show(chat)
  end
end

-- An unsent prompt exists nowhere else.
local function keep_unsent(chat)
  local is_loaded = api.nvim_buf_is_loaded(chat.prompt)
  local lines = is_loaded and api.nvim_buf_get_lines(chat.prompt, 0, -1, false) or chat.unsent
  local written = table.concat(lines or {}, '\n')
  local sent = chat_sent.join(chat.sent)
  local text = sent == '' and written or written:find('%S') and sent .. '\n' .. written or sent
  if text:find('%S') then
    message.show(command_buffer.keep('prompt', text, 'your text is'), 'warn')
  end
end

---@param chat claude_ide.Chat
local function finish(chat)
  keep_unsent(chat)
  chat_status.stop(chat)
  chat_list.close('tasks ' .. chat.id)
  chat_state.remove(chat)
  chat_placement.close(chat)
  quiet.run(function()
    vim.iter({ chat.transcript, chat.prompt }):each(window_close.buffer)
  end)
end

local function restore(chat, bufnr, lines)
  if bufnr == chat.transcript then
    chat_transcript.restore(chat, lines)
  else
    api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  end
end

-- A chat ends with its buffers. `:edit` only unloads one for a moment, and reloads it empty.
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
      return restore(chat, bufnr, lines)
    end
    chat_state.emit(chat, 'closed')
    finish(chat)
  end)
end

--- Name the buffers of a chat after its agent, unless they have these names.
---@param chat claude_ide.Chat
function M.name_buffers(chat)
  local name = chat_state.agent_name(chat)
  if chat.named ~= name then
    chat.named = name
    quiet.run(function()
      label.give(chat.transcript, 'claude-chat', name .. ' chat')
      label.give(chat.prompt, 'claude-prompt', name .. ' prompt')
      command_buffer.named(chat.prompt)
    end)
  end
end

local function create(id, options)
  highlights.define()
  chat_placement.watch()
  local fields = {
    id = id,
    options = options,
    tabpage = api.nvim_get_current_tabpage(),
    is_wanted = false,
    is_shown = false,
    is_orphan = false,
    is_starting = false,
    is_working = false,
    is_silent = false,
    restarts = false,
    requests = 0,
    tasks = 0,
    sent = {},
    used = 0,
    cursors = {},
    bars = {},
    pinned = {},
    unpinned = 0,
  }
  -- The buffers are filled in below, each with what belongs to it.
  local chat = fields --[[@as claude_ide.Chat]]
  quiet.run(function()
    chat.transcript = chat_transcript.create(chat)
    chat_parts.watch(chat)
    chat.prompt = chat_prompt.create(chat)
  end)
  M.name_buffers(chat)
  chat_pin.watch(chat)
  chat_transcript_keys.define(chat, {
    enter_prompt = M.enter_prompt,
    hide = M.hide,
    go_to_part = M.go_to_part,
  })
  for bufnr, filetype in pairs({
    [chat.transcript] = 'claude-chat',
    [chat.prompt] = 'claude-prompt',
  }) do
    api.nvim_create_autocmd({ 'BufUnload', 'BufWipeout' }, {
      group = augroup,
      buffer = bufnr,
      callback = function()
        on_unload(chat, bufnr)
      end,
    })
    -- A user's autocommand may fail.
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
    chat_placement.close(chat)
  end
  return chat
end

--- Show the panel of a chat, which is created if necessary, and enter its prompt.
---@param id integer
---@param options claude_ide.ChatOptions
function M.open(id, options)
  local chat = ensure(id, options)
  moment.when_unprompted(function()
    show_and_enter(chat)
  end)
end

--- Show the panel of a chat in the current tab page, or hide it there.
---@param id integer
---@param options claude_ide.ChatOptions
---@return 'shown'|'hidden'
function M.toggle(id, options)
  local chat = chat_state.get(id)
  if not chat or not (chat.is_wanted and chat_placement.is_here(chat)) then
    M.open(id, options)
    return 'shown'
  end
  M.hide(id)
  return 'hidden'
end

--- Hide the panel. The chat continues.
---@param id integer
function M.hide(id)
  local chat = chat_state.get(id)
  if chat then
    moment.when_unprompted(function()
      chat_placement.hide(chat)
    end)
  end
end

--- Enter the prompt, which is shown if necessary.
---@param id integer
function M.enter_prompt(id)
  local chat = chat_state.get(id)
  if chat then
    show_and_enter(chat)
  end
end

local function go_to_part(chat, part, key)
  if chat_state.get(chat.id) ~= chat or not chat_placement.is_here(chat) then
    return
  end
  local current = api.nvim_get_current_win()
  local is_there = api.nvim_win_get_buf(current) == chat.transcript
  local win = is_there and current or chat.view.windows.transcript
  api.nvim_set_current_win(win)
  chat_parts.present(chat, part, win)
  if key ~= '' then
    message.show(UNSEEN:format(key), 'info')
  end
end

--- Move the user to the beginning of a part of the transcript, which is shown if necessary.
---@param id integer
---@param part integer
---@param key string that would answer this part if the user had seen all of it; empty without one
function M.go_to_part(id, part, key)
  local chat = chat_state.get(id)
  if not chat then
    return
  end
  moment.when_unprompted(function()
    if not chat_placement.is_here(chat) then
      show_and_enter(chat)
    end
    -- Entering the prompt may have started Insert mode.
    vim.cmd.stopinsert()
    location.leave_mode(function()
      go_to_part(chat, part, key)
    end)
  end)
end

local function answer_elsewhere(chat, part, win, accepted, reason)
  local key = accepted and 'y' or 'n'
  if not chat_parts.is_noticed(part, win) then
    return
  elseif accepted and part.kind ~= CUT and not chat_parts.is_seen(chat, part, win) then
    return M.go_to_part(chat.id, part.id, key)
  end
  local fields = { part = part.id, kind = part.kind, key = key, reason = reason }
  chat_state.emit(chat, 'answer', fields)
end

--- The oldest request of a chat that is on the screen in the current tab page.
---@return { since: integer, is_here: boolean, answer: fun(accepted: boolean, reason?: string) }?
function M.awaiting()
  local bufnr = api.nvim_get_current_buf()
  for _, chat in ipairs(chat_state.list()) do
    local part, win = chat_parts.asking(chat)
    if part and win then
      return {
        since = part.drawn[win],
        is_here = bufnr == chat.transcript or bufnr == chat.prompt,
        answer = function(accepted, reason)
          answer_elsewhere(chat, part, win, accepted, reason)
        end,
      }
    end
  end
end

--- The chat that a command applies to: this tab page's, else the one used last.
---@return { chat: integer, is_here: boolean, revival?: table }|false chat false if there is none
function M.here()
  local chats = chat_state.list()
  local here = vim.iter(chats):find(function(chat)
    return chat.tabpage == api.nvim_get_current_tabpage()
  end)
  local chat = here or chats[1]
  return chat
      and {
        chat = chat.id,
        is_here = chat_placement.is_here(chat),
        revival = chat_state.revival(chat),
      }
    or false
end

--- The chat that belongs to the current tab page: its own one, else one that has a tab page to itself, or
--- whose tab page is closed.
---@return { chat: integer, revival?: table }|false chat false if there is none
function M.of_tabpage()
  local chats = chat_state.list()
  local function belongs(chat)
    return chat.tabpage == api.nvim_get_current_tabpage()
  end
  local function is_homeless(chat)
    return chat.options.side == 'tab' or not api.nvim_tabpage_is_valid(chat.tabpage)
  end
  local chat = vim.iter(chats):find(belongs) or vim.iter(chats):find(is_homeless)
  return chat and { chat = chat.id, revival = chat_state.revival(chat) } or false
end

--- Close a chat and its panel.
---@param id integer
---@param after? fun() called once it is closed
function M.close(id, after)
  local chat = chat_state.get(id)
  if not chat then
    return
  end
  local has_user = chat.view and chat_windows.has(chat.view, api.nvim_get_current_win())
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

--- Set the winbars, and show whether the agent is working.
---@param id integer
---@param bars table<'transcript'|'prompt', claude_ide.ChatBar>
---@param work claude_ide.ChatWork
function M.set_bars(id, bars, work)
  local chat = chat_state.get(id)
  if chat then
    chat_bar.set(chat, bars)
    chat_status.set_work(chat, work)
  end
end

--- Pin rows to the transcript's top right corner, in place of those pinned before.
---@param id integer
---@param rows claude_ide.Chunks[] empty to remove them
---@param more? integer number of rows that the host has left out below
function M.pin(id, rows, more)
  local chat = chat_state.get(id)
  if chat then
    chat.pinned, chat.unpinned = rows, more or 0
    chat_pin.update(chat)
  end
end

return M
