vim.api.nvim_create_autocmd('FileChangedShellPost', {
  callback = function()
    _G.asked = #(require('claude_ide.diagnostics.texts').recent().buffers or {})
  end,
})
