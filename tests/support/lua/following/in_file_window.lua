local command = ...
vim.api.nvim_win_call(vim.fn.win_getid(1), function()
  vim.cmd(command)
end)
