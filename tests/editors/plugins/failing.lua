--- Autocommands that fail: what others do in the same moment has to go on all the same.
vim.api.nvim_create_autocmd({ 'WinNew', 'BufEnter', 'TabEnter', 'WinClosed', 'BufWinEnter' }, {
  callback = function(event)
    error('a plugin fails in ' .. event.event)
  end,
})
