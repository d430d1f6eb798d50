local bufnr, field = ...
local diagnostic = { lnum = 0, col = 0, message = 'm', source = 's', code = 1 }
diagnostic[field] = vim.NIL
vim.diagnostic.set(vim.api.nvim_create_namespace('linter'), bufnr, { diagnostic })
