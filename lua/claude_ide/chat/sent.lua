--- The prompts that were sent and have not begun. Their texts stay here until then, so that neither a dead
--- agent nor a dead host loses one, and the user can take them back from a host that hangs. While no host
--- draws them, they are shown below the transcript, with the reason why there is no answer.
local chat_bar = require('claude_ide.chat.window.bar')
local chat_follow = require('claude_ide.chat.window.follow')
local chat_state = require('claude_ide.chat.state')
local plain = require('claude_ide.messages.plain')

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace('claude_ide_chat_outage')

local LATE = 500 -- milliseconds after which a prompt is shown here, because the host has not shown it
local REMEDY = 'see :ClaudeLog; R retries'
local UNANSWERED = '%s has not answered yet'

--- How long the host may take to answer: as long as an agent (`chat/life.py`).
M.timeout_ms = 15000

---@class claude_ide.SentPrompt
---@field number integer
---@field text string
---@field since integer milliseconds: when it was sent
---@field is_claimed boolean whether the host is handing it to the agent
---@field is_shown boolean whether the host has shown it in the transcript

local last = 0

-- A queued prompt as the host shows it.
local function headline(prompt)
  local lines = vim.split(vim.trim(prompt.text), '\n')
  local more = #lines - 1
  local rest = (' (+%d line%s)'):format(more, more == 1 and '' or 's')
  return '⧗ ' .. lines[1] .. (more > 0 and rest or '')
end

---@return claude_ide.Chunks rows
local function rows(chat)
  local found = {}
  for _, prompt in ipairs(chat.sent) do
    local is_due = chat.is_orphan or vim.uv.now() - prompt.since >= LATE
    if is_due and not prompt.is_shown then
      table.insert(found, { headline(prompt), 'ClaudeChatQueued' })
    end
  end
  if chat.outage then
    table.insert(found, { chat.outage, 'ClaudeChatError' })
    table.insert(found, { REMEDY, 'ClaudeChatMeta' })
  end
  return found
end

--- Show the lines below the transcript as they should be now.
local function update(chat)
  if not api.nvim_buf_is_valid(chat.transcript) then
    return
  end
  api.nvim_buf_clear_namespace(chat.transcript, namespace, 0, -1)
  -- A virtual line does not wrap.
  local win = vim.fn.bufwinid(chat.transcript)
  local width = win > 0 and api.nvim_win_get_width(win) or vim.o.columns
  local lines = vim.tbl_map(function(row)
    return { { plain.fit(plain.one_line(row[1]), width), row[2] } }
  end, rows(chat))
  if #lines > 0 then
    local last_row = api.nvim_buf_line_count(chat.transcript) - 1
    api.nvim_buf_set_extmark(chat.transcript, namespace, last_row, 0, { virt_lines = lines })
    for _, each in ipairs(chat_follow.windows(chat.transcript)) do
      -- For example, the command-line window may not be left, not even for a moment.
      pcall(chat_follow.go_to_end, each)
    end
  end
end

-- All chats have the same host.
local function set_silent(is_silent)
  for _, chat in ipairs(chat_state.list()) do
    chat.is_silent = is_silent
    chat_bar.apply(chat)
  end
end

--- Show why there is no host; nil if it answers.
---@type fun(chat: claude_ide.Chat, reason?: string)
function M.set_outage(chat, reason)
  chat.outage = reason
  update(chat)
  if not reason and chat.is_silent then
    set_silent(false)
  end
end

--- Expect an answer of the host within 15 seconds; without it, say so. From then on, `R` replaces the host.
---@param chat claude_ide.Chat
---@param is_missing_yet fun(): boolean
function M.expect(chat, is_missing_yet)
  vim.defer_fn(function()
    if chat_state.get(chat.id) == chat and is_missing_yet() and not chat.outage then
      M.set_outage(chat, UNANSWERED:format(chat_state.agent_name(chat)))
      set_silent(true)
    end
  end, M.timeout_ms)
end

---@return claude_ide.SentPrompt?
local function find(chat, number)
  return vim.iter(chat.sent):find(function(prompt)
    return prompt.number == number
  end)
end

--- Add a prompt that is being sent. It is shown as soon as it is late, and a host that does not react is
--- reported.
---@param chat claude_ide.Chat
---@param text string
---@return integer number by which the host names it; no other prompt of this Neovim has it
function M.add(chat, text)
  last = last + 1
  local prompt = { number = last, text = text, is_claimed = false, is_shown = false }
  prompt.since = vim.uv.now()
  table.insert(chat.sent, prompt)
  update(chat)
  vim.defer_fn(function()
    update(chat)
  end, LATE + 1)
  M.expect(chat, function()
    return not prompt.is_shown and vim.list_contains(chat.sent, prompt)
  end)
  return last
end

--- Called by the host: the transcript shows a prompt.
---@type fun(id: integer, number: integer)
M.shown = chat_state.of_id(function(chat, number)
  local prompt = find(chat, number)
  if prompt then
    prompt.is_shown = true
    M.set_outage(chat, nil)
  end
end)

--- Called by the host: claim a prompt for the agent, unless the user has taken it back. From now on they
--- cannot without asking the agent.
---@type fun(id: integer, number: integer): boolean
M.claim = chat_state.of_id(function(chat, number)
  local prompt = find(chat, number)
  if prompt then
    prompt.is_claimed = true
  end
  return prompt ~= nil
end, false)

--- Remove prompts that have begun, or that return to the user.
---@param id integer
---@param numbers? integer[] nil for all
---@param is_unclaimed? boolean only those that were not handed to the agent
---@return claude_ide.SentPrompt[]
function M.take(id, numbers, is_unclaimed)
  local chat, taken, kept = chat_state.get(id), {}, {}
  for _, prompt in ipairs(chat and chat.sent or {}) do
    local is_meant = (not numbers or vim.list_contains(numbers, prompt.number))
      and not (is_unclaimed and prompt.is_claimed)
    table.insert(is_meant and taken or kept, prompt)
  end
  if chat then
    chat.sent = kept
    update(chat)
  end
  return taken
end

--- The texts of prompts.
---@type fun(prompts: claude_ide.SentPrompt[]): string
function M.join(prompts)
  return vim
    .iter(prompts)
    :map(function(prompt)
      return prompt.text
    end)
    :join('\n')
end

return M
