local window, view = require('claude_ide.headless.answer_window'), nil
view = window.open('x', 'float', {
  stop = function() end,
  closed = function()
    window.finish(view, 'cancelled')
  end,
})
