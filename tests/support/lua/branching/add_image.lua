-- Have the chat hold an image, as if it had been pasted.
local data = ...
local chat = require('claude_ide.chat.state').list()[1]
chat.images.count = 1
chat.images.data[1] = { data = data, media_type = 'image/png' }
