local channel, path = ...
vim.api.nvim_create_autocmd('User', {
  pattern = 'ClaudeDiff*',
  callback = function(event)
    vim.rpcnotify(channel, 'claude_ide_event', event.match, event.data)
  end,
})
vim.cmd.edit(path)
vim.cmd.ClaudeStart()
