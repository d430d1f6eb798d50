local moment, looks = require('claude_ide.timing.moment'), 0
local obstacle = moment.obstacle
moment.obstacle = function()
  looks = looks + 1
  return obstacle()
end
vim.wait(1000, function() end, 50, true)
vim.schedule(function()
  _G.looks = looks
end)
