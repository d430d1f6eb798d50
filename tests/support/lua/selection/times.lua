_G.TIMES = {}
local channel = require('claude_ide.channel')
local emit = channel.emit
channel.emit = function(...)
  table.insert(_G.TIMES, vim.uv.hrtime() / 1e6)
  emit(...)
end
