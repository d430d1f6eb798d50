local title, kind = ...
_G.told = {}
_G.view = require('claude_ide.question.answer_window').open(title, kind, {
  stop = function()
    table.insert(_G.told, 'stop')
  end,
  closed = function()
    table.insert(_G.told, 'closed')
  end,
})
