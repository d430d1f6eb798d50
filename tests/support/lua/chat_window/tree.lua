local is_in_it = ...
vim.cmd('topleft 12vnew')
vim.bo.buftype, vim.bo.bufhidden, vim.bo.swapfile = 'nofile', 'hide', false
if not is_in_it then
  vim.cmd('wincmd p')
end
