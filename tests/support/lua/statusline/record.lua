local channel = ...
vim.api.nvim_create_autocmd('User', {
  pattern = 'ClaudeStatusChanged',
  callback = function(event)
    vim.rpcnotify(channel, 'claude_ide_event', 'ClaudeStatusChanged', event.data)
  end,
})
