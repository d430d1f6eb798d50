local channel = ...
vim.api.nvim_create_autocmd('User', {
  pattern = {
    'ClaudePrompt',
    'ClaudeTool*',
    'ClaudeTurnEnd',
    'ClaudeSessionStart',
    'ClaudeSessionEnd',
  },
  callback = function(event)
    vim.rpcnotify(channel, 'claude_ide_event', 'happened', { event.match, event.data })
  end,
})
