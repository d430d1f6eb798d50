-- Record what the autocommands about reverted changes are told.
_G.told = {}
vim.api.nvim_create_autocmd('User', {
  pattern = 'ClaudeChangesReverted',
  callback = function(event)
    table.insert(_G.told, event.data)
  end,
})
