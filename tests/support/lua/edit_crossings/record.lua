_G.crossings = {}
local reason, channel = require('claude_ide.messages.reason'), require('claude_ide.channel')
local attempt, emit = reason.attempt, channel.emit
reason.attempt = function(module, name, ...)
  if not (module == 'headless' and name == 'update') then
    local called = module == '' and name or module .. '.' .. name
    table.insert(_G.crossings, ('%s %s'):format(called, vim.inspect({ ... })))
  end
  return attempt(module, name, ...)
end
channel.emit = function(event, payload)
  table.insert(_G.crossings, ('%s %s'):format(event, vim.inspect(payload)))
  return emit(event, payload)
end
