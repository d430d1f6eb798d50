local cmd = { vim.v.progpath, '-u', 'NONE', '--headless' }
vim.g.claude_ide = vim.tbl_extend('force', vim.g.claude_ide, { cmd = cmd })
require('claude_ide').ask('why?', {}, function(err)
  _G.err = err
end)
vim.fn.jobstop(require('claude_ide.channel').id)
