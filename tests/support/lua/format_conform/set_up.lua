local names, programs, lsp_format = ...
local conform = require('conform')
conform.programs = programs
conform.formatters_by_ft = { text = names }
conform.default_format_opts = { lsp_format = lsp_format ~= vim.NIL and lsp_format or nil }
