vim.api.nvim_buf_set_lines(0, 0, -1, true, vim.fn['repeat']({ ('漢'):rep(33) }, 50000))
vim.cmd('normal! ggVG')
local a = vim.fn['claude_ide#visual#Area']('V', vim.fn.getpos('v'), vim.fn.getpos('.'), false)
return { table.concat(vim.fn['claude_ide#visual#Lines'](a), '\n'), a.last }
