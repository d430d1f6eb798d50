local prompt, options = ...
_G.results, _G.answers = {}, {}
for _, name in ipairs(options.callbacks or {}) do
  options[name] = function(what)
    table.insert(_G.results, what)
  end
end
options.callbacks = nil
_G.handle = require('claude_ide').ask(prompt, options, function(err, result)
  table.insert(_G.answers, { err = err, result = result, fast = vim.in_fast_event() })
end)
