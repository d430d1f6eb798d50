_G.set = function(bufnr, count, message)
  local diagnostics = {}
  for i = 1, count do
    diagnostics[i] = { lnum = 0, col = 399998 - 2 * i, end_col = 399999, message = message }
  end
  vim.diagnostic.set(vim.api.nvim_create_namespace('long'), bufnr, diagnostics, {
    virtual_text = false,
    signs = false,
    underline = false,
  })
end
-- Reading these takes much longer than the interval between two reports.
_G.set(..., 250, 'old')
