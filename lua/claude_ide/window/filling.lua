--- Replaces the empty buffer of a new window without autocommands.
local without_events = require('claude_ide.messages.without_events')

local M = {}

local EVENTS = { 'BufHidden', 'BufLeave', 'BufUnload', 'BufDelete', 'BufWinLeave', 'BufWipeout' }

--- Call `fn`, which replaces the empty buffer of a window.
---
--- If an autocommand entered another window during the replacement, Neovim would show the new buffer
--- there, free the empty buffer that the first window still shows, and crash.
---@generic T
---@param fn fun(): T?
---@return T? result of `fn`
function M.run(fn)
  return without_events.run(EVENTS, fn)
end

return M
