local began = vim.uv.hrtime()
require('claude_ide.timing.moment').guard(function()
  require('claude_ide.channel').emit('called', { after = (vim.uv.hrtime() - began) / 1e6 })
end)
