--- `<Esc>` in Normal mode of the prompt: only the second one within a second stops the agent, because Vim's
--- users press <Esc> without thinking.
local chat_hint = require('claude_ide.chat.hint')

local M = {}

local WITHIN = 1000 -- milliseconds

-- Whether there is anything to stop.
local function is_running(chat)
  return chat.is_working or #chat.sent > 0
end

--- The key of a chat's prompt.
---@param chat claude_ide.Chat
---@param stop fun()
---@return fun() press
function M.twice(chat, stop)
  local pressed = -math.huge
  return function()
    local now = vim.uv.now()
    local is_second = now - pressed <= WITHIN
    pressed = is_second and -math.huge or now
    if not is_running(chat) then
      return
    elseif is_second then
      stop()
    else
      local text = ('<Esc> again stops %s'):format(chat.offer.name)
      chat_hint.show_beside(chat.prompt, text, WITHIN)
    end
  end
end

return M
