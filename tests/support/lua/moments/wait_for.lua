local name = ...
local began = vim.uv.hrtime()
_G.cancel = require('claude_ide.timing.moment')[name](function()
  require('claude_ide.channel').emit('called', { after = (vim.uv.hrtime() - began) / 1e6 })
end, function(message)
  require('claude_ide.channel').emit('failed', { message = message })
end)
