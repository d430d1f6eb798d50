--- Why no host runs a chat, and what to do: two lines below the transcript, until a host draws it again.
local message = require('claude_ide.say.message')
local plain = require('claude_ide.say.plain')

local M = {}

local api = vim.api
local namespace = api.nvim_create_namespace('claude_ide_chat_outage')

local REMEDY = 'see :ClaudeLog; R retries'

-- Columns for a line: a virtual line does not wrap.
local function room(chat)
  local wins = vim.fn.win_findbuf(chat.transcript)
  return wins[1] and api.nvim_win_get_width(wins[1]) or vim.o.columns
end

--- Remove the lines.
---@param chat claude_ide.Chat
function M.clear(chat)
  if api.nvim_buf_is_valid(chat.transcript) then
    api.nvim_buf_clear_namespace(chat.transcript, namespace, 0, -1)
  end
end

--- Show the lines.
---@param chat claude_ide.Chat
---@param reason string why there is no host
function M.show(chat, reason)
  M.clear(chat)
  local last = api.nvim_buf_line_count(chat.transcript) - 1
  local width = room(chat)
  api.nvim_buf_set_extmark(chat.transcript, namespace, last, 0, {
    virt_lines = {
      { { message.fit(plain.one_line(reason), width), 'ClaudeChatError' } },
      { { message.fit(REMEDY, width), 'ClaudeChatMeta' } },
    },
  })
end

return M
