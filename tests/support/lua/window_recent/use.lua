require('claude_ide.window.recent')
local bufnrs = {}
for _, name in ipairs({ 'a', 'b', 'c' }) do
  bufnrs[name] = vim.fn.bufadd(name)
  vim.bo[bufnrs[name]].swapfile = false
end
for name in ('abcab'):gmatch('.') do
  vim.cmd.buffer(bufnrs[name])
end
