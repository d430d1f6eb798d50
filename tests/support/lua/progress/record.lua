_G.messages = {}
vim.api.nvim_create_autocmd('Progress', {
  pattern = 'claude-ide',
  callback = function(event)
    table.insert(_G.messages, { event.data.title, event.data.text[1], event.data.status })
  end,
})
