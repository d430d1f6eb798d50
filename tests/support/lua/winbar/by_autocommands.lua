vim.api.nvim_create_autocmd({ 'BufWinEnter', 'WinEnter', 'CursorMoved', 'DiffUpdated' }, {
  callback = function()
    vim.schedule(function()
      vim.opt_local.winbar = 'theirs'
    end)
  end,
})
