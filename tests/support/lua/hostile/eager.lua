vim.api.nvim_create_autocmd('FileType', {
  callback = function(event)
    if pcall(vim.treesitter.start, event.buf) then
      vim.treesitter.get_parser(event.buf):parse(true)
    end
  end,
})
vim.o.foldmethod = 'expr'
vim.o.foldexpr = 'v:lua.vim.treesitter.foldexpr()'
vim.o.conceallevel = 2
