local checkpoint, change = require('claude_ide.format.checkpoint'), ...
local point = checkpoint.new(vim.api.nvim_get_current_buf())
vim.cmd(change)
checkpoint.restore(point)
