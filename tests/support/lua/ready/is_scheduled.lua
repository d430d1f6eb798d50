local moment, is_scheduled = require('claude_ide.timing.moment'), false
local when_free = moment.when_free
moment.when_free = function()
  is_scheduled = true
end
vim.fn['claude_ide#ready#Installed']()
moment.when_free = when_free
return is_scheduled
