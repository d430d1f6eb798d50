local diagnostics = {}
for i = 1, 150 do
  diagnostics[i] = { lnum = 0, col = 2 * i, end_col = 300000, message = ('x'):rep(10000) }
end
vim.diagnostic.set(vim.api.nvim_create_namespace('long'), ..., diagnostics, {
  virtual_text = false,
  signs = false,
  underline = false,
})
