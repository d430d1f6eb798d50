local name = ...
_G.cancel = _G.cancel or {}
_G.cancel[name] = require('claude_ide.timing.moment').when_free_for('edit of ' .. name, function()
  require('claude_ide.channel').emit('shown', { name = name })
end, function(message)
  require('claude_ide.channel').emit('failed', { message = message })
end)
