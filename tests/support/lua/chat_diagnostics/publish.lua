local path = ...
vim.diagnostic.set(vim.api.nvim_create_namespace('test'), vim.fn.bufnr(path), {
  { lnum = 1, col = 0, message = 'two is too many', severity = 1 },
})
