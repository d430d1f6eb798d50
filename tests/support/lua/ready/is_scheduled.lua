local moment, is_scheduled = require('claude_ide.timing.moment'), false
local when_free = moment.when_free
moment.when_free = function()
  is_scheduled = true
end
require('claude_ide.host.ready').installed()
moment.when_free = when_free
return is_scheduled
