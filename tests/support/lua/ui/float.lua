vim.ui.input = function(_, on_confirm)
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_open_win(bufnr, true, {
    relative = 'editor',
    row = 1,
    col = 1,
    width = 20,
    height = 1,
  })
  vim.keymap.set('n', 'y', function()
    vim.api.nvim_win_close(0, true)
    vim.defer_fn(function()
      on_confirm('late')
    end, 100)
  end, { buffer = bufnr })
end
