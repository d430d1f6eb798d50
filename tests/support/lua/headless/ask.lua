local prompt, options = ...
_G.answered = {}
require('claude_ide').ask(prompt, options, function(err, result)
  table.insert(_G.answered, { err = err, result = result })
end)
