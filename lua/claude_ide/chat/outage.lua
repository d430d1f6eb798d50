--- Lines below the transcript while the host does not draw it, because it has ended, has not started yet or
--- hangs: the prompts that were sent, and why there is no answer.
local chat_bar = require('claude_ide.chat.window.bar')
local chat_state = require('claude_ide.chat.state')
local message = require('claude_ide.messages.message')
local plain = require('claude_ide.messages.plain')

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace('claude_ide_chat_outage')

local REMEDY = 'see :ClaudeLog; R retries'
local UNANSWERED = '%s has not answered yet'

--- How long the host may take to answer, in milliseconds: as long as an agent (`chat/patience.py`).
M.patience = 15000

-- Columns for a line: a virtual line does not wrap.
local function room(chat)
  local wins = vim.fn.win_findbuf(chat.transcript)
  return wins[1] and api.nvim_win_get_width(wins[1]) or vim.o.columns
end

local function is_missing(chat, prompt)
  return not prompt.is_shown and (chat.is_orphan or prompt.is_late)
end

-- As the host shows a queued prompt.
local function headline(prompt)
  local lines = vim.split(vim.trim(prompt.text), '\n')
  local more = #lines - 1
  local rest = (' (+%d line%s)'):format(more, more == 1 and '' or 's')
  return '⧗ ' .. lines[1] .. (more > 0 and rest or '')
end

---@param chat claude_ide.Chat
---@return { [1]: string, [2]: string }[] rows text and highlight group
local function rows(chat)
  local found = {}
  for _, prompt in ipairs(chat.sent) do
    if is_missing(chat, prompt) then
      table.insert(found, { headline(prompt), 'ClaudeChatQueued' })
    end
  end
  if chat.outage then
    table.insert(found, { chat.outage, 'ClaudeChatError' })
    table.insert(found, { REMEDY, 'ClaudeChatMeta' })
  end
  return found
end

-- The windows whose cursor is on the last line.
local function windows_at_end(bufnr)
  local last = api.nvim_buf_line_count(bufnr)
  return vim.tbl_filter(function(win)
    return api.nvim_win_get_cursor(win)[1] == last
  end, vim.fn.win_findbuf(bufnr))
end

-- Scroll until lines below the last one are visible; Neovim itself only makes the cursor visible.
local function reveal(win, count)
  api.nvim_win_call(win, function()
    for _ = 1, count do
      local view = vim.fn.winsaveview()
      local shown = api.nvim_win_text_height(win, {
        start_row = view.topline - 1,
        start_vcol = view.skipcol,
      })
      if shown.all <= api.nvim_win_get_height(win) - (vim.wo[win].winbar ~= '' and 1 or 0) then
        return
      end
      vim.cmd('keepjumps normal! \5')
    end
  end)
end

--- Show the lines as they should be now.
---@param chat claude_ide.Chat
function M.update(chat)
  if not api.nvim_buf_is_valid(chat.transcript) then
    return
  end
  api.nvim_buf_clear_namespace(chat.transcript, namespace, 0, -1)
  local shown = rows(chat)
  if #shown == 0 then
    return
  end
  local width = room(chat)
  local last = api.nvim_buf_line_count(chat.transcript) - 1
  api.nvim_buf_set_extmark(chat.transcript, namespace, last, 0, {
    virt_lines = vim.tbl_map(function(row)
      return { { message.fit(plain.one_line(row[1]), width), row[2] } }
    end, shown),
  })
  for _, win in ipairs(windows_at_end(chat.transcript)) do
    -- For example, the command-line window may not be left, not even for a moment.
    pcall(reveal, win, #shown)
  end
end

-- All chats have the same host.
local function set_silent(is_silent)
  for _, chat in ipairs(chat_state.list()) do
    if chat.is_silent ~= is_silent then
      chat.is_silent = is_silent
      chat_bar.apply(chat)
    end
  end
end

--- Note that the host answers.
---@param chat claude_ide.Chat
function M.clear(chat)
  chat.outage = nil
  M.update(chat)
  set_silent(false)
end

--- Show why there is no host.
---@param chat claude_ide.Chat
---@param reason string
function M.show(chat, reason)
  chat.outage = reason
  M.update(chat)
end

--- Expect an answer of the host within 15 seconds; without it, say so. From then on, `R` replaces the host.
---@param chat claude_ide.Chat
---@param is_missing_yet fun(): boolean
function M.expect(chat, is_missing_yet)
  vim.defer_fn(function()
    if chat_state.get(chat.id) == chat and is_missing_yet() and not chat.outage then
      M.show(chat, UNANSWERED:format(chat_state.agent_name(chat)))
      set_silent(true)
    end
  end, M.patience)
end

return M
