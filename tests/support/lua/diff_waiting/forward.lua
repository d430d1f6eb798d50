local id = ...
require('claude_ide.channel').id = id
vim.api.nvim_create_autocmd('User', {
  pattern = 'ClaudeWaiting',
  callback = function(event)
    vim.rpcnotify(id, 'claude_ide_event', event.match, event.data)
  end,
})
_G.notified = {}
local show = vim.notify
vim.notify = function(text, ...)
  table.insert(_G.notified, (text:gsub('%s+', ' ')))
  show(text, ...)
end
