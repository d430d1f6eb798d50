-- A language server's edit before each write, as plugins for formatting apply it.
vim.api.nvim_create_autocmd('BufWritePre', {
  callback = function(event)
    local start = { line = 0, character = 0 }
    local edit = { range = { start = start, ['end'] = start }, newText = 'formatted ' }
    vim.lsp.util.apply_text_edits({ edit }, event.buf, 'utf-8')
  end,
})
