local events = require('claude_ide.checking.events')
_G.heard = {}
_G.first = function(bufnr)
  table.insert(_G.heard, { 'first', bufnr })
  events.unsubscribe(_G.first)
end
_G.second = function(bufnr)
  table.insert(_G.heard, { 'second', bufnr })
end
events.subscribe(_G.first)
events.subscribe(_G.second)
