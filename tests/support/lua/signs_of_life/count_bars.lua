local state = require('claude_ide.chat.state')
local set = state.set
_G.drawn = 0
state.set = function(...)
  _G.drawn = _G.drawn + 1
  set(...)
end
