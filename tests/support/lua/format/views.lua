return vim.tbl_map(function(win)
  return vim.api.nvim_win_call(win, function()
    return { vim.fn.line('.') - vim.fn.line('w0'), vim.fn.col('.'), vim.fn.getline('.') }
  end)
end, vim.api.nvim_list_wins())
