_G.SENT = {}
vim.api.nvim_create_user_command('ClaudeSend', function(opts)
  table.insert(_G.SENT, { opts.line1, opts.line2 })
end, { range = true })
vim.keymap.set({ 'n', 'x' }, 'gs', function()
  return require('claude_ide.selection.mention').operator()
end, { expr = true })
vim.cmd('edit a.txt')
vim.fn.setline(1, { 'a', 'b', '', 'd', 'e', 'f', '', 'h', 'i', 'j', 'k', 'l', 'm', 'n' })
