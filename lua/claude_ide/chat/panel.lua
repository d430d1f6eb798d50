--- The panels of the chats, for the host; also without one, which has ended or not started yet. Then their
--- transcripts and prompts stay, and the next host continues them.
local autocommands = require('claude_ide.messages.autocommands')
local chat_windows = require('claude_ide.chat.window')
local chat_form = require('claude_ide.chat.form')
local chat_bar = require('claude_ide.chat.window.bar')
local chat_prompt = require('claude_ide.chat.prompt')
local chat_sent = require('claude_ide.chat.sent')
local chat_state = require('claude_ide.chat.state')
local chat_transcript = require('claude_ide.chat.transcript')
local chat_transcript_keys = require('claude_ide.chat.transcript.keys')
local chat_placement = require('claude_ide.chat.placement')
local command_buffer = require('claude_ide.file.command_buffer')
local highlights = require('claude_ide.highlights')
local label = require('claude_ide.window.label')
local location = require('claude_ide.window.location')
local message = require('claude_ide.messages.message')
local moment = require('claude_ide.timing.moment')
local own_options = require('claude_ide.own_options')
local prompt_buffer = require('claude_ide.chat.prompt.buffer')
local quiet = require('claude_ide.messages.quiet')
local window_close = require('claude_ide.window.close')

local M = {}

local api = vim.api
local on = autocommands.group('claude_ide_chat_panel')

-- These allow something, which the user must have seen first.
local ALLOWING = { y = true, a = true }
-- A request that is shown only in part: on either key, the host shows the rest.
local CUT = 'request:cut'
local UNSEEN = 'not answered yet: read the whole request, then press %s again'

-- The host's defaults (`config.py`), until it has checked the options.
local SIDE, SIZE = 'right', 0.4
local SIDES = { 'right', 'left', 'above', 'below', 'float', 'tab' }

---@type claude_ide.ChatBar
local STARTING = { left = { { 'starting…', 'ClaudeChatToolRunning' } } }

---@type claude_ide.ChatBar
local STOPPED = {
  left = { { 'not running', 'ClaudeChatError' } },
  right = { { 'R', 'ClaudeChatKey' }, { ' restarts it', 'ClaudeChatMeta' } },
}

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

-- Close a chat. An unsent prompt exists nowhere else.
local function finish(chat)
  local is_loaded = api.nvim_buf_is_loaded(chat.prompt)
  local written = is_loaded and prompt_buffer.read(chat.prompt) or chat.unsent or ''
  local sent = chat_sent.join(chat.sent)
  local text = sent == '' and written or sent .. '\n' .. written
  if text:find('%S') then
    message.show(command_buffer.keep('prompt', text, 'your text is'), 'warn')
  end
  chat_state.stop(chat)
  vim.fn['claude_ide#lists#Close']('tasks ' .. chat.id)
  chat_state.remove(chat)
  chat_placement.close(chat)
  quiet.run(function()
    vim.iter({ chat.transcript, chat.prompt }):each(window_close.buffer)
  end)
end

-- A chat ends with its buffers. `:edit` only unloads one for a moment, and reloads it empty.
local function on_unload(chat, bufnr)
  if vim.v.exiting ~= vim.NIL or not api.nvim_buf_is_loaded(bufnr) then
    return
  end
  local text = prompt_buffer.read(bufnr)
  chat.unsent = bufnr == chat.prompt and text or chat.unsent
  vim.schedule(function()
    if chat_state.get(chat.id) ~= chat then
      return
    elseif not api.nvim_buf_is_loaded(bufnr) then
      chat_state.emit(chat, 'closed')
      finish(chat)
    elseif bufnr == chat.transcript then
      chat_transcript.restore(chat, text)
    else
      prompt_buffer.replace(bufnr, 0, -1, text)
    end
  end)
end

-- Name the buffers of a chat after its agent, unless they have these names.
local function name_buffers(chat)
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
  -- The buffers are filled in below, each with what belongs to it.
  ---@type any
  local chat = {
    id = id,
    options = options,
    tabpage = api.nvim_get_current_tabpage(),
    place = { shown = false, columns = vim.o.columns },
    requests = 0,
    tasks = 0,
    sent = {},
    used = 0,
    cursors = {},
    bars = {},
    pinned = { lines = {}, marks = {} },
  }
  quiet.run(function()
    chat.transcript = chat_transcript.create(chat)
    chat_transcript.watch(chat)
    chat.prompt = chat_prompt.create(chat)
  end)
  name_buffers(chat)
  chat_bar.watch(chat)
  chat_transcript_keys.define(chat, M)
  local filetypes = { [chat.transcript] = 'claude-chat', [chat.prompt] = 'claude-prompt' }
  for bufnr, filetype in pairs(filetypes) do
    on({ 'BufUnload', 'BufWipeout' }, bufnr, function()
      on_unload(chat, bufnr)
    end)
    -- A user's autocommand may fail.
    pcall(quiet.run, function()
      vim.bo[bufnr].filetype = filetype
    end)
  end
  chat_state.add(chat)
  return chat
end

--- Show the panel of a chat, which is created if necessary, and enter its prompt.
---@type fun(id: integer, options: claude_ide.ChatOptions)
function M.open(id, options)
  local chat = chat_state.get(id) or create(id, options)
  chat.options = options
  moment.when_unprompted(function()
    show_and_enter(chat)
  end)
end

--- Hide the panel. The chat continues.
---@type fun(id: integer)
M.hide = chat_state.of_id(function(chat)
  moment.when_unprompted(function()
    chat_placement.hide(chat)
  end)
end)

--- Enter the prompt, which is shown if necessary.
---@type fun(id: integer)
M.enter_prompt = chat_state.of_id(show_and_enter)

--- Move the user to the beginning of a part of the transcript, which is shown if necessary. `key` would
--- answer it if the user had seen all of it; it is empty without one.
---@type fun(id: integer, part: integer, key: string)
M.go_to_part = chat_state.of_id(function(chat, part, key)
  local function go()
    if chat_state.get(chat.id) ~= chat or not chat_placement.is_here(chat) then
      return
    elseif api.nvim_get_current_buf() ~= chat.transcript then
      api.nvim_set_current_win(chat.view.windows.transcript)
    end
    chat_transcript.present(chat, part, api.nvim_get_current_win())
    if key ~= '' then
      message.show(UNSEEN:format(key), 'info')
    end
  end
  moment.when_unprompted(function()
    if not chat_placement.is_here(chat) then
      show_and_enter(chat)
    end
    -- Entering the prompt may have started Insert mode.
    vim.cmd.stopinsert()
    location.leave_mode(go)
  end)
end)

--- Answer a request that the user could notice, or lead them to it until they have seen what `key` allows.
---@param id integer
---@param part_id integer
---@param key string
---@param win? integer in which they have seen it; default: the current one
---@param reason? string
function M.answer(id, part_id, key, win, reason)
  local chat = chat_state.get(id)
  local part = chat and chat_transcript.find(chat, part_id)
  win = win or api.nvim_get_current_win()
  if not (chat and part and chat_transcript.is_noticed(part, win)) then
    return
  elseif ALLOWING[key] and part.kind ~= CUT and not chat_transcript.is_seen(chat, part, win) then
    return M.go_to_part(id, part_id, key)
  end
  local answer = { part = part_id, kind = part.kind, key = key, reason = reason }
  chat_state.ask(chat, vim.split(part.kind, ':')[1], answer)
end

--- The oldest request of a chat that is on the screen in the current tab page.
---@return { since: integer, is_here: boolean, answer: fun(accepted: boolean, reason?: string) }?
function M.awaiting()
  local bufnr = api.nvim_get_current_buf()
  for _, chat in ipairs(chat_state.list()) do
    local part, win = chat_transcript.asking(chat)
    if part and win then
      return {
        since = part.drawn[win],
        is_here = bufnr == chat.transcript or bufnr == chat.prompt,
        answer = function(accepted, reason)
          M.answer(chat.id, part.id, accepted and 'y' or 'n', win, reason)
        end,
      }
    end
  end
end

-- The first chat for which one of these functions is true, as the host gets it (`FoundChat` of the port).
---@return table|false
local function find(...)
  for _, is_meant in ipairs({ ... }) do
    local chat = vim.iter(chat_state.list()):find(is_meant)
    if chat then
      local is_here = chat_placement.is_here(chat)
      return { chat = chat.id, is_here = is_here, revival = chat_state.revival(chat) }
    end
  end
  return false
end

local function belongs_here(chat)
  return chat.tabpage == api.nvim_get_current_tabpage()
end

--- The chat that a command applies to: this tab page's, else the one used last.
---@return table|false
function M.here()
  return find(belongs_here, function()
    return true
  end)
end

--- The chat that belongs to the current tab page: its own one, else one that has a tab page to itself, or
--- whose tab page is closed.
---@return table|false
function M.of_tabpage()
  return find(belongs_here, function(chat)
    return chat.options.side == 'tab' or not api.nvim_tabpage_is_valid(chat.tabpage)
  end)
end

--- Close a chat and its panel. `after` is called once it is closed.
---@type fun(id: integer, after?: fun())
M.close = chat_state.of_id(function(chat, after)
  local has_user = chat.view and chat_windows.has(chat.view, api.nvim_get_current_win())
  local when = has_user and moment.when_ended or moment.when_possible
  when(function()
    finish(chat)
    if after then
      after()
    end
  end, message.failure('the chat cannot be closed: %s'))
end)

---@alias claude_ide.Chunks { [1]: string, [2]: string }[] text and highlight group

--- Open the panel of a new chat before the host runs, so that the user can type the prompt.
---@param given { agent?: string, asks?: boolean, root?: string } agent: its id, nil for the usual one; asks:
---  whether the user chooses it; root: default the folder of the current window
---@return integer id of the chat
function M.begin(given)
  local side, size = own_options.get('chat', 'side'), own_options.get('chat', 'size')
  local agent = given.agent or own_options.get('chat', 'agent')
  local name = type(agent) == 'string' and agent ~= '' and agent or 'Claude'
  local id = chat_state.new_id()
  M.open(id, {
    side = vim.list_contains(SIDES, side) and side or SIDE,
    size = type(size) == 'number' and size > 0 and size or SIZE,
    title = name,
    name = name:sub(1, 1):upper() .. name:sub(2),
    agent = given.agent,
    asks = given.asks,
    root = given.root or vim.fn.getcwd(),
  })
  local chat = assert(chat_state.get(id))
  chat.is_orphan, chat.is_starting = true, true
  chat_state.set(id, { bars = { transcript = STARTING } })
  chat_sent.expect(chat, function()
    return chat.is_starting
  end)
  return id
end

--- Handle that a chat has no agent, for a reason unless it was ended on purpose: close its panel if nothing
--- is in it, otherwise show the reason.
---@type fun(id: integer, reason?: string)
M.give_up = chat_state.of_id(function(chat, reason)
  chat.is_starting, chat.is_silent = false, false
  chat_prompt.give_back(chat.id)
  local is_written = prompt_buffer.text(chat.prompt) ~= ''
  if chat.session or is_written or not chat_state.is_empty(chat) then
    if reason then
      chat_sent.set_outage(chat, reason)
    end
    return chat_state.set(chat.id, { bars = { transcript = STOPPED } })
  end
  -- The next keys were meant for the prompt.
  M.close(chat.id, moment.guard)
end)

--- Handle the end of the host, which all chats share.
---@param reason? string none if it was ended on purpose
function M.host_ended(reason)
  for _, chat in ipairs(chat_state.list()) do
    local restarts = chat.restarts
    chat.is_orphan, chat.restarts = true, nil
    chat_state.stop(chat)
    vim.fn['claude_ide#lists#Close']('tasks ' .. chat.id)
    M.give_up(chat.id, reason)
    -- Once this is handled: the server's host may be restarted, too, and it is the same one.
    vim.schedule(function()
      if restarts and chat_state.get(chat.id) == chat then
        chat_state.emit(chat, 'restart')
      end
    end)
  end
  chat_form.close_all()
end

--- Carry out a subcommand of `:ClaudeChat` that must not wait for a host.
---@param what string empty for `:ClaudeChat` itself, which hides a chat whose host is still starting
---@return boolean is_done false if the host should do it
function M.run_alone(what)
  local here = M.here()
  local chat = here and chat_state.get(here.chat)
  if not here or not chat then
    return false
  elseif what == '' and chat.is_starting and chat.is_wanted and here.is_here then
    M.hide(chat.id)
  elseif what == 'stop' then
    chat_prompt.stop(chat)
  elseif what == 'end' and (chat.is_silent or chat.is_orphan and not chat.is_starting) then
    chat_state.emit(chat, 'closed')
    M.close(chat.id)
  else
    return false
  end
  return true
end

--- Hand a chat to another host, whose first frame draws the whole transcript.
---@type fun(id: integer, options: claude_ide.ChatOptions)
M.adopt = chat_state.of_id(function(chat, options)
  chat.is_orphan, chat.is_starting = false, false
  chat.options, chat.pinned = options, { lines = {}, marks = {} }
  chat_sent.set_outage(chat, nil)
  name_buffers(chat)
  chat_bar.pin(chat)
  chat_placement.report(chat, true)
end)

return M
