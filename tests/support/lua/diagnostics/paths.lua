local bufnr = vim.fn.bufadd((...))
vim.bo[bufnr].buflisted = true
vim.fn.bufload(bufnr)
vim.diagnostic.set(vim.api.nvim_create_namespace('test'), bufnr, {
  { lnum = 0, col = 0, message = vim.fs.basename((...)) },
})
