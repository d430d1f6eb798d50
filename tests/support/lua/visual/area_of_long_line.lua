vim.api.nvim_buf_set_lines(0, 0, -1, true, { ('😀'):rep(500000), 'x' })
vim.cmd('normal! gglvj')
local a =
  require('claude_ide.selection.visual').area('v', vim.fn.getpos('v'), vim.fn.getpos('.'), false)
return { #a.text, a.text:sub(-8), a.first, a.last }
