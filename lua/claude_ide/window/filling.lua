--- A new window gets what it is for; the empty buffer that it came with goes unheard.
local unheard = require('claude_ide.say.unheard')

local M = {}

local EVENTS = { 'BufHidden', 'BufLeave', 'BufUnload', 'BufDelete', 'BufWinLeave', 'BufWipeout' }

--- Call `fn`, which puts a buffer into a window in the place of an empty one.
---
--- An autocommand that went to another window just then would have Neovim show the buffer there, and
--- free the empty one that its own window still shows: Neovim would not survive that.
---@generic T
---@param fn fun(): T
---@return T result of `fn`
function M.run(fn)
  return unheard.run(EVENTS, fn)
end

return M
