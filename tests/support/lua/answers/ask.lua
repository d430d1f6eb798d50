local text = ...
local window = require('claude_ide.headless.answer_window')
local view = window.open(text, 'float', { stop = function() end, closed = function() end })
window.set_status(view, text)
window.draw(view, text, 0)
window.finish(view, text)
