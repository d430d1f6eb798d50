--- How many requests of chats wait for the user, for the status line.
local M = {}

local counts = {} ---@type table<integer, integer> by chat

---@param chat integer
---@param count integer
function M.set(chat, count)
  if (counts[chat] or 0) == count then
    return
  end
  counts[chat] = count > 0 and count or nil
  vim.cmd.redrawstatus()
  vim.api.nvim_exec_autocmds('User', {
    pattern = 'ClaudeChatWaiting',
    modeline = false,
    data = { chat = chat, count = count },
  })
end

---@return integer
function M.count()
  local sum = 0
  for _, count in pairs(counts) do
    sum = sum + count
  end
  return sum
end

return M
