local id, bufnr, version, late = ...
vim.defer_fn(function()
  vim.lsp.get_client_by_id(id):notify('test/publish', {
    uri = vim.uri_from_bufnr(bufnr),
    version = version ~= vim.NIL and version or nil,
  })
end, late)
