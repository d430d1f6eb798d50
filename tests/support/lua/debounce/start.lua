_G.runs = {}
local count = 0
_G.call = require('claude_ide.timing.debounce').new(..., function()
  count = count + 1
  table.insert(_G.runs, { count = count, at = vim.uv.hrtime() / 1e6, state = _G.state })
end).soon
