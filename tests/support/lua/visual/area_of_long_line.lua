vim.api.nvim_buf_set_lines(0, 0, -1, true, { ('😀'):rep(500000), 'x' })
vim.cmd('normal! gglvj')
local a = vim.fn['claude_ide#visual#Area']('v', vim.fn.getpos('v'), vim.fn.getpos('.'), false)
local text = table.concat(vim.fn['claude_ide#visual#Lines'](a), '\n')
return { #text, text:sub(-8), a.first, a.last }
