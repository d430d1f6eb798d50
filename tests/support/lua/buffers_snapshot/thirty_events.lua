for _ = 1, 30 do
  vim.cmd.doautocmd('BufEnter')
  vim.wait(10)
end
