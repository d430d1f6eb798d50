require('claude_ide.channel').id = ...
local buffers = require('claude_ide.file.buffers')
buffers.watch(true)
return buffers.begin()
