_G.tries = 0
_G.call = require('claude_ide.timing.debounce').new(1, function()
  _G.tries = _G.tries + 1
  error('first line\nsecond line')
end).soon
