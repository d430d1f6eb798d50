vim.api.nvim_create_autocmd('FileChangedShellPost', {
  callback = function()
    _G.asked = #require('claude_ide.checking.publishing').unsettled()
  end,
})
