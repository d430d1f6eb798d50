--- What the agent of a chat offers: its name, its commands, the values of its settings, and which
--- features it lacks.
local chat_state = require('claude_ide.chat.state')

local M = {}

---@class claude_ide.ChatOffer
---@field name string the agent's name
---@field commands claude_ide.ChatCommand[]
---@field choices table<string, string[]> words by subcommand, also by `config` and a setting
---@field lacks string[] missing subcommands of `:ClaudeChat`, and names of missing keys

---@class claude_ide.ChatCommand
---@field name string
---@field description string
---@field hint string its arguments

--- The offer of a chat whose agent does not run yet.
---@return claude_ide.ChatOffer
function M.unknown()
  return { name = 'the agent', commands = {}, choices = {}, lacks = {} }
end

--- Set what an agent offers.
---@param id integer chat
---@param offer claude_ide.ChatOffer
function M.set(id, offer)
  local chat = chat_state.get(id)
  if chat then
    chat.offer = offer
  end
end

--- Whether a chat's agent lacks a feature.
---@param chat claude_ide.Chat
---@param feature string a subcommand, or the name of a key
---@return boolean
function M.lacks(chat, feature)
  return vim.list_contains(chat.offer.lacks, feature)
end

return M
