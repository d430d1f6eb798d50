_G.opened = {}
vim.api.nvim_create_autocmd('FileType', {
  pattern = 'python',
  callback = function(event)
    vim.lsp.start({
      name = 'fake',
      cmd = function()
        return {
          request = function(_, _, callback)
            vim.schedule(function()
              callback(nil, { capabilities = { textDocumentSync = 1 } })
            end)
            return true, 1
          end,
          notify = function(method, params)
            if method == 'textDocument/didOpen' then
              table.insert(_G.opened, params.textDocument.uri)
            end
          end,
          is_closing = function()
            return false
          end,
          terminate = function() end,
        }
      end,
    }, { bufnr = event.buf })
  end,
})
