local a = vim.fn['claude_ide#visual#Area']('\22', vim.fn.getpos('v'), vim.fn.getpos('.'), false)
vim.cmd('normal! y')
return { table.concat(vim.fn['claude_ide#visual#Lines'](a), '\n'), vim.fn.getreg('"') }
