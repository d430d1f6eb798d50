local is_claudes = ...
local bufnr = vim.api.nvim_create_buf(false, true)
vim.api.nvim_open_win(bufnr, true, {
  relative = 'editor',
  row = 1,
  col = 1,
  width = 40,
  height = 9,
})
vim.fn.jobstart({ 'cat' }, { term = true })
vim.b.claude_ide_terminal = is_claudes or nil
vim.api.nvim_create_autocmd('WinLeave', { buffer = bufnr, command = 'close' })
_G.float = vim.api.nvim_get_current_win()
