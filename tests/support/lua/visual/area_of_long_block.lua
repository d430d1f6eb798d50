vim.api.nvim_buf_set_lines(0, 0, -1, true, vim.fn['repeat']({ 'abcd' }, 30000))
vim.cmd('normal! gg0l\22Gl')
local a = vim.fn['claude_ide#visual#Area']('\22', vim.fn.getpos('v'), vim.fn.getpos('.'), false)
return { #vim.fn['claude_ide#visual#Lines'](a), a.last }
