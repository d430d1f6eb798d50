require('claude_ide.channel').id = ...
require('claude_ide.window.recent')
require('claude_ide.editors').watch(true)
return require('claude_ide.editors').all()
