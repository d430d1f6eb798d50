function _G.tidy()
  for row = vim.v.lnum, vim.v.lnum + vim.v.count - 1 do
    vim.fn.setline(row, vim.trim(vim.fn.getline(row)))
  end
  return 0
end
vim.o.formatexpr = 'v:lua.tidy()'
