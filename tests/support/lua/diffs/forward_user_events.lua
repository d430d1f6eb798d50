local channel = ...
require('claude_ide.channel').id = channel
vim.api.nvim_create_autocmd('User', {
  pattern = 'ClaudeDiff*',
  callback = function(event)
    vim.rpcnotify(channel, 'claude_ide_event', event.match, event.data)
  end,
})
