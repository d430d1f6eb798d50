local path = ...
local folders = require('claude_ide.disk.folders')
vim.wait(15000, function()
  return folders.state().folders == 1
end, 1)
vim.fn.writefile({ 'two' }, path)
