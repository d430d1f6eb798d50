local title, kind = ...
_G.events = {}
_G.view = require('claude_ide.headless.answer_window').open(title, kind, {
  stop = function()
    table.insert(_G.events, 'stop')
  end,
  closed = function()
    table.insert(_G.events, 'closed')
  end,
})
