local cmd, layout, side = ...
vim.g.claude_ide = vim.tbl_extend('force', vim.g.claude_ide, {
  cmd = cmd,
  diff = { layout = layout },
  chat = { side = side, mode = 'default' },
})
