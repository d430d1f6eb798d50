local command, is_running = ...
local config = { name = 'words', cmd = command }
vim.api.nvim_create_autocmd('FileType', {
  pattern = 'text',
  callback = function(event)
    vim.lsp.start(config, { bufnr = event.buf })
  end,
})
return is_running and vim.lsp.start(config, { attach = false })
