--- The prompts that were sent. Browsing them keeps the one that is being written.
local M = {}

local LONGEST = 200 -- entries

---@class claude_ide.ChatHistory
---@field index integer the entry that the prompt shows; one past the last for a new prompt
---@field written table<integer, string[]> the entries as edited in this prompt, and the new prompt, by index

local entries = {} ---@type string[][] of all chats, oldest first

--- The history as a new chat sees it.
---@return claude_ide.ChatHistory
function M.new()
  return { index = #entries + 1, written = {} }
end

--- Add a prompt that was sent, and start a new one.
---@param history claude_ide.ChatHistory
---@param lines string[]
function M.add(history, lines)
  if not vim.deep_equal(entries[#entries], lines) then
    table.insert(entries, lines)
  end
  if #entries > LONGEST then
    table.remove(entries, 1)
  end
  history.index, history.written = #entries + 1, {}
end

--- Browse the history.
---@param history claude_ide.ChatHistory
---@param lines string[] the prompt's present lines
---@param count integer how many entries to move; negative for older ones
---@return string[]? lines the lines to show instead; nil if there is no such entry
function M.go(history, lines, count)
  local newest = #entries + 1
  -- Other chats may have added entries: the new prompt stays the last.
  if
    history.index > newest or (history.written[history.index] == nil and not entries[history.index])
  then
    history.index = newest
  end
  local target = math.max(1, math.min(history.index + count, newest))
  if target == history.index then
    return nil
  end
  history.written[history.index] = lines
  history.index = target
  return history.written[target] or entries[target] or { '' }
end

return M
