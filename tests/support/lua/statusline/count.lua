-- Counts how often the text asks for the server.
vim.g.composed = 0
local host = require('claude_ide.host')
local server = host.server
host.server = function()
  vim.g.composed = vim.g.composed + 1
  return server()
end
