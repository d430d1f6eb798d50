local window = require('claude_ide.headless.answer_window')
local view = window.open('hi', 'float', { stop = function() end, closed = function() end })
window.draw(view, ..., 0)
window.finish(view)
