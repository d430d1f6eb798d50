local client = vim.lsp.get_client_by_id(...)
client.supports_method = function()
  return vim.bo.filetype == 'text'
end
