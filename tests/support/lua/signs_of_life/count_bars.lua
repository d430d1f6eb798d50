local panel = require('claude_ide.chat.panel')
local set_bars = panel.set_bars
_G.drawn = 0
panel.set_bars = function(...)
  _G.drawn = _G.drawn + 1
  set_bars(...)
end
