local channel = ...
vim.api.nvim_create_autocmd('User', {
  pattern = 'ClaudeStatus',
  callback = function(event)
    vim.rpcnotify(channel, 'claude_ide_event', 'ClaudeStatus', event.data)
  end,
})
