local chat = require('claude_ide.chat.state').list()[1]
local win = vim.fn.win_findbuf(chat.transcript)[1]
vim.cmd.redraw()
return vim.api.nvim_buf_get_lines(
  chat.transcript,
  vim.fn.line('w0', win) - 1,
  vim.fn.line('w$', win),
  false
)
