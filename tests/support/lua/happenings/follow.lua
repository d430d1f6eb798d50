local channel, events = ...
vim.api.nvim_create_autocmd('User', {
  pattern = events,
  callback = function(event)
    vim.rpcnotify(channel, 'claude_ide_event', 'happened', { event.match, event.data })
  end,
})
