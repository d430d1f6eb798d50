--- The prompts that were sent, gone through without losing the one that is being written.
local M = {}

local LONGEST = 200

---@class claude_ide.ChatHistory
---@field index integer which entry the prompt shows; one past the last for what is being written
---@field written table<integer, string[]> what the user has made of the entries, by index

-- Of all chats.
local entries = {} ---@type string[][]

---@return claude_ide.ChatHistory
function M.new()
  return { index = #entries + 1, written = {} }
end

--- Remember what was sent; the next prompt is a new one.
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

--- Go through the history.
---@param history claude_ide.ChatHistory
---@param lines string[] what the prompt shows now
---@param count integer negative for older ones
---@return string[]? lines to show instead, if there are any
function M.go(history, lines, count)
  local newest = #entries + 1
  -- Other chats have added some: what is being written stays the newest.
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
