local function request(method, _, callback)
  if method == 'textDocument/formatting' then
    error('broken pipe', 0)
  end
  callback(nil, { capabilities = { documentFormattingProvider = true } })
  return true, 1
end
vim.lsp.start({
  name = 'words',
  cmd = function()
    return {
      request = request,
      notify = function() end,
      is_closing = function() end,
      terminate = function() end,
    }
  end,
})
