--- Autocommands that fail: other code that runs for the same events must still complete.
vim.api.nvim_create_autocmd({ 'WinNew', 'BufEnter', 'TabEnter', 'WinClosed', 'BufWinEnter' }, {
  callback = function(event)
    error('a plugin fails in ' .. event.event)
  end,
})
