local lines, options, keys = ...
vim.api.nvim_buf_set_lines(0, 0, -1, true, lines)
for name, value in pairs(options) do
  vim.o[name] = value
end
vim.cmd('normal! \27gg0' .. keys)
local area = vim.fn['claude_ide#visual#Area'](
  vim.fn.mode(),
  vim.fn.getpos('v'),
  vim.fn.getpos('.'),
  vim.fn.getcurpos()[5] == vim.v.maxcol
)
area.text = vim.fn['claude_ide#visual#Lines'](area)
return area
