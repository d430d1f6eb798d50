-- Show or hide a chat, as `:ClaudeChat` does.
local id, options = ...
local panel = require('claude_ide.chat.panel')
local chat = require('claude_ide.chat.state').get(id)
if chat and chat.is_wanted and require('claude_ide.chat.placement').is_here(chat) then
  panel.hide(id)
  return 'hidden'
end
panel.open(id, options)
return 'shown'
