local eval, asked = vim.api.nvim_eval, {}
vim.api.nvim_eval = function(expression)
  table.insert(asked, expression)
  return eval(expression)
end
vim.cmd.buffer('f007.txt')
vim.wait(300)
vim.api.nvim_eval = eval
return asked
