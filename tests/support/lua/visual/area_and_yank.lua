local a =
  require('claude_ide.selection.visual').area('\22', vim.fn.getpos('v'), vim.fn.getpos('.'), false)
vim.cmd('normal! y')
return { a.text, vim.fn.getreg('"') }
