local path, text = ...
vim.fn.writefile({ text }, path)
local bufnrs = require('claude_ide.disk_changes.reload').sync()
return { vim.tbl_map(vim.api.nvim_buf_get_name, bufnrs), vim.fn.getbufline(path, 1) }
