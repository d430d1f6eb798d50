local lines, options, keys = ...
vim.api.nvim_buf_set_lines(0, 0, -1, true, lines)
for name, value in pairs(options) do
  vim.o[name] = value
end
vim.cmd('normal! \27gg0' .. keys)
return require('claude_ide.selection.visual').area(
  vim.fn.mode(),
  vim.fn.getpos('v'),
  vim.fn.getpos('.'),
  vim.fn.getcurpos()[5] == vim.v.maxcol
)
