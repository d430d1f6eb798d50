local events = require('claude_ide.diagnostics.published')
_G.events = {}
_G.first = function(bufnr)
  table.insert(_G.events, { 'first', bufnr })
  events.unsubscribe(_G.first)
end
_G.second = function(bufnr)
  table.insert(_G.events, { 'second', bufnr })
end
events.subscribe(_G.first)
events.subscribe(_G.second)
