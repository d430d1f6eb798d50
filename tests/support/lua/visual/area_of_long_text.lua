vim.api.nvim_buf_set_lines(0, 0, -1, true, vim.fn['repeat']({ ('漢'):rep(33) }, 50000))
vim.cmd('normal! ggVG')
local a =
  require('claude_ide.selection.visual').area('V', vim.fn.getpos('v'), vim.fn.getpos('.'), false)
return { a.text, a.last }
