local prompt, options = ...
_G.told, _G.answers = {}, {}
for _, name in ipairs(options.told or {}) do
  options[name] = function(what)
    table.insert(_G.told, what)
  end
end
options.told = nil
_G.handle = require('claude_ide').ask(prompt, options, function(err, result)
  table.insert(_G.answers, { err = err, result = result, fast = vim.in_fast_event() })
end)
