local moment, follows = require('claude_ide.when.moment'), false
local when_free = moment.when_free
moment.when_free = function()
  follows = true
end
require('claude_ide.host.ready').installed()
moment.when_free = when_free
return follows
