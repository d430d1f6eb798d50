vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'abcdef', 'abcdef', 'abcdef' })
vim.api.nvim_buf_set_extmark(
  0,
  vim.api.nvim_create_namespace('hints'),
  1,
  3,
  { virt_text = { { 'XX' } }, virt_text_pos = 'inline' }
)
vim.cmd('normal! gg0l\22jjll')
