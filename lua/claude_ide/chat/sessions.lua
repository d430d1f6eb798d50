--- The ids of the sessions that `:ClaudeChat resume` completes. Completion must wait neither for the host nor
--- for an agent, so only the sessions are known that an agent has listed before, or that a chat has had.
local agents = require('claude_ide.chat.agents')
local buffers = require('claude_ide.file.buffers')
local chat_state = require('claude_ide.chat.state')
local stored_sessions = require('claude_ide.host.stored_sessions')

local M = {}

local known = {} ---@type table<string, string[]> ids by folder

--- Set the sessions of a folder that agents other than Claude have; the CLI stores Claude's in files.
---@param folder string
---@param ids string[] the latest first
function M.set(folder, ids)
  known[folder] = ids
end

-- The sessions of the chats that are open.
local function open(folder)
  local found = {}
  for _, chat in ipairs(chat_state.list()) do
    if chat.session and chat.options.root == folder then
      table.insert(found, chat.session)
    end
  end
  return found
end

--- The ids of the sessions of the current folder.
---@return string[]
function M.ids()
  local folder = buffers.folder()
  local of_claude = agents.find('claude') and stored_sessions.ids() or {}
  local all = vim.iter({ of_claude, known[folder] or {}, open(folder) }):flatten():totable()
  local found, seen = {}, {}
  for _, id in ipairs(all) do
    if not seen[id] then
      seen[id] = true
      table.insert(found, id)
    end
  end
  return found
end

return M
